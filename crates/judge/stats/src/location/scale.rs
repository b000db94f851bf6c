//! Ratios or differences.

use crate::check;
use crate::error::Error;

/// On which scale runs are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Effects are ratios `b / a`; all values must be positive. The median of an even number of
    /// pairs is the geometric mean of the two in the middle, as for logarithms.
    Ratio,
    /// Effects are differences `b - a`, in the unit of the values.
    Shift,
}

impl Scale {
    /// The effect that means no difference: 1 for ratios, 0 for differences.
    pub fn none(self) -> f64 {
        match self {
            Self::Ratio => 1.0,
            Self::Shift => 0.0,
        }
    }

    /// What an interval reaches to where the runs set no bound.
    pub(crate) fn limits(self) -> (f64, f64) {
        match self {
            Self::Ratio => (0.0, f64::INFINITY),
            Self::Shift => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    pub(crate) fn effect(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Ratio => b / a,
            Self::Shift => b - a,
        }
    }

    pub(super) fn apply(self, a: f64, effect: f64) -> f64 {
        match self {
            Self::Ratio => a * effect,
            Self::Shift => a + effect,
        }
    }

    /// An effect, moved on the line where effects are shifts; the very same where it is moved by 0.
    pub(crate) fn moved(self, effect: f64, by: f64) -> f64 {
        match self {
            Self::Ratio => effect * by.exp(),
            Self::Shift => effect + by,
        }
    }

    pub(crate) fn midpoint(self, low: f64, high: f64) -> f64 {
        match self {
            Self::Ratio => low * (high / low).sqrt(),
            Self::Shift => low + 0.5 * (high - low),
        }
    }

    pub(super) fn check_effect(self, effect: f64) -> Result<(), Error> {
        let (above, below) = match self {
            Self::Ratio => (0.0, 1e75),
            Self::Shift => (-1e75, 1e75),
        };
        check::between("effect under the null hypothesis", effect, above, below)
    }

    /// A value on the line where effects are shifts.
    pub(crate) fn on_line(self, value: f64) -> f64 {
        match self {
            Self::Ratio => value.ln(),
            Self::Shift => value,
        }
    }

    /// The value that is there on the line.
    pub(crate) fn off_line(self, value: f64) -> f64 {
        match self {
            Self::Ratio => value.exp(),
            Self::Shift => value,
        }
    }
}
