//! Is there a steady rise or fall, and how large? By the order of the values alone.
//!
//! Mann and Kendall's test counts the pairs of values that rise with time less those that fall;
//! Theil and Sen's slope is the median over all pairs of the change per step, and its interval holds
//! the slopes that the test would not refuse. Neither minds outliers or the shape of the noise.
//!
//! Both take the values to be independent apart from the trend. Autocorrelated values look
//! like a trend more often than promised: see [`crate::dependence`].

mod null;

use std::collections::BTreeMap;
use std::ops::Bound;

use null::Null;

use crate::check;
use crate::distribution::{normal_cdf, normal_upper_quantile};
use crate::error::Error;
use crate::rank::tie_groups;
use crate::summary::selected_median;

/// Most values whose slopes [`theil_sen`] writes out: 4000 have eight million.
pub const MOST_SLOPES: usize = 4000;

/// Outcome of Mann and Kendall's test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MannKendall {
    /// Kendall's tau-b of values and time, from -1 (always falling) to 1 (always rising).
    pub tau: f64,
    /// Standard deviations of the number of rising pairs less that of falling ones.
    pub z: f64,
    /// Two-sided p-value of random order: exact for up to 50 different values, else by the normal
    /// approximation with corrections for ties and continuity.
    pub p: f64,
}

/// Mann and Kendall's test of a trend (Mann, *Econometrica* 13, 1945; Kendall, *Rank Correlation
/// Methods*, 1948).
///
/// `S` is the number of pairs in which the later value is larger less that in which it is smaller.
/// Its variance in random order is `(n (n-1) (2n+5) - sum t (t-1) (2t+5)) / 18`, with `t` the sizes
/// of the groups of equal values.
///
/// # Errors
/// Fewer than three values, or an unusable one; [`Error::NoVariation`] if all are equal.
pub fn mann_kendall(values: &[f64]) -> Result<MannKendall, Error> {
    check::sample("sample", values, 3)?;
    let groups = tie_groups(values)?;
    if groups.len() < 2 {
        return Err(Error::NoVariation);
    }
    let pairs = |n: usize| n as f64 * (n as f64 - 1.0);
    let all = 0.5 * pairs(values.len());
    let tied = 0.5 * groups.iter().map(|&t| pairs(t)).sum::<f64>();
    let falling = count_falling(&mut values.to_vec(), &mut values.to_vec()) as f64;
    let s = all - tied - 2.0 * falling;
    let deviation = deviation(&groups);
    let p = match exact(&groups) {
        Some(null) => null.two_sided(s),
        None => (2.0 * normal_cdf((1.0 - s.abs()) / deviation)).min(1.0),
    };
    Ok(MannKendall {
        tau: s / (all * (all - tied)).sqrt(),
        z: s / deviation,
        p,
    })
}

/// The exact distribution of S, where there are no ties and few values.
fn exact(groups: &[usize]) -> Option<Null> {
    let different = groups.iter().all(|size| *size == 1);
    different.then(|| Null::of(groups.len())).flatten()
}

/// Standard deviation of S in random order, given the sizes of the groups of equal values.
fn deviation(groups: &[usize]) -> f64 {
    let variance = |n: usize| n as f64 * (n as f64 - 1.0) * (2.0 * n as f64 + 5.0);
    let from_ties: f64 = groups.iter().map(|&t| variance(t)).sum();
    ((variance(groups.iter().sum()) - from_ties) / 18.0).sqrt()
}

/// Number of pairs whose later value is smaller, counted while merging. Leaves `values` sorted;
/// `buffer` is as long.
fn count_falling(values: &mut [f64], buffer: &mut [f64]) -> u64 {
    if values.len() < 2 {
        return 0;
    }
    let half = values.len() / 2;
    let (first, last) = values.split_at_mut(half);
    let (first_buffer, last_buffer) = buffer.split_at_mut(half);
    let mut falling = count_falling(first, first_buffer) + count_falling(last, last_buffer);
    let (mut i, mut j) = (0, 0);
    for place in buffer.iter_mut() {
        if j == last.len() || (i < first.len() && first[i] <= last[j]) {
            *place = first[i];
            i += 1;
        } else {
            *place = last[j];
            j += 1;
            falling += (first.len() - i) as u64;
        }
    }
    values.copy_from_slice(buffer);
    falling
}

/// A line through values in their order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TheilSen {
    /// Change per step, in the unit of the values.
    pub slope: f64,
    /// Lower end of its interval; absent where the values are too few to set one.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// The line's value at place 0: half of the values lie above the line.
    pub intercept: f64,
}

/// Theil and Sen's slope: the median of the slopes of all pairs of values (Sen, *Journal of the
/// American Statistical Association* 63, 1968). Up to 29 % of the values may be arbitrarily wrong
/// without carrying it away. `series`: the values by their place in time.
///
/// The interval leaves out the `(N - C) / 2` lowest and highest of the `N` slopes, `C` the smallest
/// S that Mann and Kendall's test refuses. Without ties it leaves out 0 exactly if
/// `p <= 1 - confidence`; with ties it may reach to 0 though `p` is smaller.
///
/// # Errors
/// Fewer than two values, more than [`MOST_SLOPES`], or an unusable one; a confidence outside of 0
/// to 1.
pub fn theil_sen(series: &BTreeMap<u32, f64>, confidence: f64) -> Result<TheilSen, Error> {
    let values: Vec<f64> = series.values().copied().collect();
    check::sample("sample", &values, 2)?;
    check::between("confidence", confidence, 0.0, 1.0)?;
    if values.len() > MOST_SLOPES {
        return Err(Error::TooMany {
            what: "values for a slope",
            most: MOST_SLOPES,
            found: values.len(),
            instead: "take the medians of groups of neighbours",
        });
    }
    let mut slopes = Vec::with_capacity(values.len() * (values.len() - 1) / 2);
    for (x, y) in series {
        let later = series.range((Bound::Excluded(x), Bound::Unbounded));
        slopes.extend(later.map(|(later, above)| (above - y) / f64::from(later - x)));
    }
    let slope = selected_median(&mut slopes);
    let mut rest: Vec<f64> = series
        .iter()
        .map(|(x, y)| y - slope * f64::from(*x))
        .collect();
    let left_out = left_out(&tie_groups(&values)?, slopes.len(), confidence);
    let last = slopes.len() - 1;
    let left_out = left_out.filter(|count| *count <= last);
    Ok(TheilSen {
        slope,
        low: left_out.map(|count| nth(&mut slopes, count)),
        high: left_out.map(|count| nth(&mut slopes, last - count)),
        intercept: selected_median(&mut rest),
    })
}

/// The value that so many others are not above. Slopes are many, and sorting all takes far longer.
fn nth(values: &mut [f64], rank: usize) -> f64 {
    *values.select_nth_unstable_by(rank, f64::total_cmp).1
}

/// How many slopes the interval leaves out at each end; nothing where it has no ends.
fn left_out(groups: &[usize], slopes: usize, confidence: f64) -> Option<usize> {
    if groups.len() < 2 {
        return None;
    }
    let tail = 0.5 * (1.0 - confidence);
    let critical = match exact(groups) {
        Some(null) => null.critical(tail)?,
        None => 1.0 + normal_upper_quantile(tail) * deviation(groups),
    };
    let count = (0.5 * (slopes as f64 - critical)).floor();
    (count >= 0.0).then_some(count as usize)
}
