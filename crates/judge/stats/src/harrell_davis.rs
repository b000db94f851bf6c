//! A quantile as a weighted mean of all values.
//!
//! Harrell and Davis (*Biometrika* 69, 1982) take the expected value of the order statistic that
//! stands at the quantile, over resamples of the sample. Value i of n in ascending order has the
//! weight
//!
//! `w_i = I(i / n; a, b) - I((i - 1) / n; a, b)`, `a = p (n + 1)`, `b = (1 - p) (n + 1)`,
//!
//! with `I` the regularised incomplete beta function. Unlike [`crate::quantile::quantile`] it does
//! not jump from one value to the next as a sample grows, and it varies less from sample to sample
//! where the values are dense.
//!
//! Not where they are not: every value has some weight, so that one extreme value moves it, and
//! between two modes it gives a value that never occurs.

use statrs::function::beta::beta_reg;

use crate::summary::median_of_sorted;

/// The weights of `n` values in ascending order.
pub(crate) fn weights(n: usize, p: f64) -> Vec<f64> {
    let size = n as f64;
    let (a, b) = (p * (size + 1.0), (1.0 - p) * (size + 1.0));
    let mut below = 0.0;
    (1..=n)
        .map(|i| {
            let upto = if i < n {
                beta_reg(a, b, i as f64 / size)
            } else {
                1.0
            };
            let weight = upto - below;
            below = upto;
            weight
        })
        .collect()
}

/// The weighted mean of at least one value, in ascending order.
pub(crate) fn estimate(sorted: &[f64], weights: &[f64]) -> f64 {
    // Counted from the median, so that the rounding of the weights does not grow with a part that
    // all values have in common.
    let centre = median_of_sorted(sorted);
    let terms = sorted.iter().zip(weights);
    centre
        + terms
            .map(|(value, weight)| weight * (value - centre))
            .sum::<f64>()
}
