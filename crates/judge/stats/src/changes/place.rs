//! Where between its neighbours is a change, and between which places? Those that a permutation test does not reject.
//!
//! Ranks alone do not tell where a large step is that has few values on one side. Behind it the lower values of the higher
//! level have ranks below the mean rank, as if they were of the lower level, and the CUSUM of ranks goes on rising. So here a
//! pair of values counts only if it differs by half the step or more (`scores_apart`). The values of one level are then
//! equal, if the step is large; if it is small, the scores are about the ranks.
//!
//! If the change is in front of the value at `k`, the values before it are in random order, and so
//! are those behind it. So both parts are permuted at random, which leaves the CUSUM at `k` as it is,
//! and the largest CUSUM of the stretch is compared with those of the permutations: where few reach
//! it, the change is not at `k`. With exchangeable noise on both sides the test is
//! exact, whatever the noise and the step. With autocorrelated noise the distance between the
//! squares of both CUSUMs is divided by the square of the threshold's factor.
//!
//! The square of the CUSUM is the rank version of twice the logarithm of the likelihood ratio, see
//! Siegmund, *Annals of Statistics* 16 (1988), who sets confidence regions by it for normal values.

use std::ops::Range;

use crate::resampling::Random;
use crate::summary::selected_median;

use super::sample::Sample;
use super::scan::{Scores, largest, scores_apart, variance, weighed};
use super::segments::{Found, between};

/// Fewest and most values on each side that are looked at. With fewer than 1 / 4 % a place beside a step that is beyond
/// doubt would be kept, as chance puts a value first that often.
const WIDTH: (f64, f64) = (40.0, 1000.0);

/// The same in units of `(factor * deviation / step)^2`, the scale on which a place is uncertain.
const UNITS: f64 = 40.0;

/// Rounds after which a place counts as settled.
const ROUNDS: usize = 20;

/// Permutations after which a place is rejected if none of them reaches the largest CUSUM.
const PLAIN: usize = 99;

/// Part of the level at which places are rejected. A change that is hardly found is found best where
/// chance has moved it, and the tests do not know of that choice.
const CAUTION: f64 = 0.8;

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Search {
    /// Of the interval.
    pub(super) confidence: f64,
    pub(super) draws: usize,
    /// What the threshold was multiplied by.
    pub(super) factor: f64,
}

impl Search {
    /// So many permutations that reach the largest CUSUM, the one found included, keep a place.
    fn enough(self) -> usize {
        (CAUTION * (1.0 - self.confidence) * (self.draws + 1) as f64).floor() as usize + 1
    }

    /// A distance of squared CUSUMs that is rejected without a test. For normal values and small steps
    /// `-2 ln(1 - sqrt(confidence))` would be the limit, and twice as much in one of 400 at 95 %.
    fn far(self) -> f64 {
        6.0 - 2.0 * (1.0 - self.confidence.sqrt()).ln()
    }
}

/// First and last place of a stretch that are not rejected; `place` is one of them.
pub(super) fn interval(
    sample: &Sample,
    within: Range<usize>,
    place: usize,
    search: Search,
    random: &mut Random,
) -> (usize, usize) {
    outermost(sample, within, place, search, |tests, k| {
        tests.is_kept(k, search, random)
    })
}

/// First and last place that are not rejected without a test. No interval reaches beyond them, and they are found at once.
pub(super) fn bounds(
    sample: &Sample,
    within: Range<usize>,
    place: usize,
    search: Search,
) -> (usize, usize) {
    outermost(sample, within, place, search, |tests, k| {
        tests.is_near(k, search)
    })
}

/// Moves each change to where the CUSUM between its neighbours stays at its largest, but not out of its evidence.
pub(crate) fn settle(sample: &Sample, found: &mut [Found]) {
    for index in 0..found.len() {
        let cuts: Vec<usize> = found.iter().map(|found| found.place).collect();
        let (start, end) = between(&cuts, index, sample.len());
        let (within, found) = (start..end, &mut found[index]);
        for _ in 0..ROUNDS {
            let least = half_step(sample, &within, found.place);
            let scores = around(sample, &within, found.place, least);
            let top = largest(&scores.of, scores.squares).map(|(top, _)| start + top);
            match top.filter(|top| found.evidence.contains(top)) {
                Some(top) if top != found.place => found.place = top,
                _ => break,
            }
        }
    }
}

/// Half the difference of the medians before and behind a place.
fn half_step(sample: &Sample, within: &Range<usize>, place: usize) -> f64 {
    let level = |part: Range<usize>| selected_median(&mut sample.values[part].to_vec());
    0.5 * (level(within.start..place) - level(place..within.end)).abs()
}

/// Scores around a change, of pairs that differ by `least`.
fn around(sample: &Sample, within: &Range<usize>, place: usize, least: f64) -> Scores {
    let scores = scores_apart(&sample.values[within.clone()], least);
    sample.around(place, within.clone(), scores)
}

/// First and last place around `place` for which `is_kept` holds; `place` itself where it holds for none.
fn outermost(
    sample: &Sample,
    within: Range<usize>,
    place: usize,
    search: Search,
    mut is_kept: impl FnMut(&Tests, usize) -> bool,
) -> (usize, usize) {
    let least = half_step(sample, &within, place);
    let whole = around(sample, &within, place, least);
    let width = width(&whole.of, place - within.start, search.factor);
    let start = place.saturating_sub(width).max(within.start);
    let end = (place + width).min(within.end);
    let scores = scores_apart(&sample.values[start..end], least);
    // What groups share is known as far as the place is, so the test of each place is with what it would be there.
    let tests = |k: usize| Tests::of(sample.around(k, start..end, scores.clone()), place - start);
    let alone = sample.is_alone().then(|| tests(place));
    let mut is_kept = |k: &usize| match &alone {
        Some(tests) => is_kept(tests, *k - start),
        None => is_kept(&tests(*k), *k - start),
    };
    let low = (start + 1..place).find(&mut is_kept);
    let high = (place + 1..end).rev().find(is_kept);
    (low.unwrap_or(place), high.unwrap_or(place))
}

/// Values on each side that tell about the place.
fn width(scores: &[i64], place: usize, factor: f64) -> usize {
    let (before, behind) = scores.split_at(place.min(scores.len()));
    let moments = |part: &[i64]| {
        let n = part.len().max(1) as f64;
        let mean = part.iter().map(|score| *score as f64).sum::<f64>() / n;
        let squares = part.iter().map(|score| (*score as f64 - mean).powi(2));
        (mean, squares.sum::<f64>())
    };
    let (one, other) = (moments(before), moments(behind));
    let step = (one.0 - other.0).abs().max(f64::MIN_POSITIVE);
    let variance = (one.1 + other.1) / scores.len().max(1) as f64;
    let unit = factor * factor * variance / (step * step);
    (UNITS * unit).clamp(WIDTH.0, WIDTH.1).ceil() as usize
}

/// The stretch around a change.
struct Tests {
    scores: Vec<i64>,
    /// Sum of the scores in front of each place.
    sums: Vec<i64>,
    /// 1 if the ranks fall at the change, -1 if they rise.
    way: i64,
    /// Largest of the squared CUSUMs, times `variance`, as all in this file.
    largest: f64,
    variance: f64,
}

impl Tests {
    fn of(
        Scores {
            of: scores,
            squares,
        }: Scores,
        place: usize,
    ) -> Self {
        let mut sums = vec![0];
        for score in &scores {
            sums.push(sums[sums.len() - 1] + score);
        }
        let mut tests = Self {
            way: sums[place].signum(),
            variance: variance(scores.len(), squares),
            largest: 0.0,
            scores,
            sums,
        };
        let all = (1..tests.scores.len()).map(|k| tests.squared(tests.sums[k], k));
        tests.largest = all.fold(0.0, f64::max);
        tests
    }

    /// Square of a CUSUM in the direction of the change.
    fn squared(&self, sum: i64, k: usize) -> f64 {
        if sum * self.way > 0 {
            weighed(sum, k, self.scores.len())
        } else {
            0.0
        }
    }

    /// How far the squared CUSUM of a place is from the largest one.
    fn distance(&self, k: usize, search: Search) -> f64 {
        (self.largest - self.squared(self.sums[k], k)) / (search.factor * search.factor)
    }

    /// Whether it takes a test to reject a place.
    fn is_near(&self, k: usize, search: Search) -> bool {
        self.distance(k, search) <= search.far() * self.variance
    }

    fn is_kept(&self, k: usize, search: Search, random: &mut Random) -> bool {
        if !self.is_near(k, search) {
            return false;
        }
        let at = self.squared(self.sums[k], k);
        let distance = self.distance(k, search);
        // A little less, so that the same CUSUM counts as reached however it was rounded.
        let goal = (at + distance) * (1.0 - 1e-12);
        let enough = search.enough();
        let goals = self.goals(goal);
        let mut order = self.scores.clone();
        let mut reached = 1;
        for drawn in 0..search.draws {
            let is_plain = reached == 1 && drawn >= PLAIN;
            if is_plain || reached >= enough || reached + search.draws - drawn < enough {
                break;
            }
            let (before, behind) = order.split_at_mut(k);
            shuffle(before, random);
            shuffle(behind, random);
            if self.reaches(&order, &goals) {
                reached += 1;
            }
        }
        reached >= enough
    }

    /// The least sum in front of each place, in the direction of the change, whose squared CUSUM reaches a goal.
    /// One comparison for each value of each order takes the place of a division.
    fn goals(&self, goal: f64) -> Vec<i64> {
        let length = self.scores.len();
        let least = |k: usize| {
            if goal <= 0.0 {
                return i64::MIN;
            }
            let mut sum = (goal * k as f64 * (length - k) as f64).sqrt().floor() as i64;
            sum = sum.max(1);
            // The square root is rounded: it may be one off.
            while sum > 1 && weighed(sum - 1, k, length) >= goal {
                sum -= 1;
            }
            while weighed(sum, k, length) < goal {
                sum += 1;
            }
            sum
        };
        (1..length).map(least).collect()
    }

    fn reaches(&self, order: &[i64], goals: &[i64]) -> bool {
        let mut sum = 0;
        order.iter().zip(goals).any(|(score, goal)| {
            sum += score * self.way;
            sum >= *goal
        })
    }
}

fn shuffle(values: &mut [i64], random: &mut Random) {
    for end in (1..values.len()).rev() {
        values.swap(end, random.below(end + 1));
    }
}

#[cfg(test)]
mod tests;
