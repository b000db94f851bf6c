//! Quantiles of a sample and intervals for them.

use crate::check;
use crate::distribution::binomial;
use crate::error::Error;
use crate::summary::sorted;

/// Sample quantile of at least one value, `0 <= p <= 1`.
///
/// Linear interpolation between the order statistics around position `(n - 1) p + 1`: definition
/// 7 of Hyndman and Fan (*The American Statistician* 50, 1996), the default of R and NumPy.
pub fn quantile(values: &[f64], p: f64) -> Result<f64, Error> {
    check::sample("sample", values, 1)?;
    if p != 0.0 && p != 1.0 {
        check::probability("quantile", p)?;
    }
    Ok(quantile_of_sorted(&sorted(values), p))
}

pub(crate) fn quantile_of_sorted(sorted: &[f64], p: f64) -> f64 {
    let position = (sorted.len() - 1) as f64 * p;
    let index = position.floor() as usize;
    let low = sorted[index];
    match sorted.get(index + 1) {
        Some(high) => low + (position - position.floor()) * (high - low),
        None => low,
    }
}

/// Interval of the quantile `p` of what the values are drawn from, whatever its distribution: two of the values.
/// Nothing where they are too few for one of its ends, see [`min_values`].
///
/// The lower rank is the largest `l` with `P(Bin(n, p) <= l - 1) <= alpha / 2`, the upper one the smallest `u` with
/// `P(Bin(n, p) >= u) <= alpha / 2` (David and Nagaraja, *Order Statistics*, 2003, section 7.1).
pub fn interval(values: &[f64], p: f64, confidence: f64) -> Result<Option<(f64, f64)>, Error> {
    check::sample("sample", values, 1)?;
    check::probability("quantile", p)?;
    check::probability("confidence", confidence)?;
    let risk = 0.5 * (1.0 - confidence);
    let masses = binomial(values.len(), p);
    let below = rare(masses.iter(), risk);
    let above = rare(masses.iter().rev(), risk);
    if below == 0 || above == 0 {
        return Ok(None);
    }
    let sorted = sorted(values);
    let low = sorted.get(below - 1);
    let high = sorted.get(values.len() - above);
    Ok(low.copied().zip(high.copied()))
}

/// How many of the first probabilities are at most a risk together.
fn rare<'m>(masses: impl Iterator<Item = &'m f64>, risk: f64) -> usize {
    let sums = masses.scan(0.0, |sum, mass| {
        *sum += mass;
        Some(*sum)
    });
    sums.take_while(|sum| *sum <= risk).count()
}

/// Smallest number of values for which the interval of the quantile `p` has two finite ends.
pub fn min_values(p: f64, confidence: f64) -> Result<usize, Error> {
    check::probability("quantile", p)?;
    check::probability("confidence", confidence)?;
    // All values on one side of the quantile must be rarer than the level.
    let rarest = p.max(1.0 - p);
    let values = (0.5 * (1.0 - confidence)).ln() / rarest.ln();
    Ok((values - 1e-11).ceil() as usize)
}
