//! One hypothesis with one point of the grid: what it knows of the level, the step and the builds, and how likely it
//! makes the values.
//!
//! A value on the line is
//!
//! ```text
//! y = level + step, if its revision is bad + effect of the build + noise
//! ```
//!
//! The level takes a normal step between two blocks. The noise is a mixture of four normal distributions around 0. With
//! one of them, this is Kalman's filter. With four, each value gives the mixture's likelihood exactly, and what is known
//! afterwards, again a mixture, is taken as normal with the same mean and covariances (Harrison and Stevens, *Journal of
//! the Royal Statistical Society B* 38 (1976) 205).

use super::grid::{Point, SCALES};

/// Where the level and the step are among what is estimated; builds follow.
pub(super) const LEVEL: usize = 0;
pub(super) const STEP: usize = 1;
/// How many there are without builds.
pub(super) const WITHOUT_BUILDS: usize = 2;

/// Most that is estimated at once.
pub(super) const MOST: usize = WITHOUT_BUILDS + super::MOST_BUILDS;

/// What one hypothesis knows with one point of the grid: the logarithm of its weight, means, and the lower half of a
/// covariance matrix, row by row, in the memory of a [`super::cloud::Cloud`].
#[derive(Debug)]
pub(super) struct Filter<'a> {
    pub(super) ln_weight: &'a mut f64,
    pub(super) mean: &'a mut [f64],
    pub(super) covariance: &'a mut [f64],
}

pub(super) fn index(row: usize, column: usize) -> usize {
    let (row, column) = (row.max(column), row.min(column));
    row * (row + 1) / 2 + column
}

/// How many covariances so many quantities have.
pub(super) fn covariances(size: usize) -> usize {
    size * (size + 1) / 2
}

/// Of which build a value is, if those vary, and whether its revision is bad.
#[derive(Debug, Clone, Copy)]
pub(super) struct Of {
    pub(super) is_bad: bool,
    /// Place among the builds.
    pub(super) build: Option<usize>,
}

impl Filter<'_> {
    /// The next block: the level has wandered.
    pub(super) fn wander(&mut self, variance: f64) {
        self.covariance[index(LEVEL, LEVEL)] += variance;
    }

    /// The next session: the level is unknown again.
    pub(super) fn forget_level(&mut self, level_sd: f64) {
        for other in 1..self.mean.len() {
            self.covariance[index(LEVEL, other)] = 0.0;
        }
        self.covariance[index(LEVEL, LEVEL)] = level_sd * level_sd;
    }

    /// Learns from a value.
    pub(super) fn learn(&mut self, point: &Point, value: f64, of: Of) {
        let size = self.mean.len().min(MOST);
        // What the value is the sum of.
        let mut parts = [LEVEL; 3];
        let mut count = 1;
        if of.is_bad {
            parts[count] = STEP;
            count += 1;
        }
        if let Some(at) = of.build {
            parts[count] = WITHOUT_BUILDS + at;
            count += 1;
        }
        let parts = &parts[..count];
        let mut with_value = [0.0; MOST];
        for (at, covariance) in with_value.iter_mut().enumerate().take(size) {
            *covariance = parts
                .iter()
                .map(|&part| self.covariance[index(at, part)])
                .sum();
        }
        let expected: f64 = parts.iter().map(|&part| self.mean[part]).sum();
        let variance: f64 = parts.iter().map(|&part| with_value[part]).sum();
        let (ln_density, shift, shrink) = mixed(point, value - expected, variance);
        *self.ln_weight += ln_density;
        let mut at = 0;
        for row in 0..size {
            self.mean[row] += shift * with_value[row];
            for column in 0..=row {
                self.covariance[at] -= shrink * with_value[row] * with_value[column];
                at += 1;
            }
        }
    }
}

/// Variance of the middle between good and bad, from covariances.
pub(super) fn middle_variance(covariance: &[f64]) -> f64 {
    covariance[index(LEVEL, LEVEL)]
        + covariance[index(LEVEL, STEP)]
        + 0.25 * covariance[index(STEP, STEP)]
}

/// Of a value that is `off` from what is expected with `variance`: the logarithm of its density, and how far the mean
/// and the covariances move, as factors of the covariances with the value and of their products.
fn mixed(point: &Point, off: f64, variance: f64) -> (f64, f64, f64) {
    let square = off * off;
    let own = point.sd * point.sd;
    let inverse = SCALES.map(|scale| 1.0 / (variance + own * scale * scale));
    let mut weight = [0.0; SCALES.len()];
    let mut total = 0.0;
    for (part, inverse) in inverse.iter().enumerate() {
        weight[part] = point.tails[part] * inverse.sqrt() * (-0.5 * square * inverse).exp();
        total += weight[part];
    }
    let ln_total = if total > 1e-290 {
        total.ln()
    } else {
        // Beyond all parts only the widest counts.
        let last = SCALES.len() - 1;
        weight = [0.0; SCALES.len()];
        weight[last] = 1.0;
        total = 1.0;
        point.tails[last].ln() + 0.5 * inverse[last].ln() - 0.5 * square * inverse[last]
    };
    let (mut first, mut second) = (0.0, 0.0);
    for (weight, inverse) in weight.iter().zip(inverse) {
        first += weight / total * inverse;
        second += weight / total * inverse * inverse;
    }
    const HALF_LN_TAU: f64 = 0.918_938_533_204_672_8;
    let shrink = first - square * (second - first * first);
    (ln_total - HALF_LN_TAU, off * first, shrink)
}
