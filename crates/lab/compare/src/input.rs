//! Results as they are compared: one, or a half of two.

use std::path::Path;

use perflab_experiment::{Experiment, LeftOut, ParseError, Plan};
use perflab_store::{Environment, Notice, OpenedResult, Origin, RunRecord, Salvage, Stopped};

/// What of a result is compared.
#[derive(Debug, Clone, Copy)]
pub struct ResultInput<'r> {
    /// Its directory, if the report may name it.
    pub directory: Option<&'r Path>,
    /// Where it comes from.
    pub origin: &'r Origin,
    /// The experiment, with the name that it has there.
    pub experiment: &'r Experiment,
    /// The plan.
    pub plan: &'r Plan,
    /// The runs.
    pub records: &'r [RunRecord],
    /// Why the experiment has ended, where its own results may end it.
    pub stopped: Option<Stopped>,
    /// What a person should know about the directory.
    pub notices: &'r [Notice],
    /// The machine and the programs it was measured with, as far as they are known.
    pub environment: Option<&'r Environment>,
}

impl<'r> ResultInput<'r> {
    /// Of a result that was opened.
    ///
    /// # Errors
    /// If this version of perflab does not understand the experiment.
    pub fn of(result: &'r OpenedResult) -> Result<Self, &'r ParseError> {
        Ok(Self {
            directory: Some(&result.path),
            origin: &result.meta.origin,
            experiment: result.experiment.parsed.as_ref()?,
            plan: &result.plan,
            records: &result.records,
            stopped: result.stopped,
            notices: &result.notices,
            environment: Some(&result.environment),
        })
    }

    /// Of a result that perhaps cannot be trusted, whose directory the report does not name.
    ///
    /// # Errors
    /// Why it cannot be compared, in words.
    pub fn of_salvage(salvage: &'r Salvage) -> Result<Self, &'static str> {
        let experiment = salvage.experiment.as_ref();
        let experiment = experiment.and_then(|experiment| experiment.parsed.as_ref().ok());
        let (Some(meta), Some(experiment), Some(plan)) = (&salvage.meta, experiment, &salvage.plan)
        else {
            return Err("what the runs were made for cannot be trusted");
        };
        if !salvage.problems.is_empty() {
            return Err("a part of the result is missing or was altered");
        }
        Ok(Self {
            directory: None,
            origin: &meta.origin,
            experiment,
            plan,
            records: &salvage.records,
            stopped: salvage.stopped,
            notices: &salvage.notices,
            environment: salvage.environment.as_ref(),
        })
    }
}

/// A result of two.
#[derive(Debug, Clone, Copy)]
pub struct Half<'r> {
    /// What it is called in the report.
    pub name: &'r str,
    /// Its directory, as a command line names it.
    pub directory: &'r str,
    /// Its experiment.
    pub experiment: &'r Experiment,
    /// Its runs.
    pub records: &'r [RunRecord],
    /// The machine and the programs it was measured with, as far as they are known.
    pub environment: Option<&'r Environment>,
    /// Runs of its plan.
    pub planned: usize,
    /// Cells that could not be measured.
    pub left_out: &'r [LeftOut],
    /// Whether its own results could end it.
    pub until_decided: bool,
}

impl<'r> Half<'r> {
    /// Of a result, with its name in the report and its directory as a command line names it.
    pub fn of(name: &'r str, directory: &'r str, result: &ResultInput<'r>) -> Self {
        Self {
            name,
            directory,
            experiment: result.experiment,
            records: result.records,
            environment: result.environment,
            planned: result.plan.runs.len(),
            left_out: &result.plan.left_out,
            until_decided: result.origin.until_decided.is_some(),
        }
    }
}
