//! One row of a comparison: what is compared, both sides, and the answers.

use perflab_experiment::Metric;
use perflab_stats::steps::{Grids, Rounding};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::row_warning::RowWarning;
use crate::subject::SubjectKey;
use crate::trend::Drift;
use crate::verdict::Verdict;

/// One candidate against the baseline on one metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// How much of the variance of the difference comes from within runs, where runs took turns in slices and these
    /// were read.
    #[serde(default)]
    pub limits: Option<Limits>,
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
    /// The steps that the values of both sides lie in; absent where none of them matters, and of what is pooled.
    #[serde(skip)]
    pub grids: Grids,
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
    /// the difference would reach an end of the margin. It is above the risk of the report where the
    /// interval that is printed leaves the margin.
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

/// The variance that limits how small a difference can be shown: that of the differences of the blocks, in logarithms,
/// and where it comes from. An estimate; not among the tests of the report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// Blocks that it is estimated from.
    pub blocks: usize,
    /// The share that comes from within runs, from 0 to 1. The rest is what stays the same for a whole run.
    pub within: f64,
    /// Lower end of its interval at the report's confidence.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Renewed for each block: the `build`, the `layout`, the `start`, or only the `run`.
    pub unit: String,
}
