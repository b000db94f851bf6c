//! Is a typical run different, where runs were executed in turns?
//!
//! A block then has one run of each side, and both met the same moments of the machine. The differences of these pairs
//! (of logarithms, on a scale of ratios) are ranked by size; the statistic `W` is the sum of the ranks of those above
//! the supposed effect. If the order of turns was random, each difference is above or below it like a coin, whatever
//! its size, so the test is exact. Differences that are the effect exactly are left out, ties have their mean rank, and
//! the distribution is that given both.
//!
//! The estimate is the median of all means of two differences, each with itself as well (Walsh averages); the interval
//! runs from the `(k + 1)`-th of them from below to that from above, `k` the largest `w` with
//! `P(W <= w) <= (1 - confidence) / 2` without ties.
//!
//! Against the sign test, which looks at the signs alone, it has 1.5 times the efficiency where differences are normal
//! (asymptotically 3/pi against 2/pi), and less where more than a tenth of the runs are far slower than the others.
//!
//! Sources: Wilcoxon, *Biometrics Bulletin* 1 (1945) 80; Tukey, in Walsh, *Annals of Mathematical Statistics* 20 (1949)
//! 64; Hollander and Wolfe, *Nonparametric Statistical Methods* (1999), sections 3.1 to 3.3.

use std::sync::OnceLock;

use crate::check;
use crate::distribution::{normal_cdf, normal_upper_quantile};
use crate::error::Error;
use crate::location::{Scale, Side};
use crate::modes::WIDE;
use crate::stratum::Stratum;
use crate::summary::{median_of_sorted, sorted};

/// Most pairs with an exact distribution, which takes `n^3` additions. There the normal one is off by 2 % of a p-value of
/// 0.006, and by less above; smaller ones it makes too large, by 6 % at 0.001.
const EXACT: usize = 200;

/// Most pairs of which all Walsh averages are looked at; of more, as many are taken, evenly.
const MOST: usize = 2000;

/// Relative slack when a tail probability is held against a level, see [`crate::location`].
const SLACK: f64 = 1.0 + 1e-11;

/// The differences of pairs.
#[derive(Debug)]
pub(crate) struct SignedRank {
    /// In ascending order.
    differences: Vec<f64>,
    /// `P(W <= w)` without ties.
    untied: OnceLock<Vec<f64>>,
}

impl SignedRank {
    /// Of the blocks that have both sides; nothing where one of them has several runs of a side.
    ///
    /// # Errors
    /// Unusable values ([`Error::NotFinite`], [`Error::NotPositive`]), or no block with runs of both sides
    /// ([`Error::NoPairs`]).
    pub(crate) fn of(strata: &[Stratum], scale: Scale) -> Result<Option<Self>, Error> {
        let mut differences = Vec::with_capacity(strata.len());
        for (index, stratum) in strata.iter().enumerate().filter(|(_, s)| s.has_pairs()) {
            for (side, values) in [("baseline", &stratum.a), ("candidate", &stratum.b)] {
                let what = format_args!("block {}, {side}", index + 1);
                match scale {
                    Scale::Ratio => check::positive(what, values, 0)?,
                    Scale::Shift => check::sample(what, values, 0)?,
                }
            }
            let ([a], [b]) = (&stratum.a[..], &stratum.b[..]) else {
                return Ok(None);
            };
            differences.push(match scale {
                // The quotient first: equal values have no difference then.
                Scale::Ratio => (b / a).ln(),
                Scale::Shift => b - a,
            });
        }
        if differences.is_empty() {
            return Err(Error::NoPairs {
                blocks: strata.len(),
            });
        }
        differences.sort_unstable_by(f64::total_cmp);
        Ok(Some(Self {
            differences,
            untied: OnceLock::new(),
        }))
    }

    /// The pairs of which no run, or both, are in a slow mode, where there are others: a gap on either side of most
    /// differences, as wide as one that sets modes apart ([`crate::modes`]), with at least two pairs beyond. Runs
    /// themselves do not show it, as the machine's speed differs from block to block.
    pub(crate) fn main(&self) -> Option<Self> {
        let all = &self.differences;
        let middle = median_of_sorted(all);
        let centre = all.partition_point(|difference| *difference < middle);
        // Slow runs of one side widen one half alone.
        let (lower, upper) = all.split_at(centre);
        let distances = |half: &[f64]| half.iter().map(|d| (d - middle).abs()).collect::<Vec<_>>();
        let [lower, upper] = [lower, upper].map(|half| sorted(&distances(half)));
        if lower.is_empty() || upper.is_empty() {
            return None;
        }
        let wide = WIDE * median_of_sorted(&lower).min(median_of_sorted(&upper));
        let is_wide = |pair: &[f64]| pair[1] - pair[0] > wide && wide > 0.0;
        let mut gaps = all.windows(2).enumerate().filter(|(_, pair)| is_wide(pair));
        let below = gaps.clone().rev().find(|(place, _)| *place < centre);
        let above = gaps.find(|(place, _)| *place >= centre);
        let from = below.map_or(0, |(place, _)| place + 1);
        let to = above.map_or(all.len(), |(place, _)| place + 1);
        (from + all.len() - to >= 2).then(|| Self {
            differences: all[from..to].to_vec(),
            untied: OnceLock::new(),
        })
    }

    /// p-value of the hypothesis that the effect, on the line, is this; with a side, that it is at most or at least this.
    pub(crate) fn p(&self, effect: f64, side: Side) -> f64 {
        let moved = self
            .differences
            .iter()
            .map(|difference| difference - effect);
        let mut sizes: Vec<(f64, bool)> = moved
            .filter(|difference| *difference != 0.0)
            .map(|difference| (difference.abs(), difference > 0.0))
            .collect();
        sizes.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        // Twice the ranks, which are whole numbers then.
        let (mut ranks, mut above, mut seen) = (Vec::with_capacity(sizes.len()), 0, 0);
        for group in sizes.chunk_by(|a, b| a.0 == b.0) {
            let doubled = 2 * seen + group.len() + 1;
            seen += group.len();
            above += doubled * group.iter().filter(|(_, is_above)| *is_above).count();
            ranks.extend(std::iter::repeat_n(doubled, group.len()));
        }
        let all: usize = ranks.iter().sum();
        let lower = |w: usize| tail(&ranks, w);
        match side {
            Side::Less => lower(above),
            Side::Greater => lower(all - above),
            Side::TwoSided => (2.0 * lower(above.min(all - above))).min(1.0),
        }
    }

    /// The typical difference on the line.
    pub(crate) fn estimate(&self) -> f64 {
        let walsh = self.walsh();
        let middle = walsh.len() / 2;
        match walsh.len() % 2 {
            0 => 0.5 * (walsh[middle - 1] + walsh[middle]),
            _ => walsh[middle],
        }
    }

    /// Its interval on the line; nothing where the pairs are too few.
    pub(crate) fn interval(&self, confidence: f64) -> Option<(f64, f64)> {
        let walsh = self.walsh();
        let n = self.differences.len();
        let level = 0.5 * (1.0 - confidence);
        let k = if n <= EXACT {
            let untied = self
                .untied
                .get_or_init(|| cumulative(&(1..=n).collect::<Vec<_>>()));
            untied
                .partition_point(|p| *p <= level * SLACK)
                .checked_sub(1)?
        } else {
            let (count, n) = (walsh.len() as f64, n as f64);
            let all = 0.5 * n * (n + 1.0);
            let sd = (n * (n + 1.0) * (2.0 * n + 1.0) / 24.0).sqrt();
            let k = 0.5 * all - 0.5 - normal_upper_quantile(level) * sd;
            // As a share of the averages, where not all were taken.
            (k >= 0.0).then_some((k / all * count) as usize)?
        };
        Some((*walsh.get(k)?, *walsh.get(walsh.len().checked_sub(k + 1)?)?))
    }

    /// The means of two differences, in ascending order.
    fn walsh(&self) -> Vec<f64> {
        let n = self.differences.len();
        let step = n.div_ceil(MOST);
        let taken: Vec<f64> = self.differences.iter().copied().step_by(step).collect();
        let mut means = Vec::with_capacity(taken.len() * (taken.len() + 1) / 2);
        for (place, first) in taken.iter().enumerate() {
            means.extend(taken[place..].iter().map(|second| 0.5 * (first + second)));
        }
        means.sort_unstable_by(f64::total_cmp);
        means
    }
}

/// `P(W <= w)` of twice the sum of those ranks whose coin shows heads.
fn tail(doubled: &[usize], w: usize) -> f64 {
    if doubled.len() > EXACT {
        return normal_tail(doubled, w);
    }
    let cumulative = cumulative(doubled);
    cumulative.get(w).copied().unwrap_or(1.0).min(1.0)
}

/// The same by the normal distribution, with correction for continuity: without ties such sums are two apart.
fn normal_tail(doubled: &[usize], w: usize) -> f64 {
    let mean = 0.5 * doubled.iter().sum::<usize>() as f64;
    let squares = doubled.iter().map(|rank| (*rank as f64).powi(2));
    let sd = (0.25 * squares.sum::<f64>()).sqrt();
    normal_cdf((w as f64 + 1.0 - mean) / sd)
}

/// The largest two-sided p-value that a number of pairs without ties can have at or below a level; 0 where none can.
pub(crate) fn attained(pairs: usize, level: f64) -> f64 {
    if pairs > EXACT {
        return level;
    }
    let tails = cumulative(&(1..=pairs).collect::<Vec<_>>());
    let count = tails.partition_point(|p| 2.0 * p <= level * SLACK);
    count.checked_sub(1).map_or(0.0, |last| 2.0 * tails[last])
}

/// `P(W <= w)` for all `w`, where each number counts if its coin shows heads.
fn cumulative(numbers: &[usize]) -> Vec<f64> {
    let mut probabilities = vec![0.0; numbers.iter().sum::<usize>() + 1];
    probabilities[0] = 1.0;
    let mut largest = 0;
    for number in numbers {
        largest += number;
        for w in (0..=largest).rev() {
            let with = w
                .checked_sub(*number)
                .map_or(0.0, |rest| probabilities[rest]);
            probabilities[w] = 0.5 * (probabilities[w] + with);
        }
    }
    let mut sum = 0.0;
    for probability in &mut probabilities {
        sum += *probability;
        *probability = sum;
    }
    probabilities
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(differences: &[f64]) -> SignedRank {
        let strata: Vec<Stratum> = differences
            .iter()
            .map(|difference| Stratum::new([100.0], [100.0 + difference]))
            .collect();
        SignedRank::of(&strata, Scale::Shift).unwrap().unwrap()
    }

    /// All signs that the differences could have had.
    fn enumerated(differences: &[f64], side: Side) -> f64 {
        let used: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
        let rank = |size: f64| {
            let below = used.iter().filter(|d| d.abs() < size).count() as f64;
            let equal = used.iter().filter(|d| d.abs() == size).count() as f64;
            below + 0.5 * (equal + 1.0)
        };
        let ranks: Vec<f64> = used.iter().map(|d| rank(d.abs())).collect();
        let sum = |is_above: &dyn Fn(usize) -> bool| -> f64 {
            let above = ranks
                .iter()
                .enumerate()
                .filter(|(place, _)| is_above(*place));
            above.map(|(_, rank)| rank).sum()
        };
        let found = sum(&|place| used[place] > 0.0);
        let all = 1_u32 << used.len();
        let holds = |signs: &u32| {
            let other = sum(&|place| signs >> place & 1 == 1);
            match side {
                Side::Less => other <= found,
                _ => other >= found,
            }
        };
        f64::from((0..all).filter(holds).count() as u32) / f64::from(all)
    }

    #[test]
    fn p_values_are_those_of_all_signs() {
        for differences in [
            &[1.0, -2.0, 3.0, 4.0, 5.0, 6.5, -0.5, 8.0][..],
            &[0.5, 0.5, -0.5, 0.5, 1.0, 1.0, 0.0, 0.0, -1.0, 2.0],
            &[-1.0, -1.0, -1.0, -1.0],
            &[0.0, 0.0],
        ] {
            let signed = of(differences);
            let (less, greater) = (signed.p(0.0, Side::Less), signed.p(0.0, Side::Greater));
            assert!((less - enumerated(differences, Side::Less)).abs() < 1e-12);
            assert!((greater - enumerated(differences, Side::Greater)).abs() < 1e-12);
            let two = (2.0 * less.min(greater)).min(1.0);
            assert!((signed.p(0.0, Side::TwoSided) - two).abs() < 1e-12);
        }
    }

    /// scipy.stats.wilcoxon(d, method="exact") and the sorted means of numpy.triu_indices, SciPy 1.17.1.
    #[test]
    fn a_sample_has_the_p_value_and_the_interval_of_scipy() {
        let d = [
            0.31, -0.12, 0.55, 0.18, 0.77, -0.05, 0.42, 0.09, 0.66, 0.23, -0.21, 0.37,
        ];
        let signed = of(&d);
        assert!((signed.p(0.0, Side::TwoSided) - 0.01611328125).abs() < 1e-9);
        assert!((signed.estimate() - 0.27).abs() < 1e-9);
        let (low, high) = signed.interval(0.95).unwrap();
        assert!((low - 0.055).abs() < 1e-9 && (high - 0.485).abs() < 1e-9);
    }

    #[test]
    fn the_interval_leaves_out_what_the_test_excludes() {
        let d: Vec<f64> = (0..23)
            .map(|i| 0.1 + (f64::from(i) * 2.399).sin())
            .collect();
        let signed = of(&d);
        let (low, high) = signed.interval(0.95).unwrap();
        for (end, outward) in [(low, -1e-9), (high, 1e-9)] {
            assert!(signed.p(end + outward, Side::TwoSided) <= 0.05);
            assert!(signed.p(end - outward, Side::TwoSided) > 0.05);
        }
        assert!(of(&d[..5]).interval(0.95).is_none());
        assert!(of(&d[..6]).interval(0.95).is_some());
    }

    #[test]
    fn many_pairs_go_by_the_normal_distribution_without_a_jump() {
        let ranks: Vec<usize> = (1..=EXACT).map(|rank| 2 * rank).collect();
        for (w, near) in [
            (15_000, 0.06),
            (16_000, 0.02),
            (18_000, 0.003),
            (20_000, 0.001),
        ] {
            let (exact, normal) = (tail(&ranks, w), normal_tail(&ranks, w));
            assert!((exact / normal - 1.0).abs() < near, "{w}: {exact} {normal}");
        }
        let d = |n: u32| -> Vec<f64> {
            (0..n)
                .map(|i| 0.05 + (f64::from(i) * 2.399).sin())
                .collect()
        };
        let (few, more) = (of(&d(200)), of(&d(201)));
        let (few, more) = (few.interval(0.95).unwrap(), more.interval(0.95).unwrap());
        assert!((few.0 - more.0).abs() < 0.02 && (few.1 - more.1).abs() < 0.02);
        let many = of(&d(5000)).interval(0.95).unwrap();
        assert!(many.0 > 0.0 && many.1 - many.0 < 0.1, "{many:?}");
    }

    #[test]
    fn pairs_with_one_slow_run_lie_beyond_a_gap() {
        let mut d: Vec<f64> = (0..28).map(|i| (f64::from(i) * 2.399).sin()).collect();
        assert!(of(&d).main().is_none());
        d.extend([40.0, 41.0, -39.0]);
        let main = of(&d).main().unwrap();
        assert_eq!(main.differences.len(), 28);
        assert!(
            main.differences
                .iter()
                .all(|difference| difference.abs() <= 1.0)
        );
        d.truncate(29);
        assert!(of(&d).main().is_none(), "one pair is no mode");
    }

    #[test]
    fn several_runs_of_a_side_are_no_pair() {
        let strata = [Stratum::new([1.0], [2.0]), Stratum::new([1.0, 1.5], [2.0])];
        assert!(SignedRank::of(&strata, Scale::Ratio).unwrap().is_none());
        let nothing = [Stratum::new([1.0], [])];
        assert!(SignedRank::of(&nothing, Scale::Ratio).is_err());
        assert!(SignedRank::of(&[Stratum::new([1.0], [-1.0])], Scale::Ratio).is_err());
    }
}
