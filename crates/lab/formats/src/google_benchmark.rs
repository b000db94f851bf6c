//! The JSON of Google Benchmark.
//!
//! All repetitions are made by one process, so a file is a run and its repetitions are samples.
//! Aggregates are left out: they follow from the repetitions.

use std::collections::HashMap;

use indexmap::{IndexMap, IndexSet};
use perflab_experiment::Better;
use serde::Deserialize;
use serde_json::Value;

use crate::fault::{Fault, shown};
use crate::loose_json::{self, finite};
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
    #[serde(default = "nanoseconds")]
    time_unit: String,
    /// Times, user counters and rates, among what is known.
    #[serde(flatten)]
    others: IndexMap<String, Value>,
}

fn nanoseconds() -> String {
    "ns".to_owned()
}

/// The times of a row.
const TIMES: [&str; 2] = ["real_time", "cpu_time"];

/// What a row has beside its times and counters.
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
/// Anything but JSON of this shape; a time or counter that is no finite number; two benchmarks of one name; a file that holds nothing but aggregates
/// or errors.
pub fn read(file: &File) -> Result<Contents, Fault> {
    const EXPECTED: &str = "the JSON that --benchmark_out_format=json writes";
    let document: Document = loose_json::parse(file, EXPECTED)?;
    let mut run = Run {
        at: "/benchmarks".to_owned(),
        started: document.context.date,
        ..Run::default()
    };
    let mut notes = IndexSet::new();
    let mut families = HashMap::new();
    for (index, row) in document.benchmarks.iter().enumerate() {
        if row.is_aggregate() {
            continue;
        }
        let name = row.run_name.as_deref().unwrap_or(&row.name);
        if row.was_skipped() {
            let reason = row.error_message.as_deref().unwrap_or("skipped");
            notes.insert(format!("{name} was left out: {reason}"));
            continue;
        }
        let own = ["family_index", "per_family_instance_index"].map(|key| row.others.get(key));
        let (first, known) = *families.entry(name).or_insert((index, own));
        if known != own {
            return Err(Fault::new(
                &file.path,
                format!(
                    "/benchmarks/{first} and /benchmarks/{index} are both `{}`, but not repetitions of one benchmark; give \
                     each a name of its own with `Name`",
                    shown(name)
                ),
            ));
        }
        let number = |value, member: &str| {
            finite(
                value,
                &file.path,
                format_args!("/benchmarks/{index}/{member}"),
            )
        };
        for metric in TIMES {
            if let Some(value) = row.others.get(metric) {
                let (unit, value) = (&row.time_unit, number(value, metric)?);
                run.samples
                    .push(sample(Some(name), metric, unit, Better::Lower, value));
            }
        }
        for (counter, value) in &row.others {
            let is_known = NO_COUNTERS
                .iter()
                .chain(&TIMES)
                .any(|known| known == counter);
            // What is neither a number nor NaN, which stands for null here, is a remark of a newer version.
            if is_known || !matches!(value, Value::Number(_) | Value::Null) {
                continue;
            }
            let value = number(value, counter)?;
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
