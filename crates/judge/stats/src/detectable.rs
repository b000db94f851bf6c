//! The minimum detectable effect, and how many runs show one of a given size.
//!
//! To be computed from the standard deviation, before looking at the difference: the power "observed" at the
//! difference found says nothing that its p-value has not said.

use crate::check;
use crate::distribution::{normal_cdf, normal_upper_quantile, t_upper_quantile};
use crate::error::Error;

/// Most runs per side that [`runs_needed`] considers.
pub(crate) const MOST_RUNS: usize = 1_000_000;

/// The minimum detectable effect: the smallest difference that a design shows with probability `power` at the
/// confidence `tested`,
/// from the half-width of an interval at `confidence` that it gave:
/// `half_width (z(1 - alpha/2) + z(power)) / z(1 - beta/2) (1 + 1/n)`, with `alpha` and `beta` what is missing
/// from the two confidences to 1, and `n` the runs of the side that has fewer. The last factor is an allowance
/// for few runs, whose half-width is uncertain: without it a difference is found less often than `power` says.
///
/// For a ratio, give the half-width of the interval of its logarithm; the result is then a
/// logarithm too.
pub fn from_half_width(
    half_width: f64,
    confidence: f64,
    tested: f64,
    power: f64,
    fewer: usize,
) -> Result<f64, Error> {
    check::between("half-width", half_width, 0.0, f64::INFINITY)?;
    check::probability("confidence", confidence)?;
    check::probability("confidence", tested)?;
    check::between("power", power, 0.5, 1.0)?;
    let [z, of_test] = [confidence, tested].map(|c| normal_upper_quantile(0.5 * (1.0 - c)));
    let of_few = 1.0 + 1.0 / fewer.max(1) as f64;
    Ok(half_width * (of_test + normal_upper_quantile(1.0 - power)) / z * of_few)
}

/// Probability that the two-sided t test with `n_a` and `n_b` runs finds a true difference of
/// `difference` standard deviations of a run, in its right direction. At least one run per side
/// and three in all.
pub(crate) fn t_test_power(
    n_a: usize,
    n_b: usize,
    difference: f64,
    confidence: f64,
) -> Result<f64, Error> {
    check::probability("confidence", confidence)?;
    check::between("difference", difference, 0.0, f64::INFINITY)?;
    let test = TTest::new(n_a, n_b, confidence)?;
    Ok(test.power(difference))
}

/// Runs needed on each side for the two-sided t test to find a difference of `difference`
/// standard deviations of a run with probability `power`.
///
/// The standard deviation is that between runs; if it comes from a pilot of few runs, take the
/// upper end of its interval. Divide by 0.955 (`3 / pi`) for the Mann-Whitney test.
///
/// # Errors
/// [`Error::OutOfRange`] for a difference so small that it would take more than a million runs.
pub(crate) fn runs_needed(difference: f64, confidence: f64, power: f64) -> Result<usize, Error> {
    check::probability("confidence", confidence)?;
    check::between("power", power, 0.5, 1.0)?;
    let z = normal_upper_quantile(0.5 * (1.0 - confidence)) + normal_upper_quantile(1.0 - power);
    let smallest = smallest_difference(confidence, power);
    check::between("difference", difference, smallest, f64::INFINITY)?;
    let enough =
        |n: usize| TTest::new(n, n, confidence).map(|test| test.power(difference) >= power);
    // The normal approximation is a little below the answer and doubling it is above.
    let (mut low, mut high) = (1, (2.0 * (z / difference).powi(2)).ceil().max(2.0) as usize);
    while !enough(high)? {
        (low, high) = (high, 2 * high);
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if enough(middle)? {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(high)
}

/// Efficiency of the Mann-Whitney test for normal values, beside that of the t test: `3 / pi`.
const MANN_WHITNEY: f64 = 3.0 / std::f64::consts::PI;

/// Runs on each side with which the Mann-Whitney test finds a difference of `difference` standard deviations of a run
/// with probability `power`; at least `bounds.0` and at most `bounds.1`, also where the difference is unknown (NaN).
///
/// # Errors
/// [`Error::OutOfRange`] for a confidence or a power that is none.
pub fn runs_to_show(
    difference: f64,
    confidence: f64,
    power: f64,
    bounds: (usize, usize),
) -> Result<usize, Error> {
    check::probability("confidence", confidence)?;
    check::between("power", power, 0.5, 1.0)?;
    let (least, most) = bounds;
    let is_seen = difference > smallest_difference(confidence, power);
    // Differences beyond any noise need no more precision than this.
    let runs = match is_seen {
        true => runs_needed(difference.min(1e3), confidence, power)?,
        false => most,
    };
    let runs = (runs as f64 / MANN_WHITNEY).ceil() as usize;
    Ok(runs.min(most).max(least))
}

/// The difference, in standard deviations of a run, above which [`runs_needed`] has an answer.
pub(crate) fn smallest_difference(confidence: f64, power: f64) -> f64 {
    let z = normal_upper_quantile(0.5 * (1.0 - confidence)) + normal_upper_quantile(1.0 - power);
    z * (2.0 / MOST_RUNS as f64).sqrt()
}

/// A two-sided two-sample t test, as far as its power goes.
struct TTest {
    df: f64,
    critical: f64,
    /// Noncentrality per standard deviation of difference.
    precision: f64,
}

impl TTest {
    fn new(n_a: usize, n_b: usize, confidence: f64) -> Result<Self, Error> {
        for (what, n) in [("baseline", n_a), ("candidate", n_b)] {
            if n == 0 || n_a + n_b < 3 {
                return Err(Error::TooFew {
                    what: what.to_owned(),
                    needed: 2,
                    found: n,
                });
            }
        }
        let (n, m) = (n_a as f64, n_b as f64);
        let df = n + m - 2.0;
        Ok(Self {
            df,
            critical: t_upper_quantile(0.5 * (1.0 - confidence), df),
            precision: (1.0 / n + 1.0 / m).sqrt().recip(),
        })
    }

    /// `P(T > critical)` for a noncentral `T`.
    ///
    /// Given the estimated standard deviation `s` (true value 1) this is a normal probability; it
    /// is averaged over the distribution of `s`. On the scale of `ln s` the integrand is smooth
    /// and vanishes at both ends, where the trapezoidal rule converges exponentially.
    fn power(&self, difference: f64) -> f64 {
        let noncentrality = difference * self.precision;
        let ln_weight = |u: f64| self.df * (u - 0.5 * (2.0 * u).exp_m1());
        // Fine enough for the weight, and for the normal probability's rise from 0 to 1.
        let step = (0.1 / self.df.sqrt()).min(0.25 / (1.0 + noncentrality));
        let (mut sum, mut total) = (0.0, 0.0);
        for direction in [-1.0, 1.0] {
            let first = if direction < 0.0 { 1 } else { 0 };
            for i in first.. {
                let u = direction * step * f64::from(i);
                let weight = ln_weight(u).exp();
                if weight < 1e-18 {
                    break;
                }
                sum += weight * normal_cdf(noncentrality - self.critical * u.exp());
                total += weight;
            }
        }
        sum / total
    }
}
