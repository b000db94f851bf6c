//! Bencher Metric Format, the JSON that `bencher run --adapter json` takes.

use indexmap::IndexMap;
use serde::Serialize;

use crate::fault::WriteFault;
use crate::run::Run;
use crate::summary::{Scope, summaries};

#[derive(Serialize)]
struct Measure {
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower_value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper_value: Option<f64>,
}

/// For each benchmark and metric the median over the runs, with smallest and largest where there are
/// several.
///
/// # Errors
/// No samples.
pub fn write(runs: &[Run]) -> Result<String, WriteFault> {
    let scope = Scope::of(runs);
    let mut found: IndexMap<String, IndexMap<String, Measure>> = IndexMap::new();
    for summary in summaries(runs) {
        let several = summary.values.len() > 1;
        let name = summary.name(scope);
        let measures = found.entry(name.clone()).or_default();
        let measure = Measure {
            value: summary.median(),
            lower_value: several.then(|| summary.min()),
            upper_value: several.then(|| summary.max()),
        };
        let metric = &summary.metric.name;
        if measures.insert(metric.clone(), measure).is_some() {
            return Err(WriteFault::SameName {
                first: format!("{name} {metric}"),
                second: format!("{name} {metric} ({})", summary.metric.unit),
                name: metric.clone(),
            });
        }
    }
    if found.is_empty() {
        return Err(WriteFault::no_samples());
    }
    serde_json::to_string_pretty(&found)
        .map(|text| text + "\n")
        .map_err(WriteFault::writer)
}
