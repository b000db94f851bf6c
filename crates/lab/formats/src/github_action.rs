//! The JSON of github-action-benchmark's tools `customSmallerIsBetter` and `customBiggerIsBetter`.

use perflab_experiment::{Better, counted};
use serde::Serialize;

use crate::fault::WriteFault;
use crate::run::{Run, word};
use crate::summary::{Scope, summaries};

#[derive(Serialize)]
struct Entry {
    name: String,
    unit: String,
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<String>,
    extra: String,
}

/// For each benchmark and metric that is better this way the median over the runs, with their
/// standard deviation as the range.
///
/// # Errors
/// No metric is better this way.
pub fn write(runs: &[Run], better: Better) -> Result<String, WriteFault> {
    let scope = Scope::of(runs);
    let entries: Vec<Entry> = summaries(runs)
        .into_iter()
        .filter(|summary| summary.metric.better == better)
        .map(|summary| Entry {
            name: format!("{} {}", summary.name(scope), summary.metric.name),
            unit: summary.metric.unit.clone(),
            value: summary.median(),
            range: summary
                .deviation()
                .map(|deviation| format!("± {deviation}")),
            extra: format!("median of {}", counted(summary.values.len(), "run")),
        })
        .collect();
    if entries.is_empty() {
        return Err(WriteFault::Nothing(format!(
            "no metric is better {}; the other direction is a format of its own",
            word(better)
        )));
    }
    serde_json::to_string_pretty(&entries)
        .map(|text| text + "\n")
        .map_err(WriteFault::writer)
}
