//! Many claims at once: p-values adjusted for their number.
//!
//! An adjusted p-value is held against the same level as a single one would be. The family is all
//! claims of one report.

use crate::Error;

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

/// Benjamini and Hochberg's adjustment: the expected share of false claims among those made stays
/// below the level, for independent or positively dependent tests (*Journal of the Royal
/// Statistical Society B* 57, 1995). For lists of what to look at first, not for claims.
///
/// In the order of the input.
pub fn benjamini_hochberg(p_values: &[f64]) -> Result<Vec<f64>, Error> {
    let order = ascending(p_values)?;
    let mut adjusted = vec![0.0; p_values.len()];
    let mut smallest: f64 = 1.0;
    for (rank, &i) in order.iter().enumerate().rev() {
        smallest = smallest.min(p_values.len() as f64 / (rank + 1) as f64 * p_values[i]);
        adjusted[i] = smallest;
    }
    Ok(adjusted)
}

/// Indices of the p-values in ascending order.
fn ascending(p_values: &[f64]) -> Result<Vec<usize>, Error> {
    check_p_values(p_values)?;
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&i, &j| p_values[i].total_cmp(&p_values[j]));
    Ok(order)
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
