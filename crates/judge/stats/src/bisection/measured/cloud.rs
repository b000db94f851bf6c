//! One hypothesis with all points of the grid that are left to it.

use super::filter::{Filter, LEVEL, STEP, WITHOUT_BUILDS, covariances, index};
use super::grid::Point;

/// Points are dropped whose weight is so far below that of the best one, as a logarithm.
const DROP: f64 = 9.0;
const LEAST_DROP: f64 = 4.0;
/// Two steps are one if their means differ by less than this many standard deviations,
const SAME_MEAN: f64 = 0.5;
/// and their variances by less than this factor.
const SAME_VARIANCE: f64 = 1.5;

/// Filters, side by side in memory.
#[derive(Debug, Clone, Default)]
pub(super) struct Cloud {
    /// The point of each filter.
    points: Vec<usize>,
    /// For each filter the logarithm of its weight, means and covariances.
    numbers: Vec<f64>,
    /// How many quantities are estimated.
    size: usize,
}

fn stride(size: usize) -> usize {
    1 + size + covariances(size)
}

impl Cloud {
    /// Before anything is known but a level, give or take `level_sd`. Without a change there is no step to know.
    pub(super) fn new(points: &[Point], level: f64, level_sd: f64, is_change: bool) -> Self {
        let size = WITHOUT_BUILDS;
        let mut cloud = Self {
            size,
            ..Self::default()
        };
        for (at, point) in points.iter().enumerate() {
            if !is_change && !point.is_first_step {
                continue;
            }
            let (step, step_sd, ln_prior) = if is_change {
                (point.step, point.step_sd, point.ln_prior)
            } else {
                (0.0, 0.0, point.ln_prior_without_step)
            };
            cloud.points.push(at);
            cloud.numbers.extend([ln_prior, level, step]);
            cloud
                .numbers
                .extend([level_sd * level_sd, 0.0, step_sd * step_sd]);
        }
        cloud
    }

    pub(super) fn clear(&mut self) {
        self.points.clear();
        self.numbers.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// All points and filters.
    pub(super) fn filters(&mut self) -> impl Iterator<Item = (usize, Filter<'_>)> {
        let size = self.size;
        let numbers = self.numbers.chunks_exact_mut(stride(size));
        self.points
            .iter()
            .copied()
            .zip(numbers)
            .map(move |(point, numbers)| {
                let (ln_weight, rest) = numbers.split_at_mut(1);
                let (mean, covariance) = rest.split_at_mut(size);
                let filter = Filter {
                    ln_weight: &mut ln_weight[0],
                    mean,
                    covariance,
                };
                (point, filter)
            })
    }

    /// Points, logarithms of weights, means and covariances.
    pub(super) fn known(&self) -> impl Iterator<Item = (usize, f64, &[f64], &[f64])> {
        let size = self.size;
        let numbers = self.numbers.chunks_exact(stride(size));
        self.points
            .iter()
            .copied()
            .zip(numbers)
            .map(move |(point, numbers)| {
                (point, numbers[0], &numbers[1..=size], &numbers[1 + size..])
            })
    }

    /// Logarithm of the largest weight.
    pub(super) fn largest(&self) -> f64 {
        self.known()
            .fold(f64::NEG_INFINITY, |most, (_, ln_weight, ..)| {
                most.max(ln_weight)
            })
    }

    /// Logarithm of the sum of the weights.
    pub(super) fn ln_total(&self) -> f64 {
        let most = self.largest();
        if self.is_empty() {
            return f64::NEG_INFINITY;
        }
        let sum: f64 = self
            .known()
            .map(|(_, ln_weight, ..)| (ln_weight - most).exp())
            .sum();
        most + sum.ln()
    }

    /// A build that was not seen before.
    pub(super) fn add_build(&mut self, points: &[Point]) {
        let mut numbers = Vec::with_capacity(self.points.len() * stride(self.size + 1));
        for (point, ln_weight, mean, covariance) in self.known() {
            let between = points[point].between_builds;
            numbers.push(ln_weight);
            numbers.extend(mean.iter().chain(&[0.0]));
            numbers.extend(covariance);
            numbers.extend(std::iter::repeat_n(0.0, self.size));
            numbers.push(between * between);
        }
        self.numbers = numbers;
        self.size += 1;
    }

    /// Forgets a build, at its place after the level and the step.
    pub(super) fn drop_build(&mut self, at: usize) {
        let gone = WITHOUT_BUILDS + at;
        let left = |size: usize| (0..size).filter(move |&at| at != gone);
        let mut numbers = Vec::with_capacity(self.points.len() * stride(self.size - 1));
        for (_, ln_weight, mean, covariance) in self.known() {
            numbers.push(ln_weight);
            numbers.extend(left(self.size).map(|at| mean[at]));
            for row in left(self.size) {
                numbers.extend(left(row + 1).map(|column| covariance[index(row, column)]));
            }
        }
        self.numbers = numbers;
        self.size -= 1;
    }

    /// Drops what is refuted, and makes one of neighbours that differ only in where the step began, once they agree on
    /// where it is.
    pub(super) fn tidy(&mut self, points: &[Point], drop: f64) {
        let least = self.largest() - drop.clamp(LEAST_DROP, DROP);
        let mut kept = Self {
            size: self.size,
            ..Self::default()
        };
        let stride = stride(self.size);
        for (&point, numbers) in self.points.iter().zip(self.numbers.chunks_exact(stride)) {
            if numbers[0] < least {
                continue;
            }
            let same_noise = kept
                .points
                .last()
                .is_some_and(|&last| points[last].noise == points[point].noise);
            let end = kept.numbers.len();
            if same_noise && agree(&kept.numbers[end - stride..], numbers, self.size) {
                merge(&mut kept.numbers[end - stride..], numbers, self.size);
            } else {
                kept.points.push(point);
                kept.numbers.extend(numbers);
            }
        }
        *self = kept;
    }
}

/// Whether two filters know the same of the step.
fn agree(one: &[f64], other: &[f64], size: usize) -> bool {
    let at = 1 + size + index(STEP, STEP);
    let (variance, other_variance) = (one[at], other[at]);
    let apart = one[1 + STEP] - other[1 + STEP];
    let ratio = variance / other_variance;
    apart * apart < SAME_MEAN * SAME_MEAN * variance.min(other_variance)
        && ratio < SAME_VARIANCE
        && ratio * SAME_VARIANCE > 1.0
}

/// Makes one of two: the mean and the covariances of their mixture.
fn merge(one: &mut [f64], other: &[f64], size: usize) {
    let most = one[0].max(other[0]);
    let weights = [one[0], other[0]].map(|ln_weight| (ln_weight - most).exp());
    let total = weights[0] + weights[1];
    let [own, more] = weights.map(|weight| weight / total);
    one[0] = most + total.ln();
    let mut at = 1 + size;
    for row in LEVEL..size {
        for column in LEVEL..=row {
            let apart = (one[1 + row] - other[1 + row]) * (one[1 + column] - other[1 + column]);
            one[at] = own * one[at] + more * other[at] + own * more * apart;
            at += 1;
        }
    }
    for at in 1..=size {
        one[at] = own * one[at] + more * other[at];
    }
}
