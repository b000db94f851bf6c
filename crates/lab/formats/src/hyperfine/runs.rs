//! hyperfine's JSON as runs, and back.

use indexmap::IndexMap;
use perflab_experiment::counted;
use perflab_experiment::{Better, Metric};

use super::entry::Entry;
use super::json::{read as read_json, write as write_json};
use crate::fault::{Fault, WriteFault};
use crate::run::{Contents, File, Run, sample, twins};
use crate::summary::{Scope, Summary, summaries};

/// The runs in a file: each time is a process of its own. A command is a variant.
///
/// # Errors
/// As [`read_json`]; if no command has the times of its runs; if lists of a command have different lengths; and if
/// nothing tells two results apart.
pub fn read_runs(file: &File) -> Result<Contents, Fault> {
    let entries =
        read_json(&file.bytes).map_err(|error| Fault::new(&file.path, error.to_string()))?;
    let names = entries.iter().map(|entry| name(entry, true));
    if let Some([first, second]) = twins(names) {
        return Err(Fault::new(
            &file.path,
            format!(
                "/results/{first} and /results/{second} are both of the command `{}` with the same parameters, and may be \
                 two sides or one; name them with hyperfine's --command-name, or put each into a file of its own",
                crate::fault::shown(&entries[first].command)
            ),
        ));
    }
    let mut contents = Contents::default();
    for (index, entry) in entries.iter().enumerate() {
        let Some(times) = entry.times.as_ref().filter(|times| !times.is_empty()) else {
            contents.notes.push(format!(
                "{} was left out: the file has a summary of it, but no `times`",
                crate::fault::shown(&entry.command)
            ));
            continue;
        };
        let memory = entry.memory_usage_byte.as_ref();
        for (field, found) in [
            ("memory_usage_byte", memory.map_or(0, Vec::len)),
            ("exit_codes", entry.exit_codes.len()),
        ] {
            if found > 0 && found != times.len() {
                return Err(Fault::new(
                    &file.path,
                    format!(
                        "expected as many `{field}` as `times` in /results/{index}, found {found} and {}; measure that \
                         command again",
                        times.len()
                    ),
                ));
            }
        }
        let twice = entries
            .iter()
            .filter(|other| other.command == entry.command)
            .count()
            > 1;
        let failed = entry
            .exit_codes
            .iter()
            .filter(|code| **code != Some(0))
            .count();
        if failed > 0 {
            contents.notes.push(format!(
                "{failed} of {} of {} did not end with exit code 0, and are there all the same",
                counted(times.len(), "run"),
                crate::fault::shown(&entry.command)
            ));
        }
        let metric = match entry.is_cpu() {
            true => "cpu",
            false => "wall",
        };
        for (place, time) in times.iter().enumerate() {
            let mut samples = vec![sample(None, metric, "s", Better::Lower, *time)];
            let memory = memory.and_then(|all| all.get(place));
            if let Some(bytes) = memory.filter(|bytes| **bytes > 0) {
                let bytes = *bytes as f64;
                samples.push(sample(None, "max_rss", "bytes", Better::Lower, bytes));
            }
            contents.runs.push(Run {
                at: format!("/results/{index}/times/{place}"),
                variant: Some(name(entry, twice)),
                command: Some(entry.command.clone()),
                exit_code: entry.exit_codes.get(place).copied().flatten(),
                samples,
                ..Run::default()
            });
        }
    }
    contents.not_empty(
        &file.path,
        "expected `times`, one for each run, found summaries only",
    )
}

/// The command, with its parameters where commands of the same name differ in nothing else.
fn name(entry: &Entry, with_parameters: bool) -> String {
    let mut words = vec![entry.command.clone()];
    if with_parameters {
        let parameters = entry.parameters.iter();
        words.extend(parameters.map(|(name, value)| format!("{name}={value}")));
    }
    words.join(" ")
}

/// The JSON that hyperfine would write: for each variant, workload, benchmark and parameters the first
/// metric of its runs that is a time.
///
/// A result's name is the command, if commands tell all results apart, else the benchmark's name.
/// `user` and `system` are means of the metrics of these names, or 0.
///
/// # Errors
/// No metric is a time.
pub fn write_runs(runs: &[Run]) -> Result<String, WriteFault> {
    let scope = Scope::of(runs);
    let all = summaries(runs);
    let mut chosen: Vec<(&Summary<'_>, f64)> = Vec::new();
    for summary in &all {
        let Some(factor) = crate::time::seconds(&summary.metric.unit) else {
            continue;
        };
        let is_new = !chosen.iter().any(|(other, _)| same_place(other, summary));
        // A run's mean may be above 0 while one of its samples is not.
        let mut times = times(runs, summary, factor).into_iter();
        if is_new && summary.min() >= 0.0 && times.all(|time| time >= 0.0) {
            chosen.push((summary, factor));
        }
    }
    if chosen.is_empty() {
        return Err(WriteFault::Nothing(
            "hyperfine holds times, and no metric has a unit of time".to_owned(),
        ));
    }
    let mut commands: IndexMap<&str, usize> = IndexMap::new();
    for (summary, _) in &chosen {
        let command = summary.run.command.as_deref().unwrap_or_default();
        *commands.entry(command).or_default() += 1;
    }
    let apart = commands
        .iter()
        .all(|(command, times)| !command.is_empty() && *times == 1);
    let entries: Vec<Entry> = chosen
        .iter()
        .map(|(summary, factor)| {
            let command = summary.run.command.clone().filter(|_| apart);
            let cpu = |name: &str| cpu(&all, summary, name);
            let entry = Entry {
                command: command.unwrap_or_else(|| summary.name(scope)),
                mean: summary.mean() * factor,
                stddev: summary.deviation().map(|deviation| deviation * factor),
                median: summary.median() * factor,
                user: cpu("user"),
                system: cpu("system"),
                min: summary.min() * factor,
                max: summary.max() * factor,
                times: Some(times(runs, summary, *factor)),
                memory_usage_byte: memory(runs, summary),
                exit_codes: own(runs, summary).map(|run| run.exit_code).collect(),
                metric: None,
                parameters: summary.run.parameters.clone(),
            };
            match summary.metric.name == "cpu" {
                true => entry.of_cpu(),
                false => entry,
            }
        })
        .collect();
    write_json(&entries).map_err(WriteFault::writer)
}

fn same_place(a: &Summary<'_>, b: &Summary<'_>) -> bool {
    a.benchmark == b.benchmark && same_cell(a.run, b.run)
}

fn same_cell(a: &Run, b: &Run) -> bool {
    a.variant == b.variant && a.workload == b.workload && a.parameters == b.parameters
}

/// The runs behind a summary, in their order.
fn own<'a>(runs: &'a [Run], summary: &'a Summary<'_>) -> impl Iterator<Item = &'a Run> {
    runs.iter().filter(|run| {
        same_cell(run, summary.run)
            && values(run, summary.benchmark, summary.metric)
                .next()
                .is_some()
    })
}

fn values<'a>(
    run: &'a Run,
    benchmark: Option<&'a str>,
    metric: &'a Metric,
) -> impl Iterator<Item = f64> + 'a {
    run.samples
        .iter()
        .filter(move |sample| sample.benchmark.as_deref() == benchmark && *sample.metric == *metric)
        .map(|sample| sample.value)
}

/// One time for each run, in the order of the runs: the mean of its samples.
fn times(runs: &[Run], summary: &Summary<'_>, factor: f64) -> Vec<f64> {
    own(runs, summary)
        .map(|run| {
            let values: Vec<f64> = values(run, summary.benchmark, summary.metric).collect();
            let n = values.len().max(1) as f64;
            values.iter().map(|value| value / n).sum::<f64>() * factor
        })
        .collect()
}

fn cpu(all: &[Summary<'_>], summary: &Summary<'_>, name: &str) -> f64 {
    all.iter()
        .filter(|other| same_place(other, summary) && other.metric.name == name)
        .find_map(|other| Some(other.mean() * crate::time::seconds(&other.metric.unit)?))
        .unwrap_or(0.0)
}

fn memory(runs: &[Run], summary: &Summary<'_>) -> Option<Vec<u64>> {
    let metric = Metric::new("max_rss", "bytes", Better::Lower);
    own(runs, summary)
        .map(|run| {
            values(run, summary.benchmark, &metric)
                .next()
                .map(|bytes| bytes as u64)
        })
        .collect()
}
