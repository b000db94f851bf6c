//! A result as it is compared: the verdicts, and all that should be known beside them.

use std::path::Path;

use perflab_experiment::{CpuList, Experiment, Plan};
use perflab_store::{Notice, Origin, RunRecord, Stopped};
use serde_json::Value;

use crate::analyse::AnalysisError;
use crate::calibration::add_calibration;
use crate::comparison::Comparison;
use crate::experiment::{reported_subjects, result_report};
use crate::latencies::add_latencies;
use crate::observation::of_one_kind;
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
    /// CPUs that a process could use where it was measured, unless it was pinned.
    pub usable_cpus: Option<usize>,
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
        usable_cpus,
    } = *known;
    let mut report = result_report(experiment, plan, records, sample_selection, selection)?;
    let (records, _) = of_one_kind(experiment, records, sample_selection);
    report.directory = directory.map(Path::to_path_buf);
    note_stop(&mut report, stopped);
    add_latencies(
        &mut report,
        experiment,
        plan,
        &records,
        sample_selection,
        selection,
    );
    add_saturation(&mut report, experiment, &records, usable_cpus);
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

/// How many CPUs a process could use, by the fingerprint of a result; none where it does not say.
pub fn usable_cpus(fingerprint: &Value) -> Option<usize> {
    let allowed = fingerprint.pointer("/machine/confinement/allowed_cpus")?;
    let allowed: CpuList = allowed.as_str()?.parse().ok()?;
    Some(allowed.numbers().len())
}
