//! The JSON of Google Benchmark.
//!
//! All repetitions are made by one process, so a file is a run and its repetitions are samples.
//! Aggregates are left out: they follow from the repetitions.

use indexmap::{IndexMap, IndexSet};
use perflab_experiment::Better;
use serde::Deserialize;
use serde_json::Value;

use crate::fault::Fault;
use crate::loose_json;
use crate::run::{Contents, File, Run, sample};

#[derive(Deserialize)]
struct Document {
    context: Context,
    benchmarks: Vec<Row>,
}

#[derive(Deserialize)]
struct Context {
    date: Option<String>,
}

#[derive(Deserialize)]
struct Row {
    name: String,
    run_name: Option<String>,
    run_type: Option<String>,
    #[serde(default)]
    error_occurred: bool,
    #[serde(default)]
    skipped: Value,
    error_message: Option<String>,
    real_time: Option<f64>,
    cpu_time: Option<f64>,
    #[serde(default = "nanoseconds")]
    time_unit: String,
    /// User counters and rates, among what is known.
    #[serde(flatten)]
    others: IndexMap<String, Value>,
}

fn nanoseconds() -> String {
    "ns".to_owned()
}

/// What a row has beside its counters.
const NO_COUNTERS: [&str; 9] = [
    "family_index",
    "per_family_instance_index",
    "repetitions",
    "repetition_index",
    "threads",
    "iterations",
    "big_o",
    "rms",
    "label",
];

/// Names of aggregates, which versions before 1.5 do not mark otherwise.
const AGGREGATES: [&str; 6] = ["_mean", "_median", "_stddev", "_cv", "_BigO", "_RMS"];

impl Row {
    fn is_aggregate(&self) -> bool {
        match self.run_type.as_deref() {
            Some(kind) => kind != "iteration",
            None => AGGREGATES.iter().any(|end| self.name.ends_with(end)),
        }
    }

    fn was_skipped(&self) -> bool {
        self.error_occurred || !matches!(self.skipped, Value::Null | Value::Bool(false))
    }
}

/// The run in a file.
///
/// # Errors
/// Anything but JSON of this shape; a file that holds nothing but aggregates or errors.
pub fn read(file: &File) -> Result<Contents, Fault> {
    const EXPECTED: &str = "the JSON that --benchmark_out_format=json writes";
    let document: Document = loose_json::parse(file, EXPECTED)?;
    let mut run = Run {
        at: "/benchmarks".to_owned(),
        started: document.context.date,
        ..Run::default()
    };
    let mut notes = IndexSet::new();
    for row in document.benchmarks.iter().filter(|row| !row.is_aggregate()) {
        let name = row.run_name.as_deref().unwrap_or(&row.name);
        if row.was_skipped() {
            let reason = row.error_message.as_deref().unwrap_or("skipped");
            notes.insert(format!("{name} was left out: {reason}"));
            continue;
        }
        let times = [("real_time", row.real_time), ("cpu_time", row.cpu_time)];
        for (metric, value) in times {
            if let Some(value) = value {
                let unit = &row.time_unit;
                run.samples
                    .push(sample(Some(name), metric, unit, Better::Lower, value));
            }
        }
        for (counter, value) in &row.others {
            let Some(value) = value.as_f64() else {
                continue;
            };
            if NO_COUNTERS.contains(&counter.as_str()) {
                continue;
            }
            let (unit, better) = match counter.strip_suffix("_per_second") {
                Some(_) => ("1/s", Better::Higher),
                None => ("", Better::Lower),
            };
            run.samples
                .push(sample(Some(name), counter, unit, better, value));
        }
    }
    if run.samples.is_empty() {
        return Err(Fault::new(
            &file.path,
            "expected rows of `run_type` iteration, found none; measure again without \
             --benchmark_report_aggregates_only",
        ));
    }
    Ok(Contents {
        runs: vec![run],
        notes: notes.into_iter().collect(),
    })
}
