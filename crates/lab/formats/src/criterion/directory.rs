//! The directory `target/criterion`: for each benchmark a directory for each baseline.

use indexmap::IndexMap;
use perflab_experiment::Better;
use serde::Deserialize;

use super::iteration::per_iteration;
use crate::fault::Fault;
use crate::run::{Contents, File, Run, sample};

/// The file that makes a directory one of criterion's.
pub(crate) const SAMPLES: &str = "sample.json";

#[derive(Deserialize)]
struct Samples {
    iters: Vec<f64>,
    times: Vec<f64>,
}

#[derive(Deserialize)]
struct Benchmark {
    full_id: String,
}

/// The baselines that criterion itself keeps: the last measurement, and what the next one is compared with.
const NEW: &str = "new";
const BASE: &str = "base";

/// The runs in the files of a directory: one for each baseline, which is its variant.
///
/// A `base` that is nothing but a copy of `new`, as criterion leaves it, is left out.
///
/// # Errors
/// A `sample.json` that is not of this shape, has not as many times as iterations, or has a sample without iterations;
/// none at all.
pub fn read(files: &[File]) -> Result<Contents, Fault> {
    let mut runs: IndexMap<&str, Run> = IndexMap::new();
    let is_copy = is_copy(files);
    for file in files {
        let Some((benchmark, baseline)) = place(&file.path) else {
            continue;
        };
        if baseline == BASE && is_copy {
            continue;
        }
        let samples: Samples = serde_json::from_slice(&file.bytes)
            .map_err(|error| Fault::json(&file.path, "criterion's sample.json", &error))?;
        let values = per_iteration(&samples.times, &samples.iters, ["times", "iters"])
            .map_err(|reason| Fault::new(&file.path, reason))?;
        let name = full_id(files, benchmark, baseline).unwrap_or_else(|| benchmark.to_owned());
        let run = runs.entry(baseline).or_insert_with(|| Run {
            at: format!("baseline {baseline}"),
            variant: Some(baseline.to_owned()),
            ..Run::default()
        });
        run.samples.extend(
            values
                .into_iter()
                .map(|value| sample(Some(&name), "time", "ns", Better::Lower, value)),
        );
    }
    let mut runs: Vec<Run> = runs.into_values().collect();
    // What was measured last is compared with what was measured before.
    runs.sort_by_key(|run| run.variant.as_deref() == Some(NEW));
    let notes =
        is_copy.then(|| "the baseline `base` is a copy of `new` and was left out".to_owned());
    let contents = Contents {
        runs,
        notes: notes.into_iter().collect(),
    };
    let path = files.first().map_or("criterion", |file| file.path.as_str());
    contents.not_empty(
        path,
        "expected files BENCHMARK/BASELINE/sample.json with samples, found none",
    )
}

/// Benchmark and baseline of a file of samples.
fn place(path: &str) -> Option<(&str, &str)> {
    let (directory, file) = path.rsplit_once('/')?;
    if file != SAMPLES {
        return None;
    }
    Some(directory.rsplit_once('/').unwrap_or(("", directory)))
}

/// The name that was given to the benchmark; directories cannot hold all characters.
fn full_id(files: &[File], benchmark: &str, baseline: &str) -> Option<String> {
    let path = match benchmark {
        "" => format!("{baseline}/benchmark.json"),
        _ => format!("{benchmark}/{baseline}/benchmark.json"),
    };
    let file = files.iter().find(|file| file.path == path)?;
    let read: Result<Benchmark, _> = serde_json::from_slice(&file.bytes);
    read.ok().map(|benchmark| benchmark.full_id)
}

/// Whether there is a `base`, all of whose samples are those of `new`.
fn is_copy(files: &[File]) -> bool {
    let of = |wanted: &'static str| {
        files.iter().filter_map(move |file| {
            let (benchmark, baseline) = place(&file.path)?;
            (baseline == wanted).then_some((benchmark, &file.bytes))
        })
    };
    let new: IndexMap<&str, &Vec<u8>> = of(NEW).collect();
    let mut base = of(BASE).peekable();
    base.peek().is_some() && base.all(|(benchmark, bytes)| new.get(benchmark) == Some(&bytes))
}
