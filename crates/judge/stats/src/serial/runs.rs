//! Stays above and below the median.

use crate::distribution::normal_cdf;
use crate::summary::{median_of_sorted, sorted};
use crate::{Error, check};

/// Outcome of the runs test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunsTest {
    /// Longest possible stretches of neighbours on the same side of the median.
    pub runs: usize,
    /// Standard deviations above the number expected in random order; below zero where the values
    /// stay on one side for long.
    pub z: f64,
    /// Two-sided p-value of random order, by the normal approximation without correction.
    pub p: f64,
}

/// Wald and Wolfowitz' runs test about the median (*Annals of Mathematical Statistics* 11, 1940).
///
/// Values equal to the median are passed over. With n_1 values above it and n_2 below, random
/// order has `2 n_1 n_2 / n + 1` runs in the mean, with variance
/// `2 n_1 n_2 (2 n_1 n_2 - n) / (n^2 (n - 1))`. ("Run" here is the test's word; it has nothing to
/// do with the runs of an experiment.)
///
/// # Errors
/// An unusable value, or fewer than two values on either side of the median.
pub fn runs_test(values: &[f64]) -> Result<RunsTest, Error> {
    check::sample("sample", values, 4)?;
    let median = median_of_sorted(&sorted(values));
    let away = values.iter().filter(|v| **v != median);
    let above: Vec<bool> = away.map(|v| *v > median).collect();
    let count_above = above.iter().filter(|is_above| **is_above).count();
    let count_below = above.len() - count_above;
    for (what, found) in [("above", count_above), ("below", count_below)] {
        if found < 2 {
            return Err(Error::TooFew {
                what: format!("values {what} the median"),
                needed: 2,
                found,
            });
        }
    }
    let runs = above.chunk_by(|x, y| x == y).count();
    let n = above.len() as f64;
    let product = 2.0 * count_above as f64 * count_below as f64;
    let variance = product * (product - n) / (n * n * (n - 1.0));
    let z = (runs as f64 - product / n - 1.0) / variance.sqrt();
    Ok(RunsTest {
        runs,
        z,
        p: 2.0 * normal_cdf(-z.abs()),
    })
}
