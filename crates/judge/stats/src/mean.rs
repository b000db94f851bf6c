//! Is the mean different? The question to ask when the total cost of many runs matters.
//!
//! [`student`] is kept because older tools use it: with unequal numbers of runs and unequal variances it claims far too
//! many differences. The verdict uses Welch's test within blocks. Slow outliers belong to a mean, so its intervals are
//! wide where a few runs are slow; that is honest, not a fault.

use crate::check;
use crate::distribution::{t_two_sided, t_upper_quantile};
use crate::error::Error;
use crate::summary::{raw_mean, raw_variance, squared_deviations};

/// Where the mean of `n` values lies, of which these are the mean and the standard deviation: Student's interval.
/// None for a single value.
pub fn mean_interval(n: usize, mean: f64, sd: f64, confidence: f64) -> Option<(f64, f64)> {
    if n < 2 || !(confidence > 0.0 && confidence < 1.0) {
        return None;
    }
    let n = n as f64;
    let half_width = t_upper_quantile(0.5 * (1.0 - confidence), n - 1.0) * sd / n.sqrt();
    Some((mean - half_width, mean + half_width))
}

/// Difference of two means, `b - a`, with its interval and test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanDifference {
    /// Mean of the baseline.
    pub mean_a: f64,
    /// Mean of the candidate.
    pub mean_b: f64,
    /// `b - a`, in the unit of the values.
    pub difference: f64,
    /// Standard error of the difference.
    pub standard_error: f64,
    /// The difference in standard errors.
    pub t: f64,
    /// Degrees of freedom of `t`; need not be whole.
    pub df: f64,
    /// Two-sided p-value of "no difference".
    pub p: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// Confidence of the interval, between 0 and 1.
    pub confidence: f64,
}

impl MeanDifference {
    /// From the parts that the methods differ in. A standard error that is no more than the
    /// rounding of the means is none: dividing by it would prove anything.
    pub(crate) fn new(
        mean_a: f64,
        mean_b: f64,
        difference: f64,
        squared_error: f64,
        df: f64,
        confidence: f64,
    ) -> Result<Self, Error> {
        let standard_error = squared_error.sqrt();
        if standard_error <= 4.0 * f64::EPSILON * mean_a.abs().max(mean_b.abs()) {
            return Err(Error::NoVariation);
        }
        let t = difference / standard_error;
        let half_width = t_upper_quantile(0.5 * (1.0 - confidence), df) * standard_error;
        Ok(Self {
            mean_a,
            mean_b,
            difference,
            standard_error,
            t,
            df,
            p: t_two_sided(t, df),
            low: difference - half_width,
            high: difference + half_width,
            confidence,
        })
    }
}

/// Student's t test: both sides are taken to have the same variance, estimated from both.
///
/// At least one run per side and three in all (Student, *Biometrika* 6, 1908).
pub fn student(a: &[f64], b: &[f64], confidence: f64) -> Result<MeanDifference, Error> {
    check::probability("confidence", confidence)?;
    check::sample("baseline", a, 1)?;
    check::sample("candidate", b, if a.len() > 1 { 1 } else { 2 })?;
    let (n, m) = (a.len() as f64, b.len() as f64);
    let df = n + m - 2.0;
    let pooled = (squared_deviations(a) + squared_deviations(b)) / df;
    let (mean_a, mean_b) = (raw_mean(a), raw_mean(b));
    let squared_error = pooled * (1.0 / n + 1.0 / m);
    MeanDifference::new(
        mean_a,
        mean_b,
        mean_b - mean_a,
        squared_error,
        df,
        confidence,
    )
}

/// One side's share of a squared standard error.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ErrorPart {
    pub squared: f64,
    pub df: f64,
}

impl ErrorPart {
    /// That of the mean of at least two values.
    pub(crate) fn of_mean(values: &[f64]) -> Self {
        let n = values.len() as f64;
        Self {
            squared: raw_variance(values) / n,
            df: n - 1.0,
        }
    }
}

/// Degrees of freedom of a sum of two independent parts (Satterthwaite, *Biometrics Bulletin* 2,
/// 1946), written with shares so that tiny or huge parts neither vanish nor overflow.
pub(crate) fn satterthwaite(a: ErrorPart, b: ErrorPart) -> f64 {
    let share = a.squared / (a.squared + b.squared);
    1.0 / (share * share / a.df + (1.0 - share) * (1.0 - share) / b.df)
}
