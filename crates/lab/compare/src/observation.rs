//! What looking on costs: runs that were observed against the others of the same variant, in the same blocks.
//!
//! A report is made of runs of one kind. Where metrics are asked for that the workload's own runs have, observed runs
//! do not count: they would mix the cost of looking with the difference between the variants. Metrics that only
//! observed runs have, as the hits of probes, are compared among these.

use std::borrow::Cow;

use indexmap::IndexSet;
use perflab_experiment::Experiment;
use perflab_store::{EVENTS_LOST, RunRecord};

use crate::analyse::analyse_with;
use crate::comparison::Comparison;
use crate::error::AnalysisError;
use crate::row::Row;
use crate::sample_selection::{SampleSelection, metrics};
use crate::selection::Selection;
use crate::subjects::{Wanted, subjects_of};
use crate::warning::Warning;

/// What observed runs, and the others, are called while they are compared.
const OBSERVED: &str = "observed";
const OTHERS: &str = "others";

/// The parameter that keeps the variants apart meanwhile: no parameter of an experiment has such a name.
const VARIANT: &str = "{variant}";

/// The runs that a report is made of: those that nothing disturbed, or the observed ones where only these have what is
/// asked for. Whether they are the latter.
pub(crate) fn of_one_kind<'r>(
    experiment: &Experiment,
    records: &'r [RunRecord],
    sample_selection: &SampleSelection,
) -> (Cow<'r, [RunRecord]>, bool) {
    if !records.iter().any(RunRecord::is_observed) {
        return (Cow::Borrowed(records), false);
    }
    let of_kind = |kind: bool| -> Vec<RunRecord> {
        let own = records.iter().filter(|record| record.is_observed() == kind);
        own.cloned().collect()
    };
    let others = of_kind(false);
    // What is known of neither is refused with a list of what the others have.
    if metrics(experiment, &others, sample_selection).is_err() {
        let observed = of_kind(true);
        if metrics(experiment, &observed, sample_selection).is_ok() {
            return (Cow::Owned(observed), true);
        }
    }
    (Cow::Owned(others), false)
}

/// Observed runs that passed and lost events, if there are any.
pub(crate) fn events_lost(records: &[RunRecord]) -> Option<Warning> {
    let is_own = |record: &&RunRecord| record.is_observed() && record.status.passed();
    let has_lost = |record: &&RunRecord| {
        let lost = record.evidence.get(EVENTS_LOST);
        lost.is_some_and(|&lost| lost > 0.0)
    };
    let observed = records.iter().filter(is_own);
    let runs = observed.clone().filter(has_lost).count();
    (runs > 0).then(|| Warning::EventsLost {
        runs,
        observed: observed.count(),
    })
}

/// Adds what looking on has cost, where the metrics of the report were measured in both kinds of runs.
pub(crate) fn add_observation(
    report: &mut Comparison,
    experiment: &Experiment,
    records: &[RunRecord],
    sample_selection: &SampleSelection,
) {
    let names: IndexSet<&str> = records
        .iter()
        .flat_map(|record| &record.observers)
        .map(String::as_str)
        .collect();
    if names.is_empty() {
        return;
    }
    let Ok(rows) = rows(report, experiment, records, sample_selection) else {
        return;
    };
    let names: Vec<&str> = names.into_iter().collect();
    for row in &rows {
        report.warnings.push(Warning::Observed {
            observers: names.join(", "),
            row: Box::new(row.clone()),
        });
    }
    report.observation = rows;
}

/// A row for each variant and metric: over all benchmarks, or of the only one.
fn rows(
    report: &Comparison,
    experiment: &Experiment,
    records: &[RunRecord],
    sample_selection: &SampleSelection,
) -> Result<Vec<Row>, AnalysisError> {
    let renamed: Vec<RunRecord> = records.iter().map(renamed).collect();
    let wanted = Wanted::of(experiment, &renamed, sample_selection)?;
    let mut subjects = subjects_of(experiment, &renamed, &wanted)?;
    // What only one kind has is no cost.
    subjects.retain(|subject| subject.groups.len() == 2);
    let selection = Selection {
        baseline: Some(OTHERS.to_owned()),
        confidence: report.confidence,
        ..Selection::default()
    };
    let mut rows = Vec::new();
    for variant in experiment.variants.keys() {
        let own = subjects
            .iter()
            .filter(|subject| subject.key.parameters.get(VARIANT) == Some(variant));
        let own: Vec<_> = own.cloned().collect();
        if own.is_empty() {
            continue;
        }
        let design = report.design.clone();
        let compared = analyse_with(
            &report.name,
            None,
            &own,
            design,
            &selection,
            |_, _, _, _| None,
        )?;
        let all = match compared.pooled.is_empty() {
            true => compared.rows,
            false => compared.pooled,
        };
        rows.extend(all.into_iter().map(|mut row| {
            row.key.parameters.shift_remove(VARIANT);
            row.variant.clone_from(variant);
            row
        }));
    }
    Ok(rows)
}

/// A run as one of its kind, of a configuration that has its variant's name.
fn renamed(record: &RunRecord) -> RunRecord {
    let mut renamed = record.clone();
    let kind = if record.is_observed() {
        OBSERVED
    } else {
        OTHERS
    };
    renamed.observers.clear();
    let variant = std::mem::replace(&mut renamed.variant, kind.to_owned());
    renamed.parameters.insert(VARIANT.to_owned(), variant);
    renamed
}
