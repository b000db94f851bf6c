//! What a comparison comes to: its rows with their answers, and what a reader should know of them.

use std::path::PathBuf;

use indexmap::IndexMap;
use perflab_experiment::Metric;
use perflab_stats::steps::{Grid, Rounding};
use perflab_store::StopReason;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::subject::SubjectKey;
use crate::trend::Drift;
use crate::verdict::Verdict;
use crate::warning::{RowWarning, Warning};

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
        let own = |rows: &[Row]| {
            let own = rows.iter().filter(|row| row.key.metric.name == name);
            own.cloned().collect()
        };
        Self {
            name: self.name.clone(),
            question: self.question.clone(),
            baseline: self.baseline.clone(),
            control: self.control.clone(),
            confidence: self.confidence,
            margin: self.margin,
            design: self.design.clone(),
            rows: own(&self.rows),
            pooled: own(&self.pooled),
            observation: own(&self.observation),
            tests: self.tests,
            calibration: self.calibration.clone(),
            directory: self.directory.clone(),
            warnings: self.warnings.clone(),
        }
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
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

/// One candidate against the baseline on one metric.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Row {
    /// What is compared.
    #[serde(flatten)]
    pub key: SubjectKey,
    /// The candidate.
    pub variant: String,
    /// The baseline's runs.
    pub base: Side,
    /// The candidate's runs.
    pub candidate: Side,
    /// Whether differences are relative to the baseline (0.02 is 2 % more) or absolute.
    pub relative: bool,
    /// The typical run.
    pub typical: Answer,
    /// The mean.
    pub mean: Answer,
    /// Slow runs, where either side has a slow mode.
    pub slow: Option<Slow>,
    /// Minimum detectable effect: the smallest difference of the typical run that such runs show in four of five
    /// experiments.
    pub mde: Option<f64>,
    /// Both sides decile by decile, where asked for; not among the tests of the report.
    #[serde(default)]
    pub deciles: Vec<Decile>,
    /// How much each level of repetition varies, where there are several: of the baseline, then of
    /// the candidate.
    #[serde(default)]
    pub levels: Vec<Levels>,
    /// How the levels and their difference moved from the first block to the last; absent with
    /// fewer than three blocks, or where the order within blocks was not random.
    #[serde(default)]
    pub drift: Option<Drift>,
    /// How long requests took beside this throughput: a typical one, then a slow one, as far as the
    /// tool says. Estimates; not among the tests of the report.
    #[serde(default)]
    pub latencies: Vec<Latency>,
    /// Whether it is a change between two results that were not measured together, whose cause nobody knows.
    #[serde(skip)]
    pub is_cause_unknown: bool,
    /// The steps that the values lie in; absent where they are fine, and of what is pooled.
    #[serde(skip)]
    pub grid: Option<Grid>,
    /// What these steps do to the answers, which allow for it.
    #[serde(skip)]
    pub rounding: Rounding,
    /// What to know about this row.
    #[serde(skip)]
    pub warnings: Vec<RowWarning>,
}

/// The runs of one side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Side {
    /// Replicates (runs; builds, where several runs share one).
    pub n: usize,
    /// Smallest value. Where a run has several samples its value is their mean.
    pub min: f64,
    /// Median. Where a run has several samples its value is their median, as for the typical run.
    pub median: f64,
    /// Mean.
    pub mean: f64,
    /// Largest value.
    pub max: f64,
    /// Standard deviation; absent for a single value.
    pub sd: Option<f64>,
    /// Lower end of Student's interval of the mean, at the report's confidence; absent for a single value and
    /// where results may end the measurement. It takes the units as independent, so it tells how far they scatter;
    /// whether two sides differ is asked of the row.
    pub mean_low: Option<f64>,
    /// Upper end.
    pub mean_high: Option<f64>,
    /// Every value, in order of execution.
    pub values: Vec<f64>,
}

/// The answer to one question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// Difference of the candidate to the baseline.
    pub difference: f64,
    /// Lower end of the interval at the report's confidence, for this row alone; absent where
    /// there is none.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Two-sided p-value of "no difference", for this row alone.
    pub p: f64,
    /// The same, adjusted for all tests of the report; absent where the question was not asked.
    pub p_adjusted: Option<f64>,
    /// Whether they are the same; absent where no margin was declared, and where the difference is
    /// absolute.
    #[serde(default)]
    pub same: Option<Sameness>,
    /// What is proven.
    pub verdict: Verdict,
}

/// The answer to the question whether the difference is smaller than the margin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sameness {
    /// p-value of "not within the margin", for this row alone: the level at which the interval of
    /// the difference would reach an end of the margin.
    pub p: f64,
    /// The same, adjusted for all tests of the report; absent where the question was not asked.
    pub p_adjusted: Option<f64>,
    /// A difference that is proven although the verdict is `same`: `better` or `worse`, by less
    /// than the margin.
    pub beside: Option<Verdict>,
}

/// Slow runs on both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Slow {
    /// Slow runs of the baseline.
    pub base: usize,
    /// Slow runs of the candidate.
    pub candidate: usize,
    /// Difference of the shares, candidate minus baseline.
    pub difference: f64,
    /// Lower end of its interval at the report's confidence.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// p-value of equal shares.
    pub p: f64,
    /// The same, adjusted for all tests of the report; absent where the question was not asked.
    #[serde(default)]
    pub p_adjusted: Option<f64>,
    /// What is proven: `better` where the candidate has fewer slow runs, `worse` where it has more.
    #[serde(default)]
    pub verdict: Verdict,
    /// The typical run among the runs that are not slow; absent where no block has such runs of both sides, or most
    /// runs of a side are slow.
    #[serde(default)]
    pub main: Option<MainMode>,
}

/// The difference of the typical run among the runs of the main mode: an estimate, not tested.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MainMode {
    /// Difference of the candidate to the baseline, relative or absolute as the row's.
    pub difference: f64,
    /// Lower end of its interval at the report's confidence; absent where there is none.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

/// Both sides at one decile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Decile {
    /// Which, from 0.1 to 0.9.
    pub quantile: f64,
    /// The baseline's.
    pub base: f64,
    /// The candidate's.
    pub candidate: f64,
    /// Difference of the candidate to the baseline.
    pub difference: f64,
    /// Lower end of its interval at the report's confidence, for this decile alone.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Two-sided p-value of "no difference", for this decile alone.
    pub p: f64,
    /// The same, adjusted for all deciles of this row.
    pub p_adjusted: f64,
}

/// One latency of the runs whose throughput is compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Latency {
    /// What was measured.
    pub metric: Metric,
    /// The share of a run's requests that took at most so long, as 0.99; absent for their mean.
    pub quantile: Option<f64>,
    /// The baseline's runs.
    pub base: Side,
    /// The candidate's runs.
    pub candidate: Side,
    /// Whether the difference is relative to the baseline or absolute.
    pub relative: bool,
    /// Difference of the candidate to the baseline in the typical run.
    pub difference: f64,
    /// Lower end of its interval at the report's confidence, for this latency alone.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Least distance of two different values in the metric's unit, where the tool's values are so
    /// coarse that it shows; absent where they are fine.
    pub step: Option<f64>,
}

impl Latency {
    /// Whether it is that of a slow request and not of a typical one.
    pub fn is_tail(&self) -> bool {
        self.quantile.is_some_and(|quantile| quantile > 0.5)
    }
}

/// The levels of repetition of one variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Levels {
    /// The variant.
    pub variant: String,
    /// The levels, the highest first.
    pub levels: Vec<Level>,
    /// Share of the variance of a single value that values of one unit of the highest level have in
    /// common.
    pub intraclass_correlation: f64,
    /// How many single values say as much of the mean as one independent value.
    pub design_effect: f64,
}

/// One level of repetition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Level {
    /// What is repeated: `build`, `layout`, `start`, `run` or `sample`.
    pub name: String,
    /// How often within a unit of the level above.
    pub repetitions: usize,
    /// The level's own share of the variance of a single value.
    pub share: f64,
    /// Time of one more repetition without those inside it, in seconds; absent where unknown.
    pub cost_s: Option<f64>,
    /// How often to repeat within a unit of the level above, for the narrowest interval in the same
    /// time; absent for the highest level, which takes the time that remains, and where the level
    /// above does not vary.
    pub best: Option<f64>,
}
