//! From runs to the text.

use std::fmt::Write as _;

use indexmap::{IndexMap, IndexSet};
use perflab_experiment::Metric;

use super::unit::{join, word};
use crate::fault::WriteFault;
use crate::run::{self, Run, benchmark, several_variants, several_workloads};

/// The text that `benchstat` reads. Each run ends with `PASS`, as a process of `go test` does.
///
/// Where there are several variants, a line `variant: NAME` stands before the runs of each, and
/// `benchstat -col variant` compares them. With a single one there is no such line, so that two
/// files can be compared.
///
/// # Errors
/// No samples; or names that become one without their white space.
pub fn write(runs: &[Run]) -> Result<String, WriteFault> {
    let whole = several_workloads(runs);
    let named = several_variants(runs);
    let mut text = units(runs)?;
    let mut names: IndexMap<String, String> = IndexMap::new();
    let mut variant: Option<&str> = None;
    for run in runs.iter().filter(|run| !run.samples.is_empty()) {
        let own = run.variant.as_deref().unwrap_or_default();
        if named && variant != Some(own) {
            let _ = writeln!(text, "variant: {}", word(own));
            variant = Some(own);
        }
        for (name, lines) in lines(run, whole) {
            let short = word(&name);
            let first = names.entry(short.clone()).or_insert_with(|| name.clone());
            if *first != name {
                return Err(WriteFault::SameName {
                    first: first.clone(),
                    second: name,
                    name: short,
                });
            }
            for values in lines {
                let _ = write!(text, "Benchmark{short} 1");
                for (unit, value) in values {
                    let _ = write!(text, " {value} {unit}");
                }
                text.push('\n');
            }
        }
        text.push_str("PASS\n");
    }
    Ok(text)
}

/// `Unit` lines: which way each is better.
fn units(runs: &[Run]) -> Result<String, WriteFault> {
    let metrics: IndexSet<&Metric> = runs
        .iter()
        .flat_map(|run| &run.samples)
        .map(|sample| &*sample.metric)
        .collect();
    if metrics.is_empty() {
        return Err(WriteFault::no_samples());
    }
    let mut known: IndexMap<String, &Metric> = IndexMap::new();
    let mut text = String::new();
    for metric in metrics {
        let unit = join(metric);
        if let Some(other) = known.insert(unit.clone(), metric) {
            return Err(WriteFault::SameName {
                first: format!("{} ({})", other.name, other.unit),
                second: format!("{} ({})", metric.name, metric.unit),
                name: unit,
            });
        }
        let better = run::word(metric.better);
        let _ = writeln!(text, "Unit {unit} better={better}");
    }
    Ok(text)
}

/// Units and values of one line.
type Line = Vec<(String, f64)>;

/// For each name its lines: the first sample of each metric, then the second ones, and so on.
fn lines(run: &Run, whole: bool) -> IndexMap<String, Vec<Line>> {
    let mut found: IndexMap<String, Vec<Line>> = IndexMap::new();
    for sample in &run.samples {
        let name = benchmark(run, sample.benchmark.as_deref(), whole);
        let unit = join(&sample.metric);
        let lines = found.entry(name).or_default();
        let free = lines
            .iter()
            .position(|line| line.iter().all(|(known, _)| *known != unit));
        match free.and_then(|place| lines.get_mut(place)) {
            Some(line) => line.push((unit, sample.value)),
            None => lines.push(vec![(unit, sample.value)]),
        }
    }
    found
}
