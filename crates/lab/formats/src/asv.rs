//! The results of asv (airspeed velocity): a file for each commit and environment.
//!
//! asv runs a benchmark in a few processes and stores the samples of all of them together, so which
//! process a sample comes from is not known: all samples of a benchmark are one run.

use indexmap::IndexMap;
use perflab_experiment::{Better, counted};
use serde::Deserialize;
use serde_json::Value;

use crate::fault::Fault;
use crate::loose_json::{self, finite};
use crate::run::{Contents, File, Run, sample};

/// What describes the benchmarks, beside the machines' directories.
pub(crate) const DESCRIPTION: &str = "benchmarks.json";

#[derive(Deserialize)]
struct Document {
    commit_hash: String,
    #[serde(default)]
    env_name: String,
    /// The machine among others.
    #[serde(default)]
    params: Value,
    /// Of the commit, in milliseconds since 1970.
    #[serde(default)]
    date: f64,
    result_columns: Vec<String>,
    results: IndexMap<String, Value>,
}

/// What `benchmarks.json` says of a benchmark.
#[derive(Deserialize, Default)]
struct Description {
    #[serde(default)]
    param_names: Vec<String>,
    #[serde(default)]
    unit: String,
}

/// The runs in the files of a directory of results, or in one of them: one for each benchmark,
/// commit and combination of parameters. The oldest commit comes first.
///
/// # Errors
/// A file that is no JSON of this shape, a value that is no finite number, or no value at all.
pub fn read(files: &[File]) -> Result<Contents, Fault> {
    let descriptions = descriptions(files)?;
    let mut documents: Vec<(&File, Document)> = Vec::new();
    for file in files
        .iter()
        .filter(|file| files.len() == 1 || is_result(file))
    {
        documents.push((file, loose_json::parse(file, "a result file of asv")?));
    }
    documents.sort_by(|(_, a), (_, b)| a.date.total_cmp(&b.date));
    let has_several = |of: Name| {
        let mut all = documents.iter().map(|(_, document)| of(document));
        let first = all.next();
        all.any(|other| Some(other) != first)
    };
    let apart: Vec<_> = [("env", environment as Name), ("machine", machine)]
        .into_iter()
        .filter(|(_, of)| has_several(*of))
        .collect();
    let mut contents = Contents::default();
    for (file, document) in &documents {
        for (name, row) in &document.results {
            let description = descriptions.get(name);
            let (found, missing) = benchmark(document, file, name, row, description)?;
            if found.is_empty() {
                contents.notes.push(format!(
                    "{name} was left out of {}: it has no value there",
                    file.path
                ));
            } else if missing > 0 {
                contents.notes.push(format!(
                    "{} of {name} left out of {}: no value there",
                    counted(missing, "combination"),
                    file.path
                ));
            }
            for mut run in found {
                run.at = format!("{} /results/{name}", file.path);
                for (key, of) in &apart {
                    run.parameters
                        .insert((*key).to_owned(), of(document).to_owned());
                }
                contents.runs.push(run);
            }
        }
    }
    let path = files.first().map_or("asv", |file| file.path.as_str());
    contents.not_empty(path, "expected results of asv with values, found none")
}

/// A name that a document bears.
type Name = fn(&Document) -> &str;

fn environment(document: &Document) -> &str {
    &document.env_name
}

fn machine(document: &Document) -> &str {
    document
        .params
        .get("machine")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

fn name_of(file: &File) -> &str {
    file.path.rsplit('/').next().unwrap_or_default()
}

/// Whether a file of a directory is a result: neither the benchmarks nor a machine.
pub(crate) fn is_result(file: &File) -> bool {
    let name = name_of(file);
    name.ends_with(".json") && name != DESCRIPTION && name != "machine.json"
}

fn descriptions(files: &[File]) -> Result<IndexMap<String, Description>, Fault> {
    let Some(file) = files.iter().find(|file| name_of(file) == DESCRIPTION) else {
        return Ok(IndexMap::new());
    };
    let all: IndexMap<String, Value> = loose_json::parse(file, "asv's benchmarks.json")?;
    // One member is the version of the file.
    Ok(all
        .into_iter()
        .filter_map(|(name, value)| Some((name, serde_json::from_value(value).ok()?)))
        .collect())
}

/// A run for each combination of parameters, and how many have no value: there the benchmark failed or was skipped.
fn benchmark(
    document: &Document,
    file: &File,
    name: &str,
    row: &Value,
    description: Option<&Description>,
) -> Result<(Vec<Run>, usize), Fault> {
    let column = |wanted: &str| -> Option<&Value> {
        let place = document.result_columns.iter().position(|c| c == wanted)?;
        row.get(place)
    };
    let Some(results) = column("result").and_then(Value::as_array) else {
        return Ok((Vec::new(), 0));
    };
    let samples = column("samples").and_then(Value::as_array);
    let lists: Vec<&Vec<Value>> = column("params")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_array)
        .collect();
    let (metric, unit) = kind(name, description);
    let mut runs = Vec::new();
    for (index, result) in results.iter().enumerate() {
        let values: &[Value] = match (samples.and_then(|samples| samples.get(index)), result) {
            (Some(Value::Array(values)), _) if !values.is_empty() => values,
            (_, Value::Null) => continue,
            _ => std::slice::from_ref(result),
        };
        let values = values.iter().map(|value| {
            finite(
                value,
                &file.path,
                format_args!("/results/{name}, combination {}", index + 1),
            )
        });
        let values = values.collect::<Result<Vec<f64>, Fault>>()?;
        runs.push(Run {
            variant: Some(document.commit_hash.chars().take(8).collect()),
            parameters: parameters(index, &lists, description),
            samples: values
                .iter()
                .map(|value| sample(Some(name), metric, unit, Better::Lower, *value))
                .collect(),
            ..Run::default()
        });
    }
    let missing = results.len() - runs.len();
    Ok((runs, missing))
}

/// Metric and unit: the kind stands in the last part of the name, as asv itself has it.
fn kind<'a>(name: &str, description: Option<&'a Description>) -> (&'static str, &'a str) {
    let last = name.rsplit('.').next().unwrap_or_default();
    let has = |prefix: &str| last.starts_with(prefix) || last.starts_with(&capital(prefix));
    if has("time_") || has("timeraw_") {
        ("time", "s")
    } else if has("peakmem_") {
        ("peak_memory", "bytes")
    } else if has("mem_") {
        ("memory", "bytes")
    } else {
        let unit = description.map_or("", |description| description.unit.as_str());
        ("value", if unit == "unit" { "" } else { unit })
    }
}

/// asv takes `TimeX` for `time_x`.
fn capital(prefix: &str) -> String {
    let word = prefix.trim_end_matches('_');
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// Results stand in the order of the product of the parameters' values, the last one running first.
fn parameters(
    index: usize,
    lists: &[&Vec<Value>],
    description: Option<&Description>,
) -> IndexMap<String, String> {
    let mut rest = index;
    let mut chosen = Vec::new();
    for (place, list) in lists.iter().enumerate().rev() {
        if list.is_empty() {
            continue;
        }
        let value = match list.get(rest % list.len()) {
            Some(Value::String(text)) => text.trim_matches('\'').to_owned(),
            Some(other) => other.to_string(),
            None => String::new(),
        };
        rest /= list.len();
        let name = description
            .and_then(|description| description.param_names.get(place).cloned())
            .unwrap_or_else(|| format!("p{}", place + 1));
        chosen.push((name, value));
    }
    chosen.into_iter().rev().collect()
}
