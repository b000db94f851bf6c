//! `perflab export`: a result in another tool's format.

use std::collections::HashSet;
use std::path::PathBuf;

use clap::Args;
use perflab_experiment::{Cell, Experiment, Metric, Template};
use perflab_formats::{Place, Run, Target};
use perflab_report::command_of_run;
use perflab_store::RunRecord;

use crate::failure::{Code, Failure};
use crate::selection::{input, known, known_metrics, open};
use crate::terminal;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  perflab export results/first --to csv -o first.csv\n  perflab export results/first --to go-bench --variant utf8 -o utf8.txt\n  perflab export results/first --to openmetrics --metric wall"
)]
pub struct ExportArguments {
    /// A result directory.
    #[arg(value_name = "RESULT")]
    result: PathBuf,

    /// The format.
    #[arg(long, value_name = "FORMAT", value_parser = target_name)]
    to: Target,

    /// The file to write; - is standard output.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,

    /// Only this variant (may be given again).
    #[arg(long, value_name = "NAME")]
    variant: Vec<String>,

    /// Only this metric (may be given again).
    #[arg(long, value_name = "NAME")]
    metric: Vec<String>,
}

fn target_name(name: &str) -> Result<Target, String> {
    Target::by_name(name).ok_or_else(|| {
        let known: Vec<&str> = Target::ALL.iter().map(|target| target.name()).collect();
        format!("expected one of {}", known.join(", "))
    })
}

/// Executes the command.
pub fn export(arguments: &ExportArguments) -> Result<Option<Code>, Failure> {
    let result = open(&arguments.result)?;
    let records = &result.records;
    known("variant", &arguments.variant, |name| {
        records.iter().any(|record| record.variant == name)
    })?;
    known_metrics(&arguments.metric, records)?;
    let wanted = |names: &[String], name: &String| names.is_empty() || names.contains(name);
    let mut runs: Vec<Run> = records
        .iter()
        .filter(|record| wanted(&arguments.variant, &record.variant))
        .map(|record| {
            let mut run = run_of(record);
            run.samples
                .retain(|sample| wanted(&arguments.metric, &sample.metric.name));
            run
        })
        .collect();
    // A table of samples is in the order of execution. All else lists variants, the baseline first.
    if arguments.to != Target::Csv {
        let experiment = input(&result)?.experiment;
        let drawn = cells_with_drawn_values(experiment);
        let records = records.iter();
        let own = records.filter(|record| wanted(&arguments.variant, &record.variant));
        for (run, record) in runs.iter_mut().zip(own) {
            run.command.take_if(|_| drawn.contains(&record.cell));
        }
        let order = order(experiment);
        runs.sort_by_key(|run| {
            let place = order
                .iter()
                .position(|name| Some(name) == run.variant.as_ref());
            place.unwrap_or(usize::MAX)
        });
    }
    // JSON spells control characters out by itself, and what `benchstat` reads has none.
    if matches!(arguments.to, Target::Csv | Target::OpenMetrics) {
        runs.iter_mut().for_each(make_harmless);
    }
    let text = arguments
        .to
        .write(&runs, perflab_report::markdown_escape)
        .map_err(|fault| Failure::no_data(format!("cannot export: {fault}")))?;
    crate::output::write(&arguments.output, &text)?;
    Ok(None)
}

/// Spells out what would steer a terminal in the names that a workload or another tool chose.
fn make_harmless(run: &mut Run) {
    let escape = |text: &mut String| *text = terminal::escape(text);
    run.parameters.values_mut().for_each(escape);
    for sample in &mut run.samples {
        sample.benchmark.iter_mut().for_each(escape);
        let metric = &sample.metric;
        let [name, unit] = [&metric.name, &metric.unit].map(|text| terminal::escape(text));
        // Most samples share a metric that is harmless.
        if (&name, &unit) != (&metric.name, &metric.unit) {
            let better = metric.better;
            sample.metric = Metric { name, unit, better }.into();
        }
    }
}

/// The variants, the baseline first.
fn order(experiment: &Experiment) -> Vec<String> {
    let mut names: Vec<String> = experiment.variants.keys().cloned().collect();
    names.sort_by_key(|name| name != experiment.baseline());
    names
}

/// Cells in whose commands the laboratory fills in what it draws: such commands differ, though nothing else does.
fn cells_with_drawn_values(experiment: &Experiment) -> HashSet<String> {
    let is_drawn = |text: &String| {
        let template = Template::parse(text).unwrap_or_default();
        let mut placeholders = template.placeholders();
        placeholders.any(|placeholder| ["port", "dir", "run"].contains(&placeholder.name.as_str()))
    };
    let has_drawn = |cell: &Cell| {
        experiment.workload(cell).is_ok_and(|workload| {
            let command = workload.command.iter().flat_map(|command| &command.argv);
            let mut words = workload.within.iter().chain(&workload.args).chain(command);
            words.any(is_drawn)
        })
    };
    let cells = experiment.cells().into_iter();
    cells.filter(has_drawn).map(|cell| cell.id).collect()
}

fn run_of(record: &RunRecord) -> Run {
    Run {
        at: String::new(),
        place: Some(Place {
            run: record.run,
            block: record.block,
            unit: record.unit,
        }),
        variant: Some(record.variant.clone()),
        workload: Some(record.workload.clone()),
        parameters: record.parameters.clone(),
        command: command_of_run(record),
        started: Some(record.started.clone()).filter(|time| !time.is_empty()),
        failure: (!record.status.passed()).then(|| record.status.name().to_owned()),
        exit_code: record.exit_code,
        samples: record.samples.clone(),
    }
}
