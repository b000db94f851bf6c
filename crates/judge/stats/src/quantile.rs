//! Quantiles of a sample and intervals for them.

use crate::distribution::binomial;
use crate::summary::sorted;
use crate::{Error, check};

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

/// Which order statistics bound a quantile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuantileRanks {
    /// Rank of the lower bound, counted from 1; none if the sample sets no lower bound.
    pub low: Option<usize>,
    /// Rank of the upper bound; none if the sample sets no upper bound.
    pub high: Option<usize>,
    /// The confidence that is really reached, at least the one asked for.
    pub coverage: f64,
}

/// Ranks of the interval for the quantile `p` of any continuous distribution, from `n` values.
///
/// The number of values below the quantile is binomial. The lower rank is the largest `l` with
/// `P(Bin(n, p) <= l - 1) <= alpha / 2`, the upper one the smallest `u` with
/// `P(Bin(n, p) >= u) <= alpha / 2` (David and Nagaraja, *Order Statistics*, 2003, section 7.1).
///
/// The values must be independent: requests within one run are not. For a tail latency take each
/// run's quantile as one value and compare those.
pub fn quantile_ranks(n: usize, p: f64, confidence: f64) -> Result<QuantileRanks, Error> {
    check::probability("quantile", p)?;
    check::probability("confidence", confidence)?;
    let level = 0.5 * (1.0 - confidence);
    let pmf = binomial(n, p);
    // How many terms, from either end, add up to no more than the level, and to what.
    let tail = |terms: &mut dyn Iterator<Item = &f64>| {
        let (mut count, mut sum) = (0, 0.0);
        for term in terms {
            if sum + term > level {
                break;
            }
            sum += term;
            count += 1;
        }
        (count, sum)
    };
    let (below, missed_below) = tail(&mut pmf.iter());
    let (above, missed_above) = tail(&mut pmf.iter().rev());
    Ok(QuantileRanks {
        low: (below > 0).then_some(below),
        high: (above > 0).then(|| n + 1 - above),
        coverage: 1.0 - missed_below - missed_above,
    })
}

/// Interval for a quantile, in the unit of the values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuantileInterval {
    /// The sample quantile, see [`quantile`].
    pub estimate: f64,
    /// Lower end; none if there are too few values for one.
    pub low: Option<f64>,
    /// Upper end; none if there are too few values for one.
    pub high: Option<f64>,
    /// The confidence that is really reached, at least the one asked for.
    pub coverage: f64,
}

/// Estimate and order-statistic interval of the quantile `p`, `0 < p < 1`; see
/// [`quantile_ranks`].
pub fn quantile_interval(
    values: &[f64],
    p: f64,
    confidence: f64,
) -> Result<QuantileInterval, Error> {
    check::sample("sample", values, 1)?;
    let ranks = quantile_ranks(values.len(), p, confidence)?;
    let sorted = sorted(values);
    let value = |rank: usize| sorted[rank - 1];
    Ok(QuantileInterval {
        estimate: quantile_of_sorted(&sorted, p),
        low: ranks.low.map(value),
        high: ranks.high.map(value),
        coverage: ranks.coverage,
    })
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
