//! What every comparison begins with: the runs of both sides, and the scale to compare them on.

use super::comparison::Warning;
use crate::error::Error;
use crate::location::Scale;
use crate::observation::{Observation, Strata};
use crate::pooled::{average_runs, typical_runs};
use crate::steps::{Grids, Rounding};
use crate::summary::{Summary, mean, median};

/// Both sides block by block, one value per run.
#[derive(Debug, Clone, PartialEq)]
pub struct Sides {
    /// Each unit by its median.
    pub(crate) middle: Strata,
    /// Each unit by its mean.
    pub(crate) average: Strata,
    /// Ratios where all values are positive.
    pub(crate) scale: Scale,
    /// What steps of the values do to the comparison.
    pub(crate) rounding: Rounding,
    /// What a reader must know of it.
    pub(crate) warnings: Vec<Warning>,
}

impl Sides {
    /// The runs of one subject.
    ///
    /// # Errors
    /// A value that is not finite.
    pub fn of(base: &[Observation], candidate: &[Observation]) -> Result<Self, Error> {
        let middle = Strata::of(base, candidate, median)?;
        let average = Strata::of(base, candidate, mean)?;
        Ok(Self::new(middle, average))
    }

    /// The runs of several subjects as one ([`crate::pooled`]); nothing where no block has complete
    /// runs of both sides. Each side holds its values subject by subject, the same in both; all
    /// should be positive.
    ///
    /// # Errors
    /// A value that is not finite.
    pub fn pooled(
        base: &[&[Observation]],
        candidate: &[&[Observation]],
    ) -> Result<Option<Self>, Error> {
        let Some(average) = average_runs(base, candidate)? else {
            return Ok(None);
        };
        let middle = Strata::of(&typical_runs(base)?, &typical_runs(candidate)?, median)?;
        Ok(Some(Self::new(middle, average)))
    }

    /// The same runs, if instruments show their values on grids. The runs are those that the sides were made of.
    #[must_use]
    pub fn on_grids(
        mut self,
        base: &[Observation],
        candidate: &[Observation],
        grids: Grids,
    ) -> Self {
        if grids != [None, None] {
            let middles = [self.middle.base(), self.middle.candidate()];
            let middles = middles.each_ref().map(Vec::as_slice);
            self.rounding = Rounding::of(grids, self.scale, [base, candidate], middles);
        }
        self
    }

    /// Several subjects as one, if steps do this to each of them.
    #[must_use]
    pub fn rounded(mut self, rounding: &[Rounding]) -> Self {
        self.rounding = Rounding::pooled(rounding);
        self
    }

    /// What steps of the values do to the comparison.
    pub fn rounding(&self) -> Rounding {
        self.rounding
    }

    fn new(middle: Strata, average: Strata) -> Self {
        let positive = middle.all().chain(average.all()).all(|value| value > 0.0);
        let (scale, warnings) = if positive {
            (Scale::Ratio, Vec::new())
        } else {
            (Scale::Shift, vec![Warning::Absolute])
        };
        Self {
            middle,
            average,
            scale,
            rounding: Rounding::default(),
            warnings,
        }
    }

    /// Both sides: the median is that of the runs' medians, as the typical run goes by these; all else is of their means.
    pub(crate) fn summaries(&self) -> Result<[Summary; 2], Error> {
        let of = |middle: &[f64], average: &[f64]| {
            Ok(Summary {
                median: median(middle)?,
                ..Summary::of(average)?
            })
        };
        let (middle, average) = (&self.middle, &self.average);
        Ok([
            of(&middle.base(), &average.base())?,
            of(&middle.candidate(), &average.candidate())?,
        ])
    }

    /// Whether differences are relative.
    pub(crate) fn relative(&self) -> bool {
        self.scale == Scale::Ratio
    }
}
