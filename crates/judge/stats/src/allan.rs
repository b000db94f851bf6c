//! How a series wanders, by time scale: the Allan deviation.
//!
//! Of values `v_1 ... v_N` that follow each other without gaps, such as the times of equal pieces of work, with the mean
//! `v` and `y_i = v_i / v - 1`, the overlapping Allan deviation at the scale of `m` values is
//!
//! ```text
//! sigma(m)^2 = sum over j = 0 ... N - 2m of (Y_{j+2m} - 2 Y_{j+m} + Y_j)^2 / (2 m^2 (N - 2m + 1)),   Y_k = y_1 + ... + y_k
//! ```
//!
//! that is, half the mean square of the difference of two neighbouring means of `m` values (Allan, *Proceedings of the
//! IEEE* 54 (1966) 221; IEEE Std 1139-2008; overlapping: Howe, Allan and Barnes, *35th Annual Frequency Control
//! Symposium* (1981)). It exists for noise whose ordinary variance grows with the length of the series: white noise
//! gives `m^-1/2`, flicker noise a constant, a random walk `m^1/2`.

use crate::check;
use crate::error::Error;

/// Values that follow each other without gaps.
#[derive(Debug, Clone)]
pub struct Series {
    /// Sums of the first `k` values, each relative to the mean, less 1. As deviations they lose no digits.
    sums: Vec<f64>,
}

impl Series {
    /// Of two values or more, whose mean must be positive.
    ///
    /// # Errors
    /// Too few values, one that is not finite, or a mean that is not positive.
    pub fn new(values: &[f64]) -> Result<Self, Error> {
        check::sample("series", values, 2)?;
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        check::between("mean of the series", mean, 0.0, f64::INFINITY)?;
        let mut sum = 0.0;
        let sums = values.iter().map(|value| {
            sum += value / mean - 1.0;
            sum
        });
        Ok(Self {
            sums: std::iter::once(0.0).chain(sums).collect(),
        })
    }

    /// Number of values.
    pub(crate) fn values(&self) -> usize {
        self.sums.len() - 1
    }

    /// The sum of so many values from this place on, each relative to the mean, less 1.
    pub(crate) fn sum(&self, from: usize, count: usize) -> f64 {
        self.sums[from + count] - self.sums[from]
    }

    /// The overlapping Allan deviation at the scale of `together` values, relative to the mean. `None` where the series
    /// is shorter than twice that, or the scale is 0.
    pub fn deviation(&self, together: usize) -> Option<f64> {
        let places = (self.values() + 1).checked_sub(2 * together)?;
        if together == 0 || places == 0 {
            return None;
        }
        let squares: f64 = (0..places)
            .map(|at| self.sum(at + together, together) - self.sum(at, together))
            .map(|difference| difference * difference)
            .sum();
        Some((squares / (2 * places) as f64).sqrt() / together as f64)
    }
}
