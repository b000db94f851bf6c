//! From runs to the JSON.

use indexmap::IndexMap;
use perflab_experiment::Metric;
use serde::Serialize;

use crate::fault::WriteFault;
use crate::run::{Run, benchmark, joined, several_variants, several_workloads};

#[derive(Serialize)]
struct Suite {
    benchmarks: Vec<Benchmark>,
    metadata: IndexMap<&'static str, u32>,
    version: &'static str,
}

#[derive(Serialize)]
struct Benchmark {
    metadata: Metadata,
    runs: Vec<Process>,
}

#[derive(Serialize)]
struct Metadata {
    name: String,
    unit: &'static str,
}

#[derive(Serialize)]
struct Process {
    values: Vec<f64>,
}

/// The JSON that pyperf reads: a benchmark for each name, a run for each run, with its values.
///
/// Times are turned into seconds. Where there are several variants, the names begin with them.
///
/// # Errors
/// No sample of a time, of bytes or without a unit that is above 0: pyperf has no others.
pub fn write(runs: &[Run]) -> Result<String, WriteFault> {
    let whole = several_workloads(runs);
    let named = several_variants(runs);
    let mut found: IndexMap<String, (&'static str, Vec<Process>)> = IndexMap::new();
    for run in runs {
        let mut own: IndexMap<String, (&'static str, Vec<f64>)> = IndexMap::new();
        for sample in &run.samples {
            let Some((unit, factor)) = unit(&sample.metric) else {
                continue;
            };
            let value = sample.value * factor;
            if !(value.is_finite() && value > 0.0) {
                continue;
            }
            let variant = run.variant.as_deref().filter(|_| named);
            let name = benchmark(run, sample.benchmark.as_deref(), whole);
            let metric = Some(sample.metric.name.as_str()).filter(|name| *name != "time");
            let name = joined([variant, Some(name.as_str()), metric]);
            let (_, values) = own.entry(name).or_insert_with(|| (unit, Vec::new()));
            values.push(value);
        }
        for (name, (unit, values)) in own {
            let (_, processes) = found.entry(name).or_insert_with(|| (unit, Vec::new()));
            processes.push(Process { values });
        }
    }
    if found.is_empty() {
        return Err(WriteFault::Nothing(
            "pyperf holds times, bytes and pure numbers above 0, and no run has any".to_owned(),
        ));
    }
    let benchmarks = found.into_iter().map(|(name, (unit, runs))| Benchmark {
        metadata: Metadata { name, unit },
        runs,
    });
    let suite = Suite {
        benchmarks: benchmarks.collect(),
        metadata: IndexMap::from([("loops", 1)]),
        version: "1.0",
    };
    serde_json::to_string(&suite)
        .map(|text| text + "\n")
        .map_err(WriteFault::writer)
}

/// pyperf's unit, and the factor to it.
fn unit(metric: &Metric) -> Option<(&'static str, f64)> {
    match metric.unit.as_str() {
        "" => Some(("integer", 1.0)),
        "bytes" | "B" => Some(("byte", 1.0)),
        unit => crate::time::seconds(unit).map(|factor| ("second", factor)),
    }
}
