//! The report as JSON, and the schema of it.

use perflab_compare::{Calibration, Comparison, Design, Warning};
use perflab_experiment::LeftOut;
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
    /// Cells that could not be measured, and are in no row.
    #[serde(default)]
    left_out: Vec<&'r LeftOut>,
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
    /// All figures of the row.
    #[serde(flatten)]
    figures: &'r perflab_compare::Row,
    /// The verdicts in a word or two.
    headline: String,
    /// Things to know about this row.
    warnings: Vec<String>,
}

impl<'r> Report<'r> {
    fn of(report: &'r Comparison) -> Self {
        let row = |row| Row::of(row, report);
        let warnings = report.warnings.iter();
        let left_out = warnings.filter_map(|warning| match warning.of_any_result() {
            Warning::LeftOut(alike) => Some(alike),
            _ => None,
        });
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
            left_out: left_out.flatten().collect(),
            tests: report.tests,
            calibration: report.calibration.as_ref(),
            warnings: report_warnings(report),
        }
    }
}

impl<'r> Row<'r> {
    fn of(row: &'r perflab_compare::Row, report: &'r Comparison) -> Self {
        Self {
            figures: row,
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
