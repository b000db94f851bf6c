//! A steady rise or fall, by the order of the values alone.

use crate::distribution::normal_cdf;
use crate::rank::tie_groups;
use crate::summary::median_of_sorted;
use crate::{Error, check};

/// Most values whose slopes [`theil_sen`] writes out: 4000 have eight million.
pub const MOST_SLOPES: usize = 4000;

/// Outcome of Mann and Kendall's test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MannKendall {
    /// Kendall's tau-b of values and time, from -1 (always falling) to 1 (always rising).
    pub tau: f64,
    /// Standard deviations of the number of rising pairs less that of falling ones.
    pub z: f64,
    /// Two-sided p-value of random order, by the normal approximation without correction.
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
    let spread = |n: usize| pairs(n) * (2.0 * n as f64 + 5.0);
    let from_ties: f64 = groups.iter().map(|&t| spread(t)).sum();
    let z = s / ((spread(values.len()) - from_ties) / 18.0).sqrt();
    Ok(MannKendall {
        tau: s / (all * (all - tied)).sqrt(),
        z,
        p: 2.0 * normal_cdf(-z.abs()),
    })
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

/// Theil and Sen's slope: the median of the slopes of all pairs of values, in their unit per step
/// (Sen, *Journal of the American Statistical Association* 63, 1968). Up to 29 % of the values may
/// be arbitrarily wrong without carrying it away.
///
/// # Errors
/// Fewer than two values, more than [`MOST_SLOPES`], or an unusable one.
pub fn theil_sen(values: &[f64]) -> Result<f64, Error> {
    check::sample("sample", values, 2)?;
    if values.len() > MOST_SLOPES {
        return Err(Error::TooMany {
            what: "values for a slope",
            most: MOST_SLOPES,
            found: values.len(),
            instead: "take the medians of groups of neighbours",
        });
    }
    let mut slopes = Vec::with_capacity(values.len() * (values.len() - 1) / 2);
    for (i, x) in values.iter().enumerate() {
        let later = values[i + 1..].iter().zip(1..);
        slopes.extend(later.map(|(y, steps)| (y - x) / f64::from(steps)));
    }
    slopes.sort_unstable_by(f64::total_cmp);
    Ok(median_of_sorted(&slopes))
}
