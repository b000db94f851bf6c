//! `perflab steady`: from which iteration on processes are steady, if ever.

use std::path::Path;

use clap::Args;
use indexmap::IndexMap;
use perflab_compare::{SteadyReport, steady_report};
use perflab_experiment::Metric;
use perflab_report::steady_text;

use crate::failure::{Code, Failure};
use crate::numbers::{NumbersArguments, refuse};
use crate::percent::margin;
use crate::selection::{known_metrics, open};
use crate::terminal;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  perflab steady process-1.txt process-2.txt process-3.txt --unit ms"
)]
pub struct SteadyArguments {
    /// Files with the iterations of one process each, or one result directory.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,

    /// Largest difference of two medians that does not matter, as in 1%.
    #[arg(
        long,
        value_name = "PERCENT",
        default_value = "1%",
        allow_hyphen_values = true
    )]
    margin: String,

    /// Metric of a result [default: every metric with enough samples in a run].
    #[arg(long, value_name = "NAME")]
    metric: Option<String>,

    /// What plain files hold.
    #[command(flatten)]
    numbers: NumbersArguments,

    /// Print the output in this form.
    #[arg(long, value_enum, default_value_t = terminal::Form::Text)]
    format: terminal::Form,
}

/// Executes the command.
pub fn steady(arguments: &SteadyArguments) -> Result<Option<Code>, Failure> {
    let margin = margin(&arguments.margin)?;
    let reports = match arguments.files.as_slice() {
        [one] if Path::new(one).is_dir() => recorded(Path::new(one), arguments, margin)?,
        _ => vec![plain(arguments, margin)?],
    };
    let options = terminal::text_options(false);
    let texts: Vec<String> = reports
        .iter()
        .map(|report| match arguments.format {
            terminal::Form::Text => Ok(steady_text(report, &options)),
            terminal::Form::Json => terminal::json(report),
        })
        .collect::<Result<_, _>>()?;
    let between = match arguments.format {
        terminal::Form::Text => "\n",
        terminal::Form::Json => "",
    };
    terminal::print(&texts.join(between))?;
    Ok(None)
}

fn plain(arguments: &SteadyArguments, margin: f64) -> Result<SteadyReport, Failure> {
    refuse(
        &[("--metric", arguments.metric.is_some())],
        "is for a result; a plain file has one column of numbers (-C takes another one)",
    )?;
    let mut processes = Vec::new();
    for file in &arguments.files {
        let values = arguments.numbers.read(Path::new(file))?;
        let Some(each) = arguments.numbers.each(Path::new(file), values.len())? else {
            processes.push((file.clone(), values));
            continue;
        };
        let parts = values.chunks(each).zip(1..);
        processes.extend(parts.map(|(part, number)| (format!("{file} {number}"), part.to_vec())));
    }
    classified(
        "plain files",
        &arguments.numbers.metric(),
        &processes,
        margin,
    )
}

/// The samples of a run are the iterations of a process.
fn recorded(
    path: &Path,
    arguments: &SteadyArguments,
    margin: f64,
) -> Result<Vec<SteadyReport>, Failure> {
    arguments.numbers.refuse_for_result(path)?;
    let records = open(path)?.records;
    known_metrics(arguments.metric.as_slice(), &records)?;
    let mut found: IndexMap<(String, Metric), IndexMap<String, Vec<f64>>> = IndexMap::new();
    for record in records.iter().filter(|record| record.status.passed()) {
        for sample in &record.samples {
            if arguments
                .metric
                .as_ref()
                .is_some_and(|name| *name != sample.metric.name)
            {
                continue;
            }
            let name = match &sample.benchmark {
                Some(benchmark) => format!("{} {benchmark}", record.cell),
                None => record.cell.clone(),
            };
            let processes = found
                .entry((name, Metric::clone(&sample.metric)))
                .or_default();
            let run = format!("run {}", record.run);
            processes.entry(run).or_default().push(sample.value);
        }
    }
    if arguments.metric.is_none() {
        found.retain(|_, processes| {
            let fewest = perflab_stats::steady::FEWEST;
            processes.values().all(|values| values.len() >= fewest)
        });
    }
    if found.is_empty() {
        return Err(Failure::no_data(format!(
            "{}: no metric has {} samples or more in each run that passed, in the order of its \
             iterations; give the iterations as plain files",
            path.display(),
            perflab_stats::steady::FEWEST
        )));
    }
    found
        .into_iter()
        .map(|((name, metric), processes)| {
            let processes: Vec<(String, Vec<f64>)> = processes.into_iter().collect();
            classified(&name, &metric, &processes, margin)
        })
        .collect()
}

fn classified(
    name: &str,
    metric: &Metric,
    processes: &[(String, Vec<f64>)],
    margin: f64,
) -> Result<SteadyReport, Failure> {
    steady_report(name, metric, processes, margin)
        .map_err(|(process, error)| Failure::no_data(format!("{process}: {error}")))
}
