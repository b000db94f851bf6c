//! How far two equal halves of work differ that take turns on a machine whose speed wanders.
//!
//! Both halves take `s` values of a series in each of `k` rounds, in random order within the round. The logarithm of the
//! ratio of their sums has mean 0, and its root mean square is found directly, by drawing orders. The Allan deviation
//! explains it: with the means `a_i` and `b_i` of the two turns of round `i`, and `e_i` = 1 or -1 for the order,
//!
//! ```text
//! ln ratio = sum of e_i (a_i - b_i) / k, about;   its variance = 2 sigma(s)^2 / k
//! ```
//!
//! as the signs are independent and `sigma(s)^2` is half the mean square of `a_i - b_i`. So turns of any length are
//! alike in white noise; in flicker noise the deviation falls with the root of their length, in a random walk with the
//! length itself. That is random order in blocks of two (see `docs/statistics/order.md`), within a run.

use crate::allan::Series;
use crate::error::Error;
use crate::resampling::Resampling;

/// Fewest windows, side by side, that a deviation is told from: with four it is known to about a third.
pub const FEWEST_WINDOWS: usize = 4;

impl Series {
    /// The standard deviation of the logarithm of the ratio of two halves that take turns of `together` values in so
    /// many rounds: of all windows of that size, each beginning in the middle of the one before, with
    /// `resampling.draws` orders each. `None` where the series has no [`FEWEST_WINDOWS`] windows side by side, or a half
    /// is not positive.
    ///
    /// # Errors
    /// A number of draws outside its range.
    pub fn in_turns(
        &self,
        together: usize,
        rounds: usize,
        resampling: Resampling,
    ) -> Result<Option<f64>, Error> {
        let mut random = resampling.random()?;
        let half = together * rounds;
        if half == 0 || self.values() / (2 * half) < FEWEST_WINDOWS {
            return Ok(None);
        }
        let (mut squares, mut count) = (0.0, 0);
        for start in (0..=self.values() - 2 * half).step_by(half) {
            let differences: Vec<f64> = (0..rounds)
                .map(|round| start + 2 * together * round)
                .map(|at| self.sum(at, together) - self.sum(at + together, together))
                .collect();
            // What both halves have together does not depend on the order.
            let each = half as f64 + 0.5 * self.sum(start, 2 * half);
            for _ in 0..resampling.draws {
                let difference: f64 = differences
                    .iter()
                    .map(|difference| [*difference, -difference][random.below(2)])
                    .sum();
                let ratio = ((each + 0.5 * difference) / (each - 0.5 * difference)).ln();
                squares += ratio * ratio;
                count += 1;
            }
        }
        Ok(Some((squares / f64::from(count)).sqrt()).filter(|deviation| deviation.is_finite()))
    }
}
