//! The JSON of JMH, the Java Microbenchmark Harness.
//!
//! A fork is a fresh Java process, so a fork is a run, and its iterations are samples.

use indexmap::IndexMap;
use perflab_experiment::{Better, Sample};
use serde::Deserialize;
use serde_json::Value;

use crate::fault::{Fault, shown};
use crate::loose_json::{self, finite};
use crate::run::{Contents, File, Run, direction, sample, twins};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    benchmark: String,
    mode: String,
    #[serde(default)]
    threads: Value,
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
    raw_data: Option<Vec<Vec<Value>>>,
    /// For each fork, for each iteration.
    raw_data_histogram: Option<Vec<Vec<Counts>>>,
}

/// The parameter of a benchmark that was measured with several numbers of threads.
const THREADS: &str = "threads";

/// Values, each with how often it came.
type Counts = Vec<(f64, f64)>;

impl Metric {
    /// The values of each fork. Of a histogram it is the mean of each iteration. The metric stands at `at`.
    fn forks(&self, path: &str, at: &str) -> Result<Vec<Vec<f64>>, Fault> {
        if let Some(raw) = &self.raw_data {
            let forks = raw.iter().enumerate().map(|(fork, values)| {
                let values = values.iter().enumerate().map(|(place, value)| {
                    // JMH writes NaN as a string.
                    finite(value, path, format_args!("{at}/rawData/{fork}/{place}"))
                });
                values.collect()
            });
            return forks.collect();
        }
        let histograms = self.raw_data_histogram.iter().flatten();
        let forks = histograms.enumerate().map(|(fork, iterations)| {
            let means = iterations.iter().enumerate().map(|(place, counts)| {
                mean(counts).ok_or_else(|| {
                    Fault::new(
                        path,
                        format!(
                            "expected values that have a mean at {at}/rawDataHistogram/{fork}/{place}, found none; \
                             measure that again, or remove the result"
                        ),
                    )
                })
            });
            means.collect()
        });
        forks.collect()
    }
}

fn mean(counts: &[(f64, f64)]) -> Option<f64> {
    let number: f64 = counts.iter().map(|(_, times)| times).sum();
    let sum: f64 = counts.iter().map(|(value, times)| value * times).sum();
    Some(sum / number).filter(|mean| mean.is_finite())
}

/// What a result is called, and its parameters.
type Name = (String, Vec<(String, String)>);

/// The name among all results: mode and threads are in it where a benchmark has several.
fn name(result: &Entry, results: &[Entry]) -> Name {
    let has_several = |differs: fn(&Entry, &Entry) -> bool| {
        let mut others = results.iter();
        others.any(|other| other.benchmark == result.benchmark && differs(other, result))
    };
    let benchmark = match has_several(|a, b| a.mode != b.mode) {
        true => format!("{}:{}", result.benchmark, result.mode),
        false => result.benchmark.clone(),
    };
    let parameters = result.params.iter();
    let mut parameters: Vec<_> = parameters
        .map(|(name, value)| (name.clone(), plain(value)))
        .collect();
    if has_several(|a, b| a.threads != b.threads) && !result.params.contains_key(THREADS) {
        parameters.push((THREADS.to_owned(), plain(&result.threads)));
    }
    (benchmark, parameters)
}

/// The runs in a file: a fork each.
///
/// # Errors
/// Anything but JSON of this shape, results without raw data, a value that is no finite number, or two results that
/// nothing tells apart.
pub fn read(file: &File) -> Result<Contents, Fault> {
    let results: Vec<Entry> = loose_json::parse(file, "the JSON that JMH's `-rf json` writes")?;
    let mut contents = Contents::default();
    let names: Vec<Name> = results
        .iter()
        .map(|result| name(result, &results))
        .collect();
    if let Some([first, second]) = twins(&names) {
        return Err(Fault::new(
            &file.path,
            format!(
                "/{first} and /{second} are both `{}`, with the same mode, parameters and threads, and may be two sides \
                 or one; put each into a file of its own",
                shown(&results[first].benchmark)
            ),
        ));
    }
    for (index, (result, (benchmark, parameters))) in results.iter().zip(&names).enumerate() {
        let at = format!("/{index}/primaryMetric");
        let primary = result.primary_metric.forks(&file.path, &at)?;
        if primary.is_empty() || primary.iter().any(Vec::is_empty) {
            return Err(Fault::new(
                &file.path,
                format!("expected `rawData` of each fork in {at}, found no value in it"),
            ));
        }
        let secondary: IndexMap<&str, Vec<Vec<f64>>> = result
            .secondary_metrics
            .iter()
            .map(|(name, metric)| {
                let at = format!("/{index}/secondaryMetrics/{name}");
                Ok::<_, Fault>((name.as_str(), metric.forks(&file.path, &at)?))
            })
            .collect::<Result<_, _>>()?;
        for (fork, values) in primary.iter().enumerate() {
            let (name, better) = match result.mode.as_str() {
                "thrpt" => ("throughput", Better::Higher),
                _ => ("time", Better::Lower),
            };
            let unit = &result.primary_metric.score_unit;
            let mut samples: Vec<Sample> = values
                .iter()
                .map(|value| sample(Some(benchmark), name, unit, better, *value))
                .collect();
            for (name, metric) in &result.secondary_metrics {
                let forks = secondary.get(name.as_str());
                let values = forks
                    .and_then(|forks| forks.get(fork))
                    .into_iter()
                    .flatten();
                let unit = &metric.score_unit;
                // A rate of allocation is no throughput.
                let better = match unit.starts_with("ops/") {
                    true => direction("/s"),
                    false => Better::Lower,
                };
                let name = name.trim_start_matches('·');
                samples.extend(
                    values.map(|value| sample(Some(benchmark), name, unit, better, *value)),
                );
            }
            contents.runs.push(Run {
                at: format!("{at}/rawData/{fork}"),
                parameters: parameters.iter().cloned().collect(),
                samples,
                ..Run::default()
            });
        }
    }
    contents.not_empty(&file.path, "expected at least one result, found none")
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
