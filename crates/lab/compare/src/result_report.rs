//! The whole report of a recorded experiment.

use std::borrow::Cow;
use std::collections::HashSet;

use indexmap::IndexMap;
use perflab_experiment::{Experiment, LeftOut, Plan};
use perflab_store::{HITS, RunRecord, SLICES};

use crate::analyse::analyse;
use crate::autocorrelation::warn_of_autocorrelation;
use crate::comparison::{Comparison, Design, Slices, UntilDecided};
use crate::drift::settle_drift;
use crate::error::AnalysisError;
use crate::import_warnings::import_warnings;
use crate::levels::add_levels;
use crate::observation::{add_observation, events_lost, of_one_kind};
use crate::run_warnings::run_warnings;
use crate::sample_index::SampleIndex;
use crate::sample_selection::SampleSelection;
use crate::selection::Selection;
use crate::subject::Subject;
use crate::subjects::result_subjects;
use crate::tail::short_runs;
use crate::turns;
use crate::warning::Warning;

/// Compares the variants of a recorded experiment.
///
/// # Errors
/// When there is nothing to compare, or the samples that are asked for do not exist.
pub fn result_report(
    experiment: &Experiment,
    plan: &Plan,
    records: &[RunRecord],
    sample_selection: &SampleSelection,
    selection: &Selection,
) -> Result<Comparison, AnalysisError> {
    let report = report_of(experiment, plan, records, sample_selection, selection);
    report.map_err(|error| match events_lost(records) {
        Some(Warning::EventsLost { runs, .. })
            if sample_selection.metrics.iter().any(|name| name == HITS) =>
        {
            let error = Box::new(error);
            AnalysisError::NoHits { runs, error }
        }
        _ => error,
    })
}

fn report_of(
    experiment: &Experiment,
    plan: &Plan,
    records: &[RunRecord],
    sample_selection: &SampleSelection,
    selection: &Selection,
) -> Result<Comparison, AnalysisError> {
    let finished = finished_blocks(plan, records);
    let counted = counted(records, finished, selection);
    let (all, counted) = (records, &*counted);
    let (records, is_observed) = of_one_kind(experiment, counted, sample_selection);
    let records = &*records;
    let subjects = result_subjects(experiment, plan, records, sample_selection, selection)
        .map_err(|error| under_way(error, all, finished))?;
    let mut report = analyse(
        &experiment.name,
        experiment.question.clone(),
        &subjects,
        design(experiment, plan, all),
        selection,
    )?;
    let left_out = LeftOut::by_reason(&plan.left_out).into_iter();
    report.warnings.extend(left_out.map(Warning::LeftOut));
    if selection.anytime {
        report.design.until_decided = Some(UntilDecided {
            blocks: finished,
            most: planned_blocks(plan),
            stopped: None,
        });
        report.design.blocks = finished;
    } else if all.len() < plan.runs.len() {
        report.warnings.push(Warning::PartlyRecorded {
            recorded: all.len(),
            planned: plan.runs.len(),
        });
    }
    report.warnings.extend(run_warnings(experiment, counted));
    report
        .warnings
        .extend(turns::warnings(experiment, plan, counted));
    settle_drift(&mut report);
    let samples = SampleIndex::of(records);
    if experiment.is_imported() {
        let caveats = import_warnings(&report);
        report.warnings.extend(caveats);
    } else {
        warn_of_autocorrelation(&mut report, records, &samples);
    }
    add_levels(&mut report, experiment, records, &samples);
    report.warnings.extend(events_lost(counted));
    match is_observed {
        true => report.warnings.push(Warning::ObservedOnly),
        false => add_observation(&mut report, experiment, counted, sample_selection),
    }
    report
        .warnings
        .extend(short_runs(&subjects, sample_selection, selection));
    Ok(report)
}

/// What [`result_report`] compares.
///
/// # Errors
/// As of the report.
pub(crate) fn counted_subjects(
    experiment: &Experiment,
    plan: &Plan,
    records: &[RunRecord],
    sample_selection: &SampleSelection,
    selection: &Selection,
) -> Result<Vec<Subject>, AnalysisError> {
    let finished = finished_blocks(plan, records);
    let own = counted(records, finished, selection);
    let (own, _) = of_one_kind(experiment, &own, sample_selection);
    result_subjects(experiment, plan, &own, sample_selection, selection)
        .map_err(|error| under_way(error, records, finished))
}

/// Where nothing counts, and runs that passed are recorded all the same: they are in a block under way.
fn under_way(error: AnalysisError, records: &[RunRecord], complete: u32) -> AnalysisError {
    let passed = records.iter().filter(|record| record.status.passed());
    match (error, passed.count()) {
        (AnalysisError::Empty, passed @ 1..) => AnalysisError::UnderWay { complete, passed },
        (error, _) => error,
    }
}

/// The runs that count.
fn counted<'r>(
    records: &'r [RunRecord],
    finished: u32,
    selection: &Selection,
) -> Cow<'r, [RunRecord]> {
    // A block under way is no fair game: whoever looks at it may stop when it suits.
    if selection.anytime {
        let own = records.iter().filter(|record| record.block <= finished);
        own.cloned().collect()
    } else {
        Cow::Borrowed(records)
    }
}

fn design(experiment: &Experiment, plan: &Plan, records: &[RunRecord]) -> Design {
    Design {
        blocks: blocks(records),
        planned: plan.runs.len(),
        recorded: records.len(),
        failed: failed(records),
        seed: Some(plan.seed).filter(|_| !experiment.is_imported()),
        randomised: !experiment.is_imported(),
        slices: slices(experiment, records),
        ..Design::default()
    }
}

/// How many slices runs had; nothing where none had any.
fn slices(experiment: &Experiment, records: &[RunRecord]) -> Option<Slices> {
    let counts = records.iter().filter_map(|run| run.evidence.get(SLICES));
    let counts: Vec<u32> = counts.map(|count| *count as u32).collect();
    let (least, most) = (counts.iter().min(), counts.iter().max());
    least.zip(most).map(|(least, most)| Slices {
        least: *least,
        most: *most,
        together: experiment.design.together,
    })
}

/// How many runs did not pass, by status.
pub(crate) fn failed<'r>(
    records: impl IntoIterator<Item = &'r RunRecord>,
) -> IndexMap<String, usize> {
    let mut failed: IndexMap<String, usize> = IndexMap::new();
    let records = records.into_iter();
    for record in records.filter(|record| !record.status.passed()) {
        *failed.entry(record.status.name().to_owned()).or_default() += 1;
    }
    failed
}

/// How many blocks, from the first on, have all their runs recorded, passed or not.
fn finished_blocks(plan: &Plan, records: &[RunRecord]) -> u32 {
    let recorded: HashSet<u32> = records.iter().map(|record| record.run).collect();
    let missing = plan.runs.iter().find(|run| !recorded.contains(&run.run));
    match missing {
        Some(run) => run.block.saturating_sub(1),
        None => planned_blocks(plan),
    }
}

fn planned_blocks(plan: &Plan) -> u32 {
    plan.runs.iter().map(|run| run.block).max().unwrap_or(0)
}

/// Blocks that have a run.
fn blocks(records: &[RunRecord]) -> u32 {
    let begun: HashSet<u32> = records.iter().map(|record| record.block).collect();
    u32::try_from(begun.len()).unwrap_or(u32::MAX)
}
