//! From the records of a result to what may be compared.

use indexmap::IndexMap;
use perflab_experiment::{Experiment, Metric, Plan, Refresh};
use perflab_stats::Observation;
use perflab_store::RunRecord;

use crate::analysis::{AnalysisError, Group, Subject};
use crate::filter::{Filter, metrics, parts};
use crate::selection::Selection;
use crate::tail::{tail_metric, tail_name, tail_of_run};

/// Identifies a subject.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    metric: Metric,
    workload: String,
    parameters: Vec<(String, String)>,
    part: Option<String>,
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
