//! `perflab export`: a result in another tool's format.

use std::path::PathBuf;

use clap::Args;
use perflab_experiment::Experiment;
use perflab_formats::{Place, Run, Target};
use perflab_report::command_of_run;
use perflab_store::{ResultDir, RunRecord};

use crate::failure::{Code, Failure};
use crate::run::store_failure;
use crate::selection::{known, known_metrics};

/// Write a result in another tool's format.
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
    let result = ResultDir::open(&arguments.result).map_err(store_failure)?;
    let records = result.records().map_err(store_failure)?;
    known("variant", &arguments.variant, |name| {
        records.iter().any(|record| record.variant == name)
    })?;
    known_metrics(&arguments.metric, &records)?;
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
        let order = order(&result)?;
        runs.sort_by_key(|run| {
            let place = order
                .iter()
                .position(|name| Some(name) == run.variant.as_ref());
            place.unwrap_or(usize::MAX)
        });
    }
    let text = arguments
        .to
        .write(&runs)
        .map_err(|fault| Failure::no_data(format!("cannot export: {fault}")))?;
    crate::output::write(&arguments.output, &text)?;
    Ok(None)
}

/// The variants, the baseline first.
fn order(result: &ResultDir) -> Result<Vec<String>, Failure> {
    let experiment = Experiment::parse(result.experiment(), "experiment.toml")
        .map_err(|error| Failure::no_data(error.to_string()))?;
    let mut names: Vec<String> = experiment.variants.keys().cloned().collect();
    names.sort_by_key(|name| name != experiment.baseline());
    Ok(names)
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
