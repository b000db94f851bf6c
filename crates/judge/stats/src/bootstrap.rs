//! An interval for any statistic, by drawing from the sample itself.
//!
//! A *resample* has as many values as the sample, drawn from it with replacement. Up to nine
//! values all resamples are enumerated; beyond that, random ones are drawn.
//!
//! - percentile: the quantiles alpha/2 and 1 - alpha/2 of the statistic over the resamples;
//! - BCa (bias-corrected and accelerated): the quantiles at
//!   `Phi(z0 + (z0 + z) / (1 - a (z0 + z)))`, with `z0` the normal quantile of the share of
//!   resamples below the estimate (equal ones count half), and `a = sum d^3 / (6 (sum d^2)^1.5)`
//!   with `d` the mean of the leave-one-out estimates less each of them.
//!
//! For reports, not for verdicts: both miss the truth more often than promised where runs are few,
//! and the acceleration of a median is meaningless, since the leave-one-out estimates of a median
//! do not show its variance. [`crate::location`] and [`crate::quantile`] give intervals that hold
//! what they promise.
//!
//! Source: Efron, *Journal of the American Statistical Association* 82 (1987).

mod resamples;

use crate::distribution::{normal_cdf, normal_upper_quantile};
use crate::summary::raw_mean;
use crate::{Error, Resampling, check};
use resamples::{Distribution, distribution};

/// Up to this many values, all resamples are enumerated. Nine values have 9^9 of them, but in only
/// 24 310 ways apart from their order.
pub const EXACT_VALUES: usize = 9;

/// Intervals by the bootstrap, in the unit of the statistic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bootstrap {
    /// The statistic of the sample.
    pub estimate: f64,
    /// Percentile interval, lower and upper end.
    pub percentile: (f64, f64),
    /// Bias-corrected and accelerated interval. None where it does not exist: all resamples lie on
    /// one side of the estimate, or the acceleration is so large that the levels turn round.
    pub bca: Option<Bca>,
    /// Resamples that the intervals stand for.
    pub resamples: u64,
    /// Whether these are all there are.
    pub exact: bool,
    /// Confidence of the intervals, between 0 and 1.
    pub confidence: f64,
}

/// The bias-corrected and accelerated interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bca {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Correction of the bias, `z0`, in standard deviations.
    pub bias: f64,
    /// Acceleration, `a`: how fast the spread changes with the value.
    pub acceleration: f64,
    /// The quantiles of the resamples that the ends are.
    pub levels: (f64, f64),
}

/// Percentile and BCa intervals of `statistic`; at least two values.
///
/// The statistic is given values in ascending order.
///
/// ```
/// use perflab_stats::{Resampling, bootstrap::bootstrap, summary::mean};
///
/// let unused = Resampling { draws: 1, seed: 0 };
/// let found = bootstrap(&[10.0, 11.0, 12.0, 14.0, 15.0, 21.0], mean, 0.95, unused)?;
/// assert!(found.exact && found.resamples == 46_656);
/// # Ok::<(), perflab_stats::Error>(())
/// ```
///
/// # Errors
/// Those of the statistic, on the sample, on resamples and on the sample without one value; a
/// confidence or a number of draws out of range; [`Error::NoVariation`] if every resample gives
/// the same.
pub fn bootstrap(
    values: &[f64],
    statistic: impl Fn(&[f64]) -> Result<f64, Error>,
    confidence: f64,
    resampling: Resampling,
) -> Result<Bootstrap, Error> {
    check::probability("confidence", confidence)?;
    check::sample("sample", values, 2)?;
    let sorted = crate::summary::sorted(values);
    let statistic = |values: &[f64]| {
        let found = statistic(values)?;
        check::sample("statistic", &[found], 1).map(|()| found)
    };
    let estimate = statistic(&sorted)?;
    let (distribution, exact) = distribution(&sorted, &statistic, resampling)?;
    if distribution.high() - distribution.low() <= distribution.rounding() {
        return Err(Error::NoVariation);
    }
    let level = 0.5 * (1.0 - confidence);
    Ok(Bootstrap {
        estimate,
        percentile: (
            distribution.quantile(level),
            distribution.quantile(1.0 - level),
        ),
        bca: Bca::of(
            &distribution,
            distribution.share_below(estimate),
            acceleration(&sorted, &statistic, distribution.rounding())?,
            level,
        ),
        resamples: distribution.count(),
        exact,
        confidence,
    })
}

impl Bca {
    fn of(distribution: &Distribution, below: f64, acceleration: f64, level: f64) -> Option<Self> {
        if below <= 0.0 || below >= 1.0 {
            return None;
        }
        let bias = -normal_upper_quantile(below);
        let corrected = |z: f64| {
            let moved = bias + z;
            let stretch = 1.0 - acceleration * moved;
            (stretch > 0.0).then(|| normal_cdf(bias + moved / stretch))
        };
        let z = normal_upper_quantile(level);
        let levels = (corrected(-z)?, corrected(z)?);
        Some(Self {
            low: distribution.quantile(levels.0),
            high: distribution.quantile(levels.1),
            bias,
            acceleration,
            levels,
        })
    }
}

/// Skewness of the statistic's influence, from the estimates with one value left out.
fn acceleration(
    sorted: &[f64],
    statistic: &impl Fn(&[f64]) -> Result<f64, Error>,
    rounding: f64,
) -> Result<f64, Error> {
    let mut others = sorted[1..].to_vec();
    let mut estimates = vec![statistic(&others)?];
    for left_out in 1..sorted.len() {
        others[left_out - 1] = sorted[left_out - 1];
        estimates.push(statistic(&others)?);
    }
    let centre = raw_mean(&estimates);
    let away = || estimates.iter().map(|estimate| centre - estimate);
    if away().all(|d| d.abs() <= rounding) {
        return Ok(0.0);
    }
    let cubes: f64 = away().map(|d| d.powi(3)).sum();
    let squares: f64 = away().map(|d| d * d).sum();
    Ok(cubes / (6.0 * squares.powf(1.5)))
}
