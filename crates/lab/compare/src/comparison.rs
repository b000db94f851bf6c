//! What a comparison comes to: its rows with their answers, and what a reader should know of them.

use std::path::PathBuf;

use indexmap::IndexMap;
use perflab_store::StopReason;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::row::Row;
use crate::warning::Warning;

/// A comparison of variants with their baseline, over all cells and metrics that were selected.
///
/// It is read from the JSON that is written of it, but for the warnings, which are sentences there.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Comparison {
    /// Name of the experiment, or of what was compared.
    pub name: String,
    /// The question that the experiment asks.
    pub question: Option<String>,
    /// The variant that the others are compared with.
    pub baseline: String,
    /// A variant that is the baseline once more.
    pub control: Option<String>,
    /// Confidence level, as 0.95.
    pub confidence: f64,
    /// Largest relative difference that does not matter, as 0.01, declared before measuring.
    pub margin: Option<f64>,
    /// How the runs were made.
    pub design: Design,
    /// One row per group, benchmark, metric and candidate.
    pub rows: Vec<Row>,
    /// One row per metric and candidate over all benchmarks and groups.
    pub pooled: Vec<Row>,
    /// What looking on has cost: the observed runs of each variant against its others. A family of tests of its own
    /// for each variant.
    #[serde(default)]
    pub observation: Vec<Row>,
    /// Number of tests that the error is shared among; those about the control are apart.
    pub tests: usize,
    /// How often such reports are false where nothing differs; absent where it was not asked for.
    #[serde(default)]
    pub calibration: Option<Calibration>,
    /// The directory of the result, as a command line names it; absent where whoever reads may not have it there.
    #[serde(skip)]
    pub directory: Option<PathBuf>,
    /// What to know before believing any of it.
    #[serde(skip)]
    pub warnings: Vec<Warning>,
}

impl Comparison {
    /// Whether it leaves something out, as only one of two sides has runs of it.
    pub fn is_one_sided(&self) -> bool {
        let mut warnings = self.warnings.iter();
        warnings
            .any(|warning| matches!(warning, Warning::OneSided { .. } | Warning::Unpaired { .. }))
    }

    /// The rows of one metric alone, and all that is said of the whole: tests still share the error among all.
    #[must_use]
    pub fn of_metric(&self, name: &str) -> Self {
        let mut own = self.clone();
        for rows in [&mut own.rows, &mut own.pooled, &mut own.observation] {
            rows.retain(|row| row.key.metric.name == name);
        }
        own
    }

    /// The rows of single subjects, then what is pooled.
    pub fn all_rows(&self) -> impl Iterator<Item = &Row> + Clone {
        self.rows.iter().chain(&self.pooled)
    }

    pub(crate) fn all_rows_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        self.rows.iter_mut().chain(&mut self.pooled)
    }

    /// Whether a row is about the control.
    pub fn is_control(&self, row: &Row) -> bool {
        self.control.as_ref() == Some(&row.variant)
    }

    /// Whether this very row is one of those that are pooled.
    pub fn is_pooled(&self, row: &Row) -> bool {
        self.pooled.iter().any(|pooled| std::ptr::eq(pooled, row))
    }
}

/// How often reports found a difference after the labels of the runs had been shuffled within blocks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Calibration {
    /// Reports that were computed.
    pub reports: u32,
    /// Those with a verdict of a difference of any candidate.
    pub candidates: Share,
    /// Those with one of the control; absent without a control.
    pub control: Option<Share>,
}

/// A share of reports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Share {
    /// The share, from 0 to 1.
    pub share: f64,
    /// Lower end of Wilson's interval at the report's confidence.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// How the runs were made.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Design {
    /// Blocks of runs in random order, of which at least one run is recorded; 1 where the order is not known.
    pub blocks: u32,
    /// Runs in the plan.
    pub planned: usize,
    /// Runs recorded.
    pub recorded: usize,
    /// Runs by status, other than PASS.
    pub failed: IndexMap<String, usize>,
    /// Seed of the random order.
    pub seed: Option<u64>,
    /// Whether the order within blocks was random.
    pub randomised: bool,
    /// Present where blocks were measured until the tests were decided. Only verdicts that hold
    /// whenever one stops are made then: about the typical run.
    #[serde(default)]
    pub until_decided: Option<UntilDecided>,
    /// Of two results that were not measured together: variants whose change may be the machine's, so that nothing is
    /// claimed of them.
    #[serde(default)]
    pub undecided: Vec<String>,
    /// Length of the turns in seconds, where the runs of a block took the same CPUs in turns; the metric is then their
    /// CPU time.
    #[serde(default)]
    pub turn_s: Option<f64>,
    /// Present where the loads of a block's runs were executed in slices.
    #[serde(default)]
    pub slices: Option<Slices>,
}

/// Slices of the runs, those that were to be compared in turns or at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Slices {
    /// The fewest that a run has.
    pub least: u32,
    /// The most that a run has.
    pub most: u32,
    /// Whether the slices of a round were executed at the same time, else by turns.
    pub together: bool,
}

/// A measurement that its own results may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UntilDecided {
    /// Blocks that are finished, and count.
    pub blocks: u32,
    /// Blocks after which it ends in any case.
    pub most: u32,
    /// Why it ended; absent while it has not.
    pub stopped: Option<StopReason>,
}
