//! Many claims at once: p-values adjusted for their number.
//!
//! An adjusted p-value is held against the same level as a single one would be. The family is all
//! claims of one report.

use crate::error::Error;

/// Holm's step-down adjustment: the chance of any false claim stays below the level, whatever the
/// dependence (Holm, *Scandinavian Journal of Statistics* 6, 1979). For claims.
///
/// In the order of the input.
pub fn holm(p_values: &[f64]) -> Result<Vec<f64>, Error> {
    let equal: Vec<(f64, f64)> = p_values.iter().map(|&p| (p, 1.0)).collect();
    holm_weighted(&equal)
}

/// Holm's adjustment for claims that take unequal shares of the error: pairs of a p-value and a
/// weight above zero. Claims are taken in the order of p / weight, each against its share of the
/// weights not yet used up. Whatever the weights, the chance of any false claim stays below the
/// level.
///
/// In the order of the input.
pub fn holm_weighted(claims: &[(f64, f64)]) -> Result<Vec<f64>, Error> {
    let p_values: Vec<f64> = claims.iter().map(|(p, _)| *p).collect();
    check_p_values(&p_values)?;
    if let Some((_, weight)) = claims
        .iter()
        .find(|(_, weight)| !(*weight > 0.0 && weight.is_finite()))
    {
        return Err(Error::Setting {
            what: "weight",
            above: 0.0,
            below: f64::INFINITY,
            value: *weight,
        });
    }
    let share = |i: usize| claims[i].0 / claims[i].1;
    let mut order: Vec<usize> = (0..claims.len()).collect();
    order.sort_by(|&i, &j| share(i).total_cmp(&share(j)));
    let mut left: f64 = claims.iter().map(|(_, weight)| weight).sum();
    let mut largest: f64 = 0.0;
    let mut adjusted = vec![0.0; claims.len()];
    for i in order {
        largest = largest.max(share(i) * left);
        adjusted[i] = largest.min(1.0);
        left -= claims[i].1;
    }
    Ok(adjusted)
}

/// One claim: that two sides differ, and that they are the same within a margin.
///
/// Whatever the true difference is, at most one of the two can be false: where the sides do not
/// differ at all they are the same, and where they differ by more than the margin they differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Claim {
    /// p-value of "no difference".
    pub difference: f64,
    /// p-value of "not within the margin", where there is a margin.
    pub same: Option<f64>,
    /// The share of the error that the claim takes, above zero.
    pub weight: f64,
}

/// A claim's two p-values, adjusted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adjusted {
    /// Of "no difference".
    pub difference: f64,
    /// Of "not within the margin".
    pub same: Option<f64>,
}

/// Holm's adjustment ([`holm_weighted`]) for claims of both kinds: the chance of any false claim,
/// of a difference or of sameness, stays below the level.
///
/// It is the closed test (Marcus, Peritz and Gabriel, *Biometrika* 63, 1976) of weighted Bonferroni
/// tests over all sets of hypotheses that can be true together, which hold at most one of a claim.
/// The least favourable set holds, of every other claim, the hypothesis with the larger p-value; so
/// a hypothesis is adjusted by Holm's method among these. Without a margin this is Holm's method.
///
/// In the order of the input.
pub fn holm_claims(claims: &[Claim]) -> Result<Vec<Adjusted>, Error> {
    let larger: Vec<(f64, f64)> = claims
        .iter()
        .map(|claim| {
            (
                claim
                    .same
                    .map_or(claim.difference, |same| same.max(claim.difference)),
                claim.weight,
            )
        })
        .collect();
    let both = claims
        .iter()
        .flat_map(|claim| [Some(claim.difference), claim.same]);
    check_p_values(&both.flatten().collect::<Vec<_>>())?;
    // Fails for weights out of range.
    holm_weighted(&larger)?;
    let share = |i: usize| larger[i].0 / larger[i].1;
    let mut order: Vec<usize> = (0..larger.len()).collect();
    order.sort_by(|&i, &j| share(i).total_cmp(&share(j)));
    // For each place in that order: the weights from there on, and the largest adjusted p before it.
    let mut left = vec![0.0; order.len() + 1];
    for (place, &i) in order.iter().enumerate().rev() {
        left[place] = left[place + 1] + larger[i].1;
    }
    let mut before: Vec<f64> = vec![0.0];
    for (place, &i) in order.iter().enumerate() {
        before.push(before[place].max(share(i) * left[place]));
    }
    let adjusted = |claim: &Claim, p: f64| {
        let ratio = p / claim.weight;
        // The claim itself is not before this place, as its larger p-value is no smaller.
        let place = order.partition_point(|&i| share(i) < ratio);
        before[place].max(ratio * left[place]).min(1.0)
    };
    Ok(claims
        .iter()
        .map(|claim| Adjusted {
            difference: adjusted(claim, claim.difference),
            same: claim.same.map(|same| adjusted(claim, same)),
        })
        .collect())
}

fn check_p_values(p_values: &[f64]) -> Result<(), Error> {
    if let Some(index) = p_values.iter().position(|p| !(0.0..=1.0).contains(p)) {
        return Err(Error::PValue {
            position: index + 1,
            value: p_values[index],
        });
    }
    Ok(())
}
