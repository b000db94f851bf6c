//! The report as JSON, and the schema of it.

use crate::model::Report;

/// The report as indented JSON, with a line end. Numbers that are none (NaN, infinite) become `null`.
pub fn json(report: &Report) -> String {
    // Only maps whose keys are no strings, or types that refuse to be written, could fail here.
    let text = serde_json::to_string_pretty(report).expect("a report has string keys only");
    text + "\n"
}

/// The JSON Schema (draft 2020-12) of what [`json`] writes.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Report).to_value()
}
