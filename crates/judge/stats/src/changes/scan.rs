//! The rank CUSUM: how far the ranks before a place lie from those behind it, at its largest.
//!
//! Within an interval of `l` values with ranks `r`, a change in front of the value at `k`, counted
//! from the interval's start, has the statistic
//!
//! `C_k = |sum of (r_i - (l + 1) / 2) over i < k| / sqrt(k (l - k) v)`,
//! `v = sum of (r_i - (l + 1) / 2)^2 / (l (l - 1))`,
//!
//! which is Wilcoxon's rank-sum statistic in standard deviations: without ties `v = (l + 1) / 12`
//! (Pettitt, *Applied Statistics* 28, 1979). Equal values share a rank, and `v` is smaller.
//!
//! `v` counts as at least 3/4 of what it is without ties, its value for two groups of half the
//! values each. Below that a few odd values among many equal ones would weigh more than any rank
//! can without ties: one of 150, at the end, would have the statistic 12.2.

use std::ops::Range;

use super::intervals::layers;
use super::sample::Sample;

/// Least part of the variance without ties that counts.
const LEAST_VARIANCE: f64 = 0.75;

/// The largest statistic of an interval.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Peak {
    pub(super) within: Range<usize>,
    /// The first value behind the place where the statistic is largest, from the series' start.
    pub(super) place: usize,
    pub(crate) statistic: f64,
}

/// Places of the values in ascending order, and for each whether the value is that of the place
/// before.
struct Order(Vec<(usize, bool)>);

impl Order {
    fn of(values: &[f64]) -> Self {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_unstable_by(|&i, &j| values[i].total_cmp(&values[j]).then(i.cmp(&j)));
        let mut before = None;
        let marked = order.into_iter().map(|place| {
            let tied = before == Some(values[place]);
            before = Some(values[place]);
            (place, tied)
        });
        Self(marked.collect())
    }
}

/// The peak of each seeded interval in which values differ.
pub(crate) fn peaks(sample: &Sample) -> Vec<Peak> {
    let order = Order::of(&sample.values);
    let mut layout = Layout::default();
    let mut sums = Vec::new();
    let mut peaks = Vec::new();
    for layer in layers(sample.len()) {
        layout.rank(&order, &layer, sample.len());
        let ranked = layer.iter().zip(&layout.intervals);
        peaks.extend(ranked.filter_map(|(within, ranked)| {
            let own = &layout.scores[ranked.offset..][..within.len()];
            let (place, statistic) = match sample.is_alone() {
                true => largest(own, ranked.ties)?,
                false => {
                    let freed = sample.freed(own, |_| 0.0, within.clone(), &mut sums);
                    let (own, ties) = scores(&freed);
                    largest(&own, ties)?
                }
            };
            Some(Peak {
                within: within.clone(),
                place: within.start + place,
                statistic,
            })
        }));
    }
    peaks
}

/// Ranks within all intervals of a layer.
#[derive(Default)]
struct Layout {
    intervals: Vec<Ranked>,
    /// `2 r - l - 1` of the values of each interval, one interval behind the other.
    scores: Vec<i64>,
    /// For each place of the series, the first interval that holds it.
    first: Vec<usize>,
}

/// What is known of an interval while its values are ranked.
#[derive(Clone, Default)]
struct Ranked {
    /// Where its scores begin.
    offset: usize,
    /// Values that were ranked.
    below: i64,
    /// Values that are equal to the one that is ranked.
    equal: i64,
    /// Sum of `t^3 - t` over groups of `t` equal values.
    ties: f64,
}

impl Layout {
    /// Goes through the values in ascending order and hands each its rank in all intervals around it.
    fn rank(&mut self, order: &Order, layer: &[Range<usize>], n: usize) {
        self.intervals.clear();
        let mut offset = 0;
        for interval in layer {
            self.intervals.push(Ranked {
                offset,
                ..Ranked::default()
            });
            offset += interval.len();
        }
        self.scores.clear();
        self.scores.resize(offset, 0);
        self.first.clear();
        let mut first = 0;
        for place in 0..n {
            while layer[first].end <= place {
                first += 1;
            }
            self.first.push(first);
        }
        for group in order.0.chunk_by(|_, next| next.1) {
            self.rank_group(group, layer);
        }
    }

    fn rank_group(&mut self, group: &[(usize, bool)], layer: &[Range<usize>]) {
        if let [(place, _)] = group {
            for index in around(*place, self.first[*place], layer) {
                let ranked = &mut self.intervals[index];
                ranked.below += 1;
                let interval = &layer[index];
                self.scores[ranked.offset + place - interval.start] =
                    2 * ranked.below - interval.len() as i64 - 1;
            }
            return;
        }
        for (place, _) in group {
            for index in around(*place, self.first[*place], layer) {
                self.intervals[index].equal += 1;
            }
        }
        for (place, _) in group {
            for index in around(*place, self.first[*place], layer) {
                let ranked = &self.intervals[index];
                let interval = &layer[index];
                self.scores[ranked.offset + place - interval.start] =
                    2 * ranked.below + ranked.equal - interval.len() as i64;
            }
        }
        for (place, _) in group {
            for index in around(*place, self.first[*place], layer) {
                let ranked = &mut self.intervals[index];
                let equal = ranked.equal as f64;
                ranked.ties += equal * equal * equal - equal;
                ranked.below += ranked.equal;
                ranked.equal = 0;
            }
        }
    }
}

/// The intervals of a layer that hold a place, from the first one on.
fn around(
    place: usize,
    first: usize,
    layer: &[Range<usize>],
) -> impl Iterator<Item = usize> + use<'_> {
    (first..layer.len()).take_while(move |index| layer[*index].start <= place)
}

/// `2 r - l - 1` of the values of one stretch, and its sum of `t^3 - t`.
pub(super) fn scores(values: &[f64]) -> (Vec<i64>, f64) {
    let mut layout = Layout::default();
    if !values.is_empty() {
        let all = Range {
            start: 0,
            end: values.len(),
        };
        layout.rank(&Order::of(values), &[all], values.len());
    }
    let ties = layout.intervals.first().map_or(0.0, |ranked| ranked.ties);
    (layout.scores, ties)
}

/// The place within a stretch where the statistic is largest, and the statistic; the first of
/// several. Nothing where all values are equal.
pub(super) fn largest(scores: &[i64], ties: f64) -> Option<(usize, f64)> {
    let length = scores.len() as f64;
    let (mut sum, mut most, mut place) = (0, 0.0, 0);
    for (index, score) in scores.iter().enumerate() {
        if index > 0 {
            let squared = weighed(sum, index, scores.len());
            if squared > most {
                (most, place) = (squared, index);
            }
        }
        sum += score;
    }
    let squared = most / variance(length, ties);
    (place > 0 && squared > 0.0).then(|| (place, squared.sqrt()))
}

/// Square of a sum of scores over the first `k` of `l`, over `k (l - k)`.
pub(super) fn weighed(sum: i64, k: usize, l: usize) -> f64 {
    let sum = sum as f64;
    sum * sum / (k as f64 * (l - k) as f64)
}

/// `4 v`: scores are twice the distances of ranks from their mean.
pub(super) fn variance(length: f64, ties: f64) -> f64 {
    let without = length * (length * length - 1.0);
    let squares = (without - ties).max(LEAST_VARIANCE * without);
    squares / (3.0 * length * (length - 1.0))
}
