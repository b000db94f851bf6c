//! Are they the same, within a margin?
//!
//! A difference that was not proven is no proof of sameness. Two one-sided tests (Schuirmann,
//! *Journal of Pharmacokinetics and Biopharmaceutics* 15, 1987) prove it: the effect is shown to
//! lie above the lower bound and below the upper one. The bounds are declared before measuring.

use crate::error::Error;
use crate::location::Scale;

/// Effects that count as the same: those strictly between two bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    low: f64,
    high: f64,
}

impl Bounds {
    /// Bounds of an effect on a scale; "no difference" must lie between them.
    pub fn new(scale: Scale, low: f64, high: f64) -> Result<Self, Error> {
        let none = scale.none();
        let above = if scale == Scale::Ratio {
            0.0
        } else {
            f64::NEG_INFINITY
        };
        if above < low && low < none && none < high && high < f64::INFINITY {
            Ok(Self { low, high })
        } else {
            Err(Error::Bounds { low, high, none })
        }
    }

    /// Lower bound.
    pub fn low(self) -> f64 {
        self.low
    }

    /// Upper bound.
    pub fn high(self) -> f64 {
        self.high
    }
}
