//! From the records of a result, or from plain numbers, to what may be compared.

use std::collections::HashSet;

use indexmap::{IndexMap, IndexSet};
use perflab_experiment::{Experiment, Metric, Plan, Refresh};
use perflab_stats::Observation;
use perflab_store::RunRecord;

use crate::analysis::{AnalysisError, Group, Selection, Subject, analyse};
use crate::imported;
use crate::levels::add_levels;
use crate::model::{Design, Report, UntilDecided};
use crate::saturation::saturated;
use crate::tail::{short_runs, tail_metric, tail_name, tail_of_run};
use crate::wander::add_wandering;

/// Which of the samples to compare.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    /// Names of metrics; empty for the experiment's own choice.
    pub metrics: Vec<String>,
    /// Names of parts or subsets; empty for all.
    pub parts: Vec<String>,
    /// Quantiles, as 0.99, that are asked about beside each metric with several samples in a run.
    pub tails: Vec<f64>,
}

/// Identifies a subject.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    metric: Metric,
    workload: String,
    parameters: Vec<(String, String)>,
    part: Option<String>,
}

/// Compares the variants of a recorded experiment.
///
/// # Errors
/// When there is nothing to compare, or the filter names something that there is not.
pub fn result_report(
    experiment: &Experiment,
    plan: &Plan,
    records: &[RunRecord],
    filter: &Filter,
    selection: &Selection,
) -> Result<Report, AnalysisError> {
    let finished = finished_blocks(plan, records);
    // A block under way is no fair game: whoever looks at it may stop when it suits.
    let counted: Vec<RunRecord> = records
        .iter()
        .filter(|record| !selection.anytime || record.block <= finished)
        .cloned()
        .collect();
    let (all, records) = (records, counted.as_slice());
    let subjects = result_subjects(experiment, plan, records, filter, selection)?;
    let mut report = analyse(
        &experiment.name,
        experiment.question.clone(),
        &subjects,
        design(experiment, plan, all),
        selection,
    )?;
    if selection.anytime {
        report.design.until_decided = Some(UntilDecided {
            blocks: finished,
            most: report.design.blocks,
            stopped: None,
        });
        report.design.blocks = finished;
    } else if all.len() < plan.runs.len() {
        report.warnings.push(format!(
            "{} of {} planned runs are recorded; `perflab run --resume` makes the rest",
            all.len(),
            plan.runs.len()
        ));
    }
    report.warnings.extend(warnings(experiment, records));
    if experiment.is_imported() {
        let caveats = imported::caveats(&report);
        report.warnings.extend(caveats);
    } else {
        add_wandering(&mut report, records);
    }
    add_levels(&mut report, experiment, records);
    report
        .warnings
        .extend(short_runs(&subjects, filter, selection));
    Ok(report)
}

/// What a recorded experiment lets one compare.
///
/// # Errors
/// When there is nothing to compare, or the filter names something that there is not.
pub fn result_subjects(
    experiment: &Experiment,
    plan: &Plan,
    records: &[RunRecord],
    filter: &Filter,
    selection: &Selection,
) -> Result<Vec<Subject>, AnalysisError> {
    let wanted = metrics(experiment, records, filter)?;
    let parts = parts(experiment, records, filter)?;
    both_sides(experiment, records, selection)?;
    let kept = experiment.design.refresh == Refresh::Keep;
    let mut found: IndexMap<Key, IndexMap<String, Vec<Observation>>> = IndexMap::new();
    for record in records.iter().filter(|record| record.status.passed()) {
        let parameters: Vec<(String, String)> = record
            .parameters
            .iter()
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let mut samples: IndexMap<Key, Vec<f64>> = IndexMap::new();
        for sample in &record.samples {
            if !wanted.contains(&sample.metric.name) {
                continue;
            }
            if let (Some(parts), Some(part)) = (&parts, &sample.part)
                && !parts.contains(part)
            {
                continue;
            }
            let key = Key {
                metric: sample.metric.clone(),
                workload: record.workload.clone(),
                parameters: parameters.clone(),
                part: sample.part.clone(),
            };
            samples.entry(key).or_default().push(sample.value);
        }
        for (key, values) in samples {
            let observed = |value: f64| Observation {
                block: record.block,
                // A kept system never changes, so there is no unit but the run to count.
                unit: if kept { record.run } else { record.unit },
                value,
            };
            for tail in &filter.tails {
                let Some(value) = tail_of_run(&values, *tail) else {
                    continue;
                };
                let key = Key {
                    metric: tail_metric(&key.metric, *tail),
                    ..key.clone()
                };
                let variants = found.entry(key).or_default();
                let own = variants.entry(record.variant.clone()).or_default();
                own.push(observed(value));
            }
            let variants = found.entry(key).or_default();
            let own = variants.entry(record.variant.clone()).or_default();
            own.extend(values.into_iter().map(observed));
        }
    }
    let mut subjects: Vec<Subject> = found
        .into_iter()
        .map(|(key, variants)| Subject {
            workload: key.workload,
            parameters: key.parameters.into_iter().collect(),
            part: key.part,
            metric: key.metric,
            groups: in_order(experiment, variants),
        })
        .collect();
    // Random order ran some groups first; the reader gets the plan's.
    let place = |subject: &Subject| {
        plan.cells.iter().position(|cell| {
            cell.workload == subject.workload && cell.parameters == subject.parameters
        })
    };
    let of_metric = |subject: &Subject| {
        let name = &subject.metric.name;
        wanted.iter().enumerate().find_map(|(index, known)| {
            if known == name {
                return Some((index, None));
            }
            let mut tails = filter.tails.iter();
            let tail = tails.position(|tail| tail_name(known, *tail) == *name)?;
            Some((index, Some(tail)))
        })
    };
    subjects.sort_by_key(|subject| (of_metric(subject), place(subject)));
    Ok(subjects)
}

/// Compares groups of plain numbers.
///
/// # Errors
/// When there is nothing to compare.
pub fn plain_report(
    name: &str,
    metric: &Metric,
    groups: Vec<Group>,
    selection: &Selection,
) -> Result<Report, AnalysisError> {
    let recorded = groups.iter().map(|group| group.observations.len()).sum();
    let blocks: IndexSet<u32> = groups
        .iter()
        .flat_map(|group| &group.observations)
        .map(|observation| observation.block)
        .collect();
    let design = Design {
        blocks: u32::try_from(blocks.len()).unwrap_or(u32::MAX),
        planned: recorded,
        recorded,
        failed: IndexMap::new(),
        seed: None,
        randomised: false,
        until_decided: None,
    };
    let subject = Subject {
        workload: name.to_owned(),
        parameters: IndexMap::new(),
        part: None,
        metric: metric.clone(),
        groups,
    };
    analyse(name, None, &[subject], design, selection)
}

/// Variants as the experiment lists them, not as chance ran them first.
fn in_order(
    experiment: &Experiment,
    mut variants: IndexMap<String, Vec<Observation>>,
) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for name in experiment.variants.keys() {
        if let Some(observations) = variants.shift_remove(name) {
            groups.push(Group {
                variant: name.clone(),
                observations,
            });
        }
    }
    groups.extend(variants.into_iter().map(|(variant, observations)| Group {
        variant,
        observations,
    }));
    groups
}

/// Refuses a result in which the baseline, or every other variant, never passed.
fn both_sides(
    experiment: &Experiment,
    records: &[RunRecord],
    selection: &Selection,
) -> Result<(), AnalysisError> {
    let passed = |variant: &str| {
        records
            .iter()
            .any(|record| record.variant == variant && record.status.passed())
    };
    let baseline = selection
        .baseline
        .as_deref()
        .unwrap_or(experiment.baseline());
    let mut others = experiment
        .variants
        .keys()
        .filter(|variant| *variant != baseline);
    let missing = if experiment.variants.contains_key(baseline) && !passed(baseline) {
        Some(baseline)
    } else if others.clone().any(|variant| passed(variant)) {
        None
    } else {
        others.next().map(String::as_str)
    };
    let Some(variant) = missing else {
        return Ok(());
    };
    let own = || records.iter().filter(|record| record.variant == variant);
    let first = own().next().map(|record| {
        format!(
            "; the first: {} {}",
            record.status.name(),
            record.detail.as_deref().unwrap_or_default()
        )
    });
    Err(AnalysisError::NeverPassed {
        variant: variant.to_owned(),
        failed: own().count(),
        detail: first.unwrap_or_default(),
    })
}

/// Names of the metrics to compare: as asked, as the experiment says, or the first of each run.
fn metrics(
    experiment: &Experiment,
    records: &[RunRecord],
    filter: &Filter,
) -> Result<IndexSet<String>, AnalysisError> {
    let known: IndexSet<String> = records
        .iter()
        .flat_map(|record| &record.samples)
        .map(|sample| sample.metric.name.clone())
        .collect();
    if known.is_empty() {
        return Err(AnalysisError::Empty);
    }
    let asked = if filter.metrics.is_empty() {
        &experiment.design.metrics
    } else {
        &filter.metrics
    };
    if asked.is_empty() {
        return Ok(records
            .iter()
            .filter_map(|record| record.samples.first())
            .map(|sample| sample.metric.name.clone())
            .collect());
    }
    for name in asked {
        if !known.contains(name) {
            return Err(AnalysisError::Unknown {
                what: "metric",
                wanted: name.clone(),
                known: list(&known),
            });
        }
    }
    Ok(asked.iter().cloned().collect())
}

/// Names of the parts to compare; nothing for all.
fn parts(
    experiment: &Experiment,
    records: &[RunRecord],
    filter: &Filter,
) -> Result<Option<IndexSet<String>>, AnalysisError> {
    if filter.parts.is_empty() {
        return Ok(None);
    }
    let known: IndexSet<String> = records
        .iter()
        .flat_map(|record| &record.samples)
        .filter_map(|sample| sample.part.clone())
        .collect();
    let mut wanted = IndexSet::new();
    for name in &filter.parts {
        match experiment.subsets.get(name) {
            Some(subset) => wanted.extend(subset.iter().cloned()),
            None if known.contains(name) => {
                wanted.insert(name.clone());
            }
            None => {
                return Err(AnalysisError::Unknown {
                    what: "part or subset",
                    wanted: name.clone(),
                    known: list(&known),
                });
            }
        }
    }
    Ok(Some(wanted))
}

fn list(names: &IndexSet<String>) -> String {
    names
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ")
}

fn design(experiment: &Experiment, plan: &Plan, records: &[RunRecord]) -> Design {
    let mut failed: IndexMap<String, usize> = IndexMap::new();
    for record in records.iter().filter(|record| !record.status.passed()) {
        *failed.entry(record.status.name().to_owned()).or_default() += 1;
    }
    Design {
        blocks: plan.runs.iter().map(|run| run.block).max().unwrap_or(0),
        planned: plan.runs.len(),
        recorded: records.len(),
        failed,
        seed: Some(plan.seed).filter(|_| !experiment.is_imported()),
        randomised: !experiment.is_imported(),
        until_decided: None,
    }
}

/// Share of time taken by the hypervisor from which a result is suspect.
const STEAL_LIMIT: f64 = 0.01;

/// How many blocks, from the first on, have all their runs recorded, passed or not.
fn finished_blocks(plan: &Plan, records: &[RunRecord]) -> u32 {
    let recorded: HashSet<u32> = records.iter().map(|record| record.run).collect();
    let missing = plan.runs.iter().find(|run| !recorded.contains(&run.run));
    match missing {
        Some(run) => run.block.saturating_sub(1),
        None => plan.runs.iter().map(|run| run.block).max().unwrap_or(0),
    }
}

fn warnings(experiment: &Experiment, records: &[RunRecord]) -> Vec<String> {
    let mut warnings = Vec::new();
    for variant in experiment.variants.keys() {
        let own = || records.iter().filter(|record| &record.variant == variant);
        let failed = own().filter(|record| !record.status.passed()).count();
        if failed > 0 {
            let detail = own()
                .find_map(|record| record.detail.clone())
                .unwrap_or_default();
            warnings.push(format!(
                "{failed} of {} runs of {variant} failed and count for nothing; the first: {detail}",
                own().count()
            ));
        }
    }
    if experiment.design.refresh == Refresh::Keep
        && experiment.variants.values().any(|v| v.start.is_some())
    {
        warnings.push(
            "each system was started once and kept: the verdicts are about these processes, and \
             another start of the same programs may differ"
                .to_owned(),
        );
    }
    let stolen: Vec<f64> = records
        .iter()
        .filter_map(|record| record.steal_share)
        .collect();
    let mean = stolen.iter().sum::<f64>() / stolen.len().max(1) as f64;
    if mean > STEAL_LIMIT {
        warnings.push(format!(
            "the hypervisor took {:.1}% of the machine's time while runs were measured",
            mean * 100.0
        ));
    }
    warnings.extend(saturated(experiment, records));
    warnings.extend(experiment_cautions(experiment));
    warnings
}

/// What the drivers say of their tools' known lies with these arguments.
fn experiment_cautions(experiment: &Experiment) -> IndexSet<String> {
    let mut cautions = IndexSet::new();
    for (name, workload) in &experiment.workloads {
        let said = perflab_drivers::tool(workload.driver.name())
            .map(|driver| driver.cautions(&workload.args))
            .unwrap_or_default();
        cautions.extend(said.into_iter().map(|caution| format!("{name}: {caution}")));
    }
    cautions
}
