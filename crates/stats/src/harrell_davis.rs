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
//! between two modes it gives a value that never occurs. It has no distribution-free interval of
//! its own; that of [`crate::quantile::quantile_interval`] holds for the quantile itself.

use statrs::function::beta::beta_reg;

use crate::summary::{median_of_sorted, sorted};
use crate::{Error, check};

/// Harrell and Davis' estimate of the quantile `p`, `0 < p < 1`, of at least one value.
///
/// # Errors
/// No value or an unusable one; a quantile outside (0, 1).
pub fn harrell_davis(values: &[f64], p: f64) -> Result<f64, Error> {
    check::sample("sample", values, 1)?;
    check::probability("quantile", p)?;
    let sorted = sorted(values);
    let n = sorted.len() as f64;
    let (a, b) = (p * (n + 1.0), (1.0 - p) * (n + 1.0));
    // Counted from the median, so that the rounding of the weights does not grow with a part that
    // all values have in common.
    let centre = median_of_sorted(&sorted);
    let mut below = 0.0;
    let mut estimate = 0.0;
    for (value, i) in sorted.iter().zip(1_u32..) {
        let upto = if f64::from(i) < n {
            beta_reg(a, b, f64::from(i) / n)
        } else {
            1.0
        };
        estimate += (upto - below) * (value - centre);
        below = upto;
    }
    Ok(centre + estimate)
}
