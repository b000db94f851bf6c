//! A result as it is compared: the verdicts, and all that should be known beside them.

use std::path::Path;

use perflab_experiment::{Experiment, ParseError, Plan};
use perflab_store::{Environment, Notice, OpenedResult, Origin, RunRecord, Salvage, Stopped};

use crate::analyse::AnalysisError;
use crate::calibration::add_calibration;
use crate::comparison::Comparison;
use crate::experiment::{reported_subjects, result_report};
use crate::latencies::add_latencies;
use crate::sample_selection::SampleSelection;
use crate::saturation::add_saturation;
use crate::selection::{Claims, Selection};
use crate::stopping::note_stop;
use crate::warning::Warning;

/// What is known of a result.
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

impl Selection {
    /// How an experiment is compared unless one says otherwise.
    pub fn of(experiment: &Experiment, origin: &Origin) -> Self {
        Self {
            baseline: Some(experiment.baseline().to_owned()),
            control: experiment.design.control.clone(),
            margin: experiment.design.margin,
            confidence: experiment.design.confidence,
            claims: Claims::default(),
            anytime: origin.until_decided.is_some(),
        }
    }
}

/// The report on a result, as `perflab compare` prints it.
///
/// # Errors
/// When there is nothing to compare, or the samples that are asked for do not exist.
pub fn compare_result(
    known: &ResultInput<'_>,
    sample_selection: &SampleSelection,
    selection: &Selection,
) -> Result<Comparison, AnalysisError> {
    let ResultInput {
        directory,
        origin,
        experiment,
        plan,
        records,
        stopped,
        notices,
        environment,
    } = *known;
    let mut report = result_report(experiment, plan, records, sample_selection, selection)?;
    report.directory = directory.map(Path::to_path_buf);
    note_stop(&mut report, stopped);
    add_latencies(
        &mut report,
        experiment,
        plan,
        records,
        sample_selection,
        selection,
    );
    let usable_cpus = environment.and_then(Environment::usable_cpus);
    add_saturation(&mut report, experiment, records, usable_cpus);
    if origin
        .imported
        .as_ref()
        .is_some_and(|imported| imported.independent)
    {
        report.warnings.push(Warning::ImportedIndependent);
    }
    report
        .warnings
        .extend(notices.iter().cloned().map(Warning::Directory));
    Ok(report)
}

/// Adds to a report of [`compare_result`] how often such reports are false where nothing differs.
///
/// # Errors
/// As of the report.
pub fn calibrate(
    report: &mut Comparison,
    known: &ResultInput<'_>,
    sample_selection: &SampleSelection,
    selection: &Selection,
    reports: u32,
    tick: &mut dyn FnMut(u32),
) -> Result<(), AnalysisError> {
    let (experiment, plan, records) = (known.experiment, known.plan, known.records);
    let subjects = reported_subjects(experiment, plan, records, sample_selection, selection)?;
    add_calibration(report, &subjects, selection, reports, tick)
}
