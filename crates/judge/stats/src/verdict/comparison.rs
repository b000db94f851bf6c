//! The answers of a comparison, and what to say with them.

use crate::steps::Rounding;
use crate::summary::Summary;

/// The answer to one question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answer {
    /// Difference of the candidate to the baseline: relative (0.02 is 2 % more), or absolute where
    /// values that are not positive leave no ratio.
    pub difference: f64,
    /// Lower end of the interval at the terms' confidence; infinite where the runs are too few.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Two-sided p-value of "no difference", the robustness checks included.
    pub p: f64,
    /// p-value of "the difference is not within the margin", where there is a margin.
    pub p_same: Option<f64>,
}

/// Slow runs on both sides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlowRuns {
    /// Slow runs of the baseline.
    pub base: usize,
    /// Slow runs of the candidate.
    pub candidate: usize,
    /// Difference of the shares, candidate minus baseline.
    pub difference: f64,
    /// Lower end of Newcombe's interval at the terms' confidence.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Boschloo's p-value of equal shares.
    pub p: f64,
    /// The runs of the main mode alone; absent where the sides have not the same main mode, or no block has runs of
    /// it on both.
    pub main: Option<Main>,
}

/// The difference of the typical run among the runs of the main mode: an estimate, not tested.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Main {
    /// Difference of the candidate to the baseline, on the scale of the comparison.
    pub difference: f64,
    /// Lower end of the interval at the terms' confidence; infinite where the runs are too few.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The most that a number of runs can prove of the typical run, whatever their values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Least {
    /// The p-value where all runs of one side are beyond all of the other, in every block.
    pub p: f64,
    /// Blocks with runs of both sides.
    pub blocks: usize,
}

impl Least {
    /// How many blocks of this size can prove anything at a level, as 0.05; none where no number
    /// can.
    pub fn blocks_for(&self, level: f64) -> Option<usize> {
        let of_block = (0.5 * self.p).ln() / self.blocks as f64;
        let needed = ((0.5 * level).ln() / of_block - 1e-11).ceil();
        (needed.is_finite() && needed >= 0.0).then_some(needed as usize)
    }
}

/// What a reader must know beside the answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Warning {
    /// Too few runs for any proof about the typical run at this confidence; so many blocks of this
    /// size would do. About the mean there may be one.
    TooFew {
        /// Smallest number of blocks of the same size that can prove anything.
        blocks: usize,
    },
    /// At least one side has a slow mode.
    SlowMode,
    /// At least one side has a few runs that are far better than the others.
    FastMode,
    /// A robustness check stopped a verdict that the rank test would have given.
    NotConfirmed {
        /// Two-sided p-value of the rank test.
        first: f64,
    },
    /// The typical run would differ by its slow runs alone: the main mode does not.
    SlowRunsAlone {
        /// Two-sided p-value of the test of all runs.
        first: f64,
    },
    /// The baseline's mean is too uncertain for a ratio of means.
    RatioUnbounded,
    /// Values that are not positive: differences are absolute.
    Absolute,
    /// Nothing varies: the metric is a count that repeats exactly.
    Exact,
}

/// Everything about one pair of variants on one metric.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The baseline's runs.
    pub base: Summary,
    /// The candidate's runs.
    pub candidate: Summary,
    /// Whether differences are relative.
    pub relative: bool,
    /// The typical run.
    pub typical: Answer,
    /// The mean.
    pub mean: Answer,
    /// Slow runs, where either side has a slow mode.
    pub slow: Option<SlowRuns>,
    /// The most that this design could prove of the typical run.
    pub least: Least,
    /// What steps of the values do to it; the answers allow for it.
    pub rounding: Rounding,
    /// What to say beside it.
    pub warnings: Vec<Warning>,
}
