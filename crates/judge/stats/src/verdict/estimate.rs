//! An estimate of a difference, and its interval.

use super::comparison::Warning;
use crate::blocked_mean::BlockedMean;
use crate::location::Scale;
use crate::ratio_of_means::RatioInterval;

/// An estimate and its interval, as differences.
pub(super) struct Estimate {
    pub(super) difference: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Estimate {
    /// That of Welch's test, or of Fieller for ratios.
    pub(super) fn of(blocked: &BlockedMean, scale: Scale, warnings: &mut Vec<Warning>) -> Self {
        let unbounded = |difference| Self {
            difference,
            low: f64::NEG_INFINITY,
            high: f64::INFINITY,
        };
        match (scale, blocked.ratio) {
            (Scale::Ratio, Some(ratio)) => match ratio.interval {
                RatioInterval::Bounded { low, high } => Self {
                    difference: ratio.ratio - 1.0,
                    // Values that are all above zero have a mean above zero: nothing falls by more than all of it.
                    low: (low - 1.0).max(-1.0),
                    high: high - 1.0,
                },
                RatioInterval::Unbounded => {
                    warnings.push(Warning::RatioUnbounded);
                    unbounded(ratio.ratio - 1.0)
                }
            },
            (Scale::Ratio, None) => {
                warnings.push(Warning::RatioUnbounded);
                unbounded(blocked.difference.difference / blocked.difference.mean_a)
            }
            (Scale::Shift, _) => Self {
                difference: blocked.difference.difference,
                low: blocked.difference.low,
                high: blocked.difference.high,
            },
        }
    }

    /// Moves both ends outwards, on the line where a ratio is a shift.
    pub(super) fn widen(&mut self, scale: Scale, by: f64) {
        let none = scale.none();
        self.low = scale.moved(self.low + none, -by) - none;
        self.high = scale.moved(self.high + none, by) - none;
    }

    /// Lets the interval leave out no difference where a difference is proven, and only there.
    pub(super) fn agree(&mut self, is_proven: bool) {
        match (is_proven, self.difference > 0.0) {
            (true, true) => self.low = self.low.max(0.0),
            (true, false) => self.high = self.high.min(0.0),
            (false, _) => (self.low, self.high) = (self.low.min(0.0), self.high.max(0.0)),
        }
    }
}
