//! How levels and differences moved.

use perflab_stats::drift;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the levels of a row and their difference moved from the first block to the last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Drift {
    /// The baseline's level.
    pub base: Trend,
    /// The candidate's level.
    pub candidate: Trend,
    /// The candidate's difference to the baseline, in the blocks that have both.
    pub difference: Trend,
}

/// A level or a difference over the blocks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Trend {
    /// Numbers of the blocks; of more than 500, each stands for some neighbours.
    pub blocks: Vec<u32>,
    /// The median of each block: of a level in the metric's unit, of a difference as differences
    /// are.
    pub medians: Vec<f64>,
    /// Where the line through the medians begins.
    pub start: f64,
    /// Where it ends.
    pub end: f64,
    /// Change from start to end: relative to the start where differences are relative, else in the
    /// metric's unit.
    pub change: f64,
    /// Lower end of its interval at the report's confidence, for this series alone; absent where
    /// the blocks are too few.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Two-sided p-value of "no trend", for this series alone; absent where blocks were measured
    /// until decided.
    pub p: Option<f64>,
    /// The same, adjusted for all levels of the report, or for all differences; absent where
    /// nothing is proven.
    pub p_adjusted: Option<f64>,
}

impl Trend {
    pub(crate) fn of(found: &drift::Trend, is_estimate: bool) -> Self {
        let tested = |value: f64| Some(value).filter(|value| value.is_finite() && !is_estimate);
        Self {
            blocks: found.medians.keys().copied().collect(),
            medians: found.medians.values().copied().collect(),
            start: found.start,
            end: found.end,
            change: found.change,
            low: found.low.and_then(tested),
            high: found.high.and_then(tested),
            p: tested(found.p),
            p_adjusted: None,
        }
    }

    /// Whether it is proven to drift.
    pub fn is_proven(&self, confidence: f64) -> bool {
        self.p_adjusted.is_some_and(|p| p <= 1.0 - confidence)
    }
}
