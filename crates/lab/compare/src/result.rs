//! A result as it is compared: the verdicts, and all that should be known beside them.

use std::path::Path;

use perflab_store::Environment;

use crate::calibration::add_calibration;
use crate::comparison::Comparison;
use crate::error::AnalysisError;
use crate::input::ResultInput;
use crate::latencies::add_latencies;
use crate::observation::of_one_kind;
use crate::result_report::{counted_subjects, result_report};
use crate::sample_selection::SampleSelection;
use crate::saturation::add_saturation;
use crate::selection::Selection;
use crate::stopping::note_stop;
use crate::turns::quantile_warnings;
use crate::warning::Warning;

/// The report on a result, as `perflab compare` prints it.
///
/// # Errors
/// When there is nothing to compare, or the samples that are asked for do not exist.
pub fn compare_result(
    input: &ResultInput<'_>,
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
    } = *input;
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
    let quantiles = quantile_warnings(experiment, &report);
    report.warnings.extend(quantiles);
    let usable_cpus = environment.and_then(Environment::usable_cpus);
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
    input: &ResultInput<'_>,
    sample_selection: &SampleSelection,
    selection: &Selection,
    reports: u32,
    tick: &mut dyn FnMut(u32),
) -> Result<(), AnalysisError> {
    let (experiment, plan, records) = (input.experiment, input.plan, input.records);
    let subjects = counted_subjects(experiment, plan, records, sample_selection, selection)?;
    add_calibration(report, &subjects, selection, reports, tick)
}
