//! Many tests at once: p-values adjusted for their number.
//!
//! An adjusted p-value is held against the same level as a single one would be. The family is all
//! tests of one report.

use crate::error::Error;

/// Holm's step-down adjustment: the chance of any false verdict stays below the level, whatever the
/// dependence (Holm, *Scandinavian Journal of Statistics* 6, 1979).
///
/// In the order of the input.
pub fn holm(p_values: &[f64]) -> Result<Vec<f64>, Error> {
    let equal: Vec<(f64, f64)> = p_values.iter().map(|&p| (p, 1.0)).collect();
    holm_weighted(&equal)
}

/// Holm's adjustment for tests that take unequal shares of the error: pairs of a p-value and a
/// weight above zero. Tests are taken in the order of p / weight, each against its share of the
/// weights not yet used up. Whatever the weights, the chance of any false verdict stays below the
/// level.
///
/// In the order of the input.
pub fn holm_weighted(tests: &[(f64, f64)]) -> Result<Vec<f64>, Error> {
    let p_values: Vec<f64> = tests.iter().map(|(p, _)| *p).collect();
    check_p_values(&p_values)?;
    if let Some((_, weight)) = tests
        .iter()
        .find(|(_, weight)| !(*weight > 0.0 && weight.is_finite()))
    {
        return Err(Error::OutOfRange {
            what: "weight",
            above: 0.0,
            below: f64::INFINITY,
            value: *weight,
        });
    }
    let share = |i: usize| tests[i].0 / tests[i].1;
    let mut order: Vec<usize> = (0..tests.len()).collect();
    order.sort_by(|&i, &j| share(i).total_cmp(&share(j)));
    let mut left: f64 = tests.iter().map(|(_, weight)| weight).sum();
    let mut largest: f64 = 0.0;
    let mut adjusted = vec![0.0; tests.len()];
    for i in order {
        largest = largest.max(share(i) * left);
        adjusted[i] = largest.min(1.0);
        left -= tests[i].1;
    }
    Ok(adjusted)
}

/// One test: that two sides differ, and that they are the same within a margin.
///
/// Whatever the true difference is, at most one of the two can be false: where the sides do not
/// differ at all they are the same, and where they differ by more than the margin they differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Test {
    /// p-value of "no difference".
    pub difference: f64,
    /// p-value of "not within the margin", where there is a margin.
    pub same: Option<f64>,
    /// The share of the error that the test takes, above zero.
    pub weight: f64,
}

/// A test's two p-values, adjusted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adjusted {
    /// Of "no difference".
    pub difference: f64,
    /// Of "not within the margin".
    pub same: Option<f64>,
}

/// Holm's adjustment ([`holm_weighted`]) for verdicts of both kinds: the chance of any false verdict,
/// of a difference or of sameness, stays below the level.
///
/// It is the closed test (Marcus, Peritz and Gabriel, *Biometrika* 63, 1976) of weighted Bonferroni
/// tests over all sets of hypotheses that can be true together, which hold at most one of a test.
/// The least favourable set holds, of every other test, the hypothesis with the larger p-value; so
/// a hypothesis is adjusted by Holm's method among these. Without a margin this is Holm's method.
///
/// In the order of the input.
pub fn holm_tests(tests: &[Test]) -> Result<Vec<Adjusted>, Error> {
    let larger: Vec<(f64, f64)> = tests
        .iter()
        .map(|test| {
            (
                test.same
                    .map_or(test.difference, |same| same.max(test.difference)),
                test.weight,
            )
        })
        .collect();
    let both = tests
        .iter()
        .flat_map(|test| [Some(test.difference), test.same]);
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
    let adjusted = |test: &Test, p: f64| {
        let ratio = p / test.weight;
        // The test itself is not before this place, as its larger p-value is no smaller.
        let place = order.partition_point(|&i| share(i) < ratio);
        before[place].max(ratio * left[place]).min(1.0)
    };
    Ok(tests
        .iter()
        .map(|test| Adjusted {
            difference: adjusted(test, test.difference),
            same: test.same.map(|same| adjusted(test, same)),
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
