//! The JSON of JMH, the Java Microbenchmark Harness.
//!
//! A fork is a fresh Java process, so a fork is a run, and its iterations are samples.

use indexmap::IndexMap;
use perflab_experiment::{Better, Sample};
use serde::Deserialize;
use serde_json::Value;

use crate::fault::Fault;
use crate::loose_json;
use crate::run::{Contents, File, Run, direction, sample};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    benchmark: String,
    mode: String,
    #[serde(default)]
    params: IndexMap<String, Value>,
    primary_metric: Metric,
    #[serde(default)]
    secondary_metrics: IndexMap<String, Metric>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metric {
    score_unit: String,
    /// For each fork, for each iteration.
    raw_data: Option<Vec<Vec<Option<Number>>>>,
    /// For each fork, for each iteration.
    raw_data_histogram: Option<Vec<Vec<Counts>>>,
}

/// Values, each with how often it came.
type Counts = Vec<(f64, f64)>;

/// JMH writes NaN as a string.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Value(f64),
    Word(String),
}

impl Metric {
    /// The values of each fork. Of a histogram it is the mean of each iteration.
    fn forks(&self) -> Vec<Vec<f64>> {
        if let Some(raw) = &self.raw_data {
            let value = |number: &Option<Number>| match number {
                Some(Number::Value(value)) => Some(*value),
                Some(Number::Word(word)) => {
                    word.parse().ok().filter(|value: &f64| value.is_finite())
                }
                None => None,
            };
            return raw
                .iter()
                .map(|fork| fork.iter().filter_map(value).collect())
                .collect();
        }
        self.raw_data_histogram
            .iter()
            .flatten()
            .map(|fork| fork.iter().filter_map(|counts| mean(counts)).collect())
            .collect()
    }
}

fn mean(counts: &[(f64, f64)]) -> Option<f64> {
    let number: f64 = counts.iter().map(|(_, times)| times).sum();
    let sum: f64 = counts.iter().map(|(value, times)| value * times).sum();
    Some(sum / number).filter(|mean| mean.is_finite())
}

/// The runs in a file: a fork each.
///
/// # Errors
/// Anything but JSON of this shape, or results without raw data.
pub fn read(file: &File) -> Result<Contents, Fault> {
    let results: Vec<Entry> = loose_json::parse(file, "the JSON that JMH's `-rf json` writes")?;
    let mut contents = Contents::default();
    for (index, result) in results.iter().enumerate() {
        let twice = results
            .iter()
            .any(|other| other.benchmark == result.benchmark && other.mode != result.mode);
        let benchmark = match twice {
            true => format!("{}:{}", result.benchmark, result.mode),
            false => result.benchmark.clone(),
        };
        let primary = result.primary_metric.forks();
        if primary.iter().all(Vec::is_empty) {
            return Err(Fault::new(
                &file.path,
                format!("expected `rawData` in /{index}/primaryMetric, found no value in it"),
            ));
        }
        for (fork, values) in primary.iter().enumerate() {
            let (name, better) = match result.mode.as_str() {
                "thrpt" => ("throughput", Better::Higher),
                _ => ("time", Better::Lower),
            };
            let unit = &result.primary_metric.score_unit;
            let mut samples: Vec<Sample> = values
                .iter()
                .map(|value| sample(Some(&benchmark), name, unit, better, *value))
                .collect();
            for (name, metric) in &result.secondary_metrics {
                let values = metric.forks();
                let values = values.get(fork).map_or(&[][..], Vec::as_slice);
                let unit = &metric.score_unit;
                // A rate of allocation is no throughput.
                let better = match unit.starts_with("ops/") {
                    true => direction("/s"),
                    false => Better::Lower,
                };
                let name = name.trim_start_matches('·');
                samples.extend(
                    values
                        .iter()
                        .map(|value| sample(Some(&benchmark), name, unit, better, *value)),
                );
            }
            contents.runs.push(Run {
                at: format!("/{index}/primaryMetric/rawData/{fork}"),
                parameters: result
                    .params
                    .iter()
                    .map(|(name, value)| (name.clone(), plain(value)))
                    .collect(),
                samples,
                ..Run::default()
            });
        }
    }
    if contents.runs.is_empty() {
        return Err(Fault::new(
            &file.path,
            "expected at least one result, found none",
        ));
    }
    Ok(contents)
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
