//! What a search looks at: the workload, the benchmark and the metric.

use perflab_compare::{SampleSelection, Selection, SubjectKey, result_subjects};
use perflab_history::subject_name;
use perflab_store::OpenedResult;

use super::arguments::BisectArguments;
use crate::failure::Failure;
use crate::history::file::Read;

/// Refuses a workload that the experiment does not have.
pub(super) fn check_workload(read: &Read, asked: &str) -> Result<(), Failure> {
    let workloads = &read.experiment.workloads;
    if workloads.contains_key(asked) {
        return Ok(());
    }
    let known: Vec<String> = workloads.keys().map(|name| format!("`{name}`")).collect();
    Err(Failure::usage(format!(
        "--workload: the experiment has no workload `{asked}`; it has {}",
        known.join(", ")
    )))
}

/// The only subject of those that are asked for.
pub(super) fn subject(
    result: &OpenedResult,
    arguments: &BisectArguments,
) -> Result<SubjectKey, Failure> {
    let asked = SampleSelection {
        metrics: arguments.metric.iter().cloned().collect(),
        benchmarks: arguments.benchmark.iter().cloned().collect(),
        ..SampleSelection::default()
    };
    let keys = keys(result, &asked)?;
    match keys.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(Failure::usage(format!(
            "no metric fits --metric and --benchmark together; perflab measured:\n  {}",
            names(&self::keys(result, &SampleSelection::default())?)
        ))),
        several => Err(Failure::usage(format!(
            "several metrics were measured; choose one with --metric, --benchmark and --workload:\n  {}",
            names(several)
        ))),
    }
}

/// What was measured, of these samples.
fn keys(result: &OpenedResult, samples: &SampleSelection) -> Result<Vec<SubjectKey>, Failure> {
    let input = crate::selection::input(result)?;
    let selection = Selection::of(input.experiment, input.origin);
    let subjects = result_subjects(
        input.experiment,
        input.plan,
        input.records,
        samples,
        &selection,
    )?;
    let keys = subjects.into_iter().map(|subject| subject.key);
    Ok(keys.filter(|key| !key.observed).collect())
}

fn names(keys: &[SubjectKey]) -> String {
    let names: Vec<String> = keys.iter().map(subject_name).collect();
    names.join("\n  ")
}
