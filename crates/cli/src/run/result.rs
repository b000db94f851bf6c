//! The result that runs are added to: a new one, or one to go on with.

use std::path::Path;

use perflab_experiment::{Experiment, Plan};
use perflab_runner::{ThisMachine, program_changes};
use perflab_store::{Environment, Origin, ResultDir, UntilDecided};

use super::arguments::RunArguments;
use super::measure::look;
use super::{home, unfinished};
use crate::failure::Failure;

/// Sets up the directory of a new result.
pub(super) fn create(
    path: &Path,
    text: &str,
    experiment: &Experiment,
    home: &Path,
    plan: &Plan,
    environment: &Environment,
    until_decided: Option<UntilDecided>,
) -> Result<ResultDir, Failure> {
    let origin = Origin {
        perflab: env!("CARGO_PKG_VERSION").to_owned(),
        created: jiff::Timestamp::now().to_string(),
        name: experiment.name.clone(),
        argv: crate::terminal::arguments(),
        // A path that JSON cannot hold is as good as none: it would name another directory.
        directory: home.to_str().map(str::to_owned),
        until_decided,
        imported: None,
    };
    ResultDir::create(path, text, plan, environment, origin).map_err(Failure::from)
}

/// Opens the result of the same experiment under the same conditions.
pub(super) fn resume(
    arguments: &RunArguments,
    text: &str,
    experiment: &Experiment,
    home: &Path,
    machine: &ThisMachine,
) -> Result<(ResultDir, Plan, Experiment), Failure> {
    let path = match &arguments.out {
        Some(path) => path.clone(),
        None => unfinished::newest(&experiment.name)?,
    };
    let result = ResultDir::resume(&path)?;
    if result.experiment() != text {
        return Err(Failure::usage(format!(
            "{} is not the file that {} was started with; resume with {} instead, or start a new experiment",
            arguments.file.display(),
            path.display(),
            path.join("experiment.toml").display(),
        )));
    }
    home::check(&arguments.file, home, experiment, &result.meta().origin)?;
    if arguments.until.until_decided && result.meta().origin.until_decided.is_none() {
        return Err(Failure::usage(format!(
            "{} was begun with a fixed number of runs; leave --until-decided out, or start a new experiment",
            path.display()
        )));
    }
    let cells = &result.plan().cells;
    let now = look(experiment, cells, home, machine, arguments.quiet)?;
    let before = result.environment();
    let mut differences: Vec<String> = before
        .machine
        .differences(&now.machine)
        .iter()
        .map(ToString::to_string)
        .collect();
    for (what, programs) in &before.programs {
        let now = now.programs.get(what).cloned().unwrap_or_default();
        let changes = program_changes(programs, &now).into_iter();
        differences.extend(changes.map(|change| format!("{what}: {change}")));
    }
    if !differences.is_empty() {
        return Err(Failure::environment(format!(
            "{} was begun under other conditions, so its runs cannot be joined with new ones:\n  {}",
            path.display(),
            differences.join("\n  ")
        )));
    }
    let plan = result.plan().clone();
    // Of a file without a name, the name is that of the file, which may be that of the copy now.
    let experiment = Experiment {
        name: result.meta().origin.name.clone(),
        ..experiment.clone()
    };
    Ok((result, plan, experiment))
}
