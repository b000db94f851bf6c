//! The values of a statistic over resamples.

use super::EXACT_VALUES;
use crate::{Error, Resampling};

/// Values of the statistic in ascending order, each with the number of resamples up to it.
pub(super) struct Distribution {
    values: Vec<f64>,
    cumulative: Vec<u64>,
}

impl Distribution {
    /// From at least one value, each with the number of resamples that give it.
    fn new(mut counted: Vec<(f64, u64)>) -> Self {
        counted.sort_unstable_by(|x, y| x.0.total_cmp(&y.0));
        let mut sum = 0;
        let (values, cumulative) = counted
            .into_iter()
            .map(|(value, count)| {
                sum += count;
                (value, sum)
            })
            .unzip();
        Self { values, cumulative }
    }

    pub(super) fn count(&self) -> u64 {
        self.cumulative[self.cumulative.len() - 1]
    }

    pub(super) fn low(&self) -> f64 {
        self.values[0]
    }

    pub(super) fn high(&self) -> f64 {
        self.values[self.values.len() - 1]
    }

    /// By how much equal values may differ when computed from different resamples.
    pub(super) fn rounding(&self) -> f64 {
        16.0 * f64::EPSILON * self.low().abs().max(self.high().abs())
    }

    /// Share of the resamples below `value`; equal ones count half.
    pub(super) fn share_below(&self, value: f64) -> f64 {
        let upto = |bound: f64| match self.values.partition_point(|&v| v < bound) {
            0 => 0,
            i => self.cumulative[i - 1],
        };
        let slack = self.rounding();
        0.5 * (upto(value - slack) + upto(value + slack)) as f64 / self.count() as f64
    }

    /// Quantile `p` as if every resample were written out, see [`crate::quantile::quantile`].
    pub(super) fn quantile(&self, p: f64) -> f64 {
        let last = self.count() - 1;
        let position = last as f64 * p;
        let index = (position.floor() as u64).min(last);
        let value = |index: u64| self.values[self.cumulative.partition_point(|&c| c <= index)];
        let low = value(index);
        let high = value((index + 1).min(last));
        low + (position - index as f64) * (high - low)
    }
}

/// The statistic over all resamples, if they are few, or over random ones; and which it was.
pub(super) fn distribution(
    sorted: &[f64],
    statistic: &impl Fn(&[f64]) -> Result<f64, Error>,
    resampling: Resampling,
) -> Result<(Distribution, bool), Error> {
    let mut random = resampling.random()?;
    let n = sorted.len();
    let mut counted = vec![];
    let exact = n <= EXACT_VALUES;
    if exact {
        let mut chosen = vec![0; n];
        loop {
            let resample: Vec<f64> = chosen.iter().map(|&i| sorted[i]).collect();
            counted.push((statistic(&resample)?, orders(&chosen)));
            if !next(&mut chosen) {
                break;
            }
        }
    } else {
        for _ in 0..resampling.draws {
            let mut chosen: Vec<usize> = (0..n).map(|_| random.below(n)).collect();
            chosen.sort_unstable();
            let resample: Vec<f64> = chosen.iter().map(|&i| sorted[i]).collect();
            counted.push((statistic(&resample)?, 1));
        }
    }
    Ok((Distribution::new(counted), exact))
}

/// In how many orders these values, given in ascending order, can be drawn.
fn orders(chosen: &[usize]) -> u64 {
    let factorial = |n: usize| (1..=n as u64).product::<u64>();
    let alike = chosen.chunk_by(|i, j| i == j);
    alike.fold(factorial(chosen.len()), |orders, same| {
        orders / factorial(same.len())
    })
}

/// The next ascending choice of as many values as there are; false after the last one.
fn next(chosen: &mut [usize]) -> bool {
    let last = chosen.len() - 1;
    match chosen.iter().rposition(|&i| i < last) {
        Some(place) => {
            let raised = chosen[place] + 1;
            chosen[place..].fill(raised);
            true
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_stand_for_all_resamples() {
        for (n, ways) in [(2, 3), (3, 10), (6, 462), (9, 24_310)] {
            let mut chosen = vec![0; n];
            let (mut count, mut all) = (1, orders(&chosen));
            while next(&mut chosen) {
                count += 1;
                all += orders(&chosen);
            }
            assert_eq!((count, all), (ways, (n as u64).pow(n as u32)));
        }
    }

    #[test]
    fn quantiles_are_those_of_the_values_written_out() {
        let found = Distribution::new(vec![(3.0, 2), (1.0, 3), (7.0, 1)]);
        let written_out = [1.0, 1.0, 1.0, 3.0, 3.0, 7.0];
        for p in [0.0, 0.1, 0.4, 0.5, 0.55, 0.81, 0.97, 1.0] {
            let expected = crate::quantile::quantile(&written_out, p).unwrap();
            assert!((found.quantile(p) - expected).abs() < 1e-12);
        }
        assert_eq!(found.share_below(3.0), (3.0 + 1.0) / 6.0);
        assert_eq!((found.share_below(0.0), found.share_below(8.0)), (0.0, 1.0));
    }
}
