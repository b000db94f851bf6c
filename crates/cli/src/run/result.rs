//! The result that runs are added to: a new one, or one to go on with.

use std::path::Path;

use perflab_experiment::{Experiment, Plan};
use perflab_store::{Origin, ResultDir, UntilDecided};

use super::failures::store_failure;
use super::{RunArguments, Surroundings, unfinished};
use crate::failure::Failure;

/// Sets up the directory of a new result.
pub(super) fn create(
    path: &Path,
    text: &str,
    experiment: &Experiment,
    plan: &Plan,
    surroundings: &Surroundings,
    until_decided: Option<UntilDecided>,
) -> Result<ResultDir, Failure> {
    let json = |what: Result<serde_json::Value, serde_json::Error>| {
        what.map_err(|error| Failure::environment(format!("cannot write JSON: {error}")))
    };
    let plan = json(serde_json::to_value(plan))?;
    let fingerprint = json(serde_json::to_value(surroundings))?;
    let origin = Origin {
        perflab: env!("CARGO_PKG_VERSION").to_owned(),
        created: jiff::Timestamp::now().to_string(),
        name: experiment.name.clone(),
        argv: crate::terminal::arguments(),
        until_decided,
        imported: None,
    };
    ResultDir::create(path, text, &plan, &fingerprint, origin).map_err(store_failure)
}

/// Opens the result of the same experiment under the same conditions.
pub(super) fn resume(
    arguments: &RunArguments,
    text: &str,
    experiment: &Experiment,
    now: &Surroundings,
) -> Result<(ResultDir, Plan, Experiment), Failure> {
    let path = match &arguments.out {
        Some(path) => path.clone(),
        None => unfinished::newest(&experiment.name)?,
    };
    let result = ResultDir::resume(&path).map_err(store_failure)?;
    if result.experiment() != text {
        return Err(Failure::usage(format!(
            "{} is not the file that {} was started with; resume with {} instead, or start a new experiment",
            arguments.file.display(),
            path.display(),
            path.join("experiment.toml").display(),
        )));
    }
    if arguments.until.until_decided && result.meta().origin.until_decided.is_none() {
        return Err(Failure::usage(format!(
            "{} was begun with a fixed number of runs; leave --until-decided out, or start a new experiment",
            path.display()
        )));
    }
    let plan: Plan = result.plan().map_err(store_failure)?;
    let before: Surroundings = result.fingerprint().map_err(store_failure)?;
    let mut differences: Vec<String> = before
        .machine
        .differences(&now.machine)
        .iter()
        .map(ToString::to_string)
        .collect();
    for (what, programs) in &before.programs {
        let now = now.programs.get(what).cloned().unwrap_or_default();
        let changes = programs.changes(&now).into_iter();
        differences.extend(changes.map(|change| format!("{what}: {change}")));
    }
    if !differences.is_empty() {
        return Err(Failure::environment(format!(
            "{} was begun under other conditions, so its runs cannot be joined with new ones:\n  {}",
            path.display(),
            differences.join("\n  ")
        )));
    }
    Ok((result, plan, experiment.clone()))
}
