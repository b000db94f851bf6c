//! The report as JSON, and the schema of it.

use indexmap::IndexMap;
use perflab_compare::{
    Answer, Calibration, Comparison, Decile, Design, Drift, Latency, Levels, Side, Slow,
};
use perflab_experiment::Metric;
use schemars::JsonSchema;
use serde::Serialize;

use crate::headline::headline;
use crate::row_warning::row_warnings;
use crate::warning::report_warnings;

/// Version of the JSON that `perflab compare --format json` prints.
pub const SCHEMA: u32 = 1;

/// A comparison of variants with their baseline, over all cells and metrics that were selected.
#[derive(Debug, Serialize, JsonSchema)]
struct Report<'r> {
    /// Version of this format: 1.
    schema: u32,
    /// Name of the experiment, or of what was compared.
    name: &'r str,
    /// The question that the experiment asks.
    question: Option<&'r str>,
    /// The variant that the others are compared with.
    baseline: &'r str,
    /// A variant that is the baseline once more.
    control: Option<&'r str>,
    /// Confidence level, as 0.95.
    confidence: f64,
    /// Largest relative difference that does not matter, as 0.01, declared before measuring.
    margin: Option<f64>,
    /// How the runs were made.
    design: &'r Design,
    /// One row per group, benchmark, metric and candidate.
    rows: Vec<Row<'r>>,
    /// One row per metric and candidate over all benchmarks and groups.
    pooled: Vec<Row<'r>>,
    /// What looking on has cost, where some runs were observed: the observed runs of a variant as the candidate, its
    /// others as the baseline.
    #[serde(default)]
    observation: Vec<Row<'r>>,
    /// Number of tests that the error is shared among; those about the control are apart.
    tests: usize,
    /// How often such reports are false where nothing differs; absent where it was not asked for.
    #[serde(default)]
    calibration: Option<&'r Calibration>,
    /// Things to know before believing any of it.
    warnings: Vec<String>,
}

/// One candidate against the baseline on one metric.
#[derive(Debug, Serialize, JsonSchema)]
struct Row<'r> {
    /// The workload; several, with `+` between, where pooled.
    workload: &'r str,
    /// Parameter values.
    parameters: &'r IndexMap<String, String>,
    /// The benchmark of the workload, as a request type; the number of benchmarks where pooled.
    benchmark: Option<&'r str>,
    /// What was measured.
    metric: &'r Metric,
    /// The candidate.
    variant: &'r str,
    /// The baseline's runs.
    base: &'r Side,
    /// The candidate's runs.
    candidate: &'r Side,
    /// Whether differences are relative to the baseline (0.02 is 2 % more) or absolute.
    relative: bool,
    /// The typical run.
    typical: &'r Answer,
    /// The mean.
    mean: &'r Answer,
    /// Slow runs, where either side has a slow mode.
    slow: Option<&'r Slow>,
    /// Minimum detectable effect: the smallest difference of the typical run that such runs show in four of five
    /// experiments.
    mde: Option<f64>,
    /// Both sides decile by decile, where asked for; not among the tests of the report.
    #[serde(default)]
    deciles: &'r [Decile],
    /// How much each level of repetition varies, where there are several: of the baseline, then of
    /// the candidate.
    #[serde(default)]
    levels: &'r [Levels],
    /// How the levels and their difference moved from the first block to the last; absent with
    /// fewer than three blocks, or where the order within blocks was not random.
    #[serde(default)]
    drift: Option<&'r Drift>,
    /// How long requests took beside this throughput: a typical one, then a slow one, as far as the
    /// tool says. Estimates; not among the tests of the report.
    #[serde(default)]
    latencies: &'r [Latency],
    /// The verdicts in a word or two.
    headline: String,
    /// Things to know about this row.
    warnings: Vec<String>,
}

impl<'r> Report<'r> {
    fn of(report: &'r Comparison) -> Self {
        let row = |row| Row::of(row, report);
        Self {
            schema: SCHEMA,
            name: &report.name,
            question: report.question.as_deref(),
            baseline: &report.baseline,
            control: report.control.as_deref(),
            confidence: report.confidence,
            margin: report.margin,
            design: &report.design,
            rows: report.rows.iter().map(row).collect(),
            pooled: report.pooled.iter().map(row).collect(),
            observation: report.observation.iter().map(row).collect(),
            tests: report.tests,
            calibration: report.calibration.as_ref(),
            warnings: report_warnings(report),
        }
    }
}

impl<'r> Row<'r> {
    fn of(row: &'r perflab_compare::Row, report: &'r Comparison) -> Self {
        Self {
            workload: &row.key.workload,
            parameters: &row.key.parameters,
            benchmark: row.key.benchmark.as_deref(),
            metric: &row.key.metric,
            variant: &row.variant,
            base: &row.base,
            candidate: &row.candidate,
            relative: row.relative,
            typical: &row.typical,
            mean: &row.mean,
            slow: row.slow.as_ref(),
            mde: row.mde,
            deciles: &row.deciles,
            levels: &row.levels,
            drift: row.drift.as_ref(),
            latencies: &row.latencies,
            headline: headline(row),
            warnings: row_warnings(row, report),
        }
    }
}

/// The report as indented JSON, with a line end. Numbers that are none (NaN, infinite) become `null`.
pub fn json(report: &Comparison) -> String {
    // Only maps whose keys are no strings, or types that refuse to be written, could fail here.
    let text =
        serde_json::to_string_pretty(&Report::of(report)).expect("a report has string keys only");
    text + "\n"
}

/// The JSON Schema (draft 2020-12) of what [`json`] writes.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Report<'_>).to_value()
}
