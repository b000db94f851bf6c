//! What every comparison begins with: the runs of both sides, and the scale to compare them on.

use super::Warning;
use crate::Error;
use crate::location::Scale;
use crate::observation::{Observation, Strata};
use crate::summary::{mean, median};

/// Both sides block by block.
pub(crate) struct Sides {
    /// Each unit by its median.
    pub(crate) middle: Strata,
    /// Each unit by its mean.
    pub(crate) average: Strata,
    /// Ratios where all values are positive.
    pub(crate) scale: Scale,
    /// What a reader must know of it.
    pub(crate) warnings: Vec<Warning>,
}

impl Sides {
    pub(crate) fn of(base: &[Observation], candidate: &[Observation]) -> Result<Self, Error> {
        let middle = Strata::of(base, candidate, median)?;
        let average = Strata::of(base, candidate, mean)?;
        let positive = middle.all().chain(average.all()).all(|value| value > 0.0);
        let (scale, warnings) = if positive {
            (Scale::Ratio, Vec::new())
        } else {
            (Scale::Shift, vec![Warning::Absolute])
        };
        Ok(Self {
            middle,
            average,
            scale,
            warnings,
        })
    }

    /// Whether differences are relative.
    pub(crate) fn relative(&self) -> bool {
        self.scale == Scale::Ratio
    }
}
