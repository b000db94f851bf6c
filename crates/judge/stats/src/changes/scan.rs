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
use super::sample::{Sample, sum_of_squares};

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
            let squares = squares(within.len(), ranked.ties);
            let (place, statistic) = match sample.is_alone() {
                true => largest(own, squares)?,
                false => {
                    let of = own.to_vec();
                    let own = Scores { of, squares };
                    let freed = sample.freed(&own, |_| 0.0, within.clone(), &mut sums);
                    largest(&freed.of, freed.squares)?
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

/// Scores of the values of a stretch: `2 r - l - 1`, or what takes its place.
#[derive(Debug, Clone)]
pub(crate) struct Scores {
    pub(super) of: Vec<i64>,
    /// The sum of their squares, that counts.
    pub(super) squares: f64,
}

impl Scores {
    /// How much larger the sum of squares is that counts than the one that is.
    pub(super) fn caution(&self) -> f64 {
        let own = sum_of_squares(&self.of);
        if own > 0.0 { self.squares / own } else { 1.0 }
    }
}

/// `2 r - l - 1` of the values of one stretch.
pub(super) fn scores(values: &[f64]) -> Scores {
    let mut layout = Layout::default();
    if !values.is_empty() {
        let all = Range {
            start: 0,
            end: values.len(),
        };
        layout.rank(&Order::of(values), &[all], values.len());
    }
    let ties = layout.intervals.first().map_or(0.0, |ranked| ranked.ties);
    Scores {
        squares: squares(layout.scores.len(), ties),
        of: layout.scores,
    }
}

/// Scores of the values of one stretch by the pairs that differ by `least` or more: of each value, how many of the others it
/// is above, less how many it is below, times 2, as pairs that differ by exactly `least` count half.
pub(super) fn scores_apart(values: &[f64], least: f64) -> Scores {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let below = |limit: f64| {
        let less = sorted.partition_point(|value| *value < limit);
        (less + sorted.partition_point(|value| *value <= limit)) as i64
    };
    let all = 2 * values.len() as i64;
    let of = values
        .iter()
        .map(|value| below(value - least) + below(value + least) - all);
    let of: Vec<i64> = of.collect();
    let squares = sum_of_squares(&of).max(4.0 * squares(of.len(), f64::INFINITY));
    Scores { of, squares }
}

/// The place within a stretch where the statistic is largest, and the statistic; the first of
/// several. Nothing where all values are equal.
pub(super) fn largest(scores: &[i64], squares: f64) -> Option<(usize, f64)> {
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
    let squared = most / variance(scores.len(), squares);
    (place > 0 && squared > 0.0).then(|| (place, squared.sqrt()))
}

/// Square of a sum of scores over the first `k` of `l`, over `k (l - k)`.
pub(super) fn weighed(sum: i64, k: usize, l: usize) -> f64 {
    let sum = sum as f64;
    sum * sum / (k as f64 * (l - k) as f64)
}

/// The sum of the squares of `2 r - l - 1` that counts, by the sum of `t^3 - t` over groups of `t` equal values.
pub(super) fn squares(length: usize, ties: f64) -> f64 {
    let length = length as f64;
    let without = length * (length * length - 1.0);
    (without - ties).max(LEAST_VARIANCE * without) / 3.0
}

/// `4 v`: scores are twice the distances of ranks from their mean.
pub(super) fn variance(length: usize, squares: f64) -> f64 {
    let length = length as f64;
    squares / (length * (length - 1.0))
}
