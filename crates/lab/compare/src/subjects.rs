//! From the records of a result to what may be compared.

use std::borrow::Cow;

use indexmap::{IndexMap, IndexSet};
use perflab_experiment::{Experiment, Metric, Plan, Refresh, Sample};
use perflab_stats::Observation;
use perflab_store::RunRecord;

use crate::configuration::Configuration;
use crate::error::AnalysisError;
use crate::grid::{Stepped, steps};
use crate::sample_selection::{SampleSelection, benchmarks, metrics};
use crate::selection::Selection;
use crate::subject::{Group, Subject, SubjectKey};
use crate::tail::{tail_metric, tail_name, tail_of_run};

/// Identifies a subject.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key<'r> {
    metric: Cow<'r, Metric>,
    workload: &'r str,
    parameters: Configuration<'r>,
    benchmark: Option<&'r str>,
    observed: bool,
}

impl<'r> Key<'r> {
    fn of(record: &'r RunRecord, sample: &'r Sample) -> Self {
        Self {
            metric: Cow::Borrowed(&sample.metric),
            workload: &record.workload,
            parameters: Configuration(Cow::Borrowed(&record.parameters)),
            benchmark: sample.benchmark.as_deref(),
            observed: record.is_observed(),
        }
    }
}

/// What was observed, by subject and variant.
type Found<'r> = IndexMap<Key<'r>, OfSubject<'r>>;

/// What was observed of a subject, by variant, and every value by variant with the step that its driver declares.
#[derive(Debug, Default)]
struct OfSubject<'r> {
    variants: IndexMap<&'r str, Vec<Observation>>,
    values: IndexMap<&'r str, Vec<Stepped>>,
}

/// What a recorded experiment lets one compare.
///
/// # Errors
/// When there is nothing to compare, or the samples that are asked for do not exist.
pub fn result_subjects(
    experiment: &Experiment,
    plan: &Plan,
    records: &[RunRecord],
    sample_selection: &SampleSelection,
    selection: &Selection,
) -> Result<Vec<Subject>, AnalysisError> {
    let wanted = Wanted::of(experiment, records, sample_selection)?;
    both_sides(experiment, plan, records, selection)?;
    let mut subjects = subjects_of(experiment, records, &wanted)?;
    // Random order ran some groups first; the reader gets the plan's.
    let place = |subject: &Subject| {
        plan.cells.iter().position(|cell| {
            cell.workload == subject.key.workload && cell.parameters == subject.key.parameters
        })
    };
    subjects.sort_by_cached_key(|subject| {
        let of_metric = place_of_metric(&subject.key.metric.name, &wanted.metrics, wanted.tails);
        (of_metric, place(subject))
    });
    Ok(subjects)
}

/// Which samples are asked for, of those that there are.
pub(crate) struct Wanted<'s> {
    metrics: IndexSet<String>,
    benchmarks: Option<IndexSet<String>>,
    tails: &'s [f64],
}

impl<'s> Wanted<'s> {
    /// As asked, or as the experiment says.
    pub(crate) fn of(
        experiment: &Experiment,
        records: &[RunRecord],
        sample_selection: &'s SampleSelection,
    ) -> Result<Self, AnalysisError> {
        Ok(Self {
            metrics: metrics(experiment, records, sample_selection)?,
            benchmarks: benchmarks(experiment, records, sample_selection)?,
            tails: &sample_selection.tails,
        })
    }

    fn has(&self, sample: &Sample) -> bool {
        let benchmark = self.benchmarks.as_ref().zip(sample.benchmark.as_ref());
        self.metrics.contains(&sample.metric.name)
            && benchmark.is_none_or(|(all, own)| all.contains(own))
    }
}

/// The samples that are wanted, by subject and variant, in the order in which they were measured.
pub(crate) fn subjects_of(
    experiment: &Experiment,
    records: &[RunRecord],
    wanted: &Wanted<'_>,
) -> Result<Vec<Subject>, AnalysisError> {
    let kept = experiment.design.refresh == Refresh::Keep;
    let observed = |record: &RunRecord, value: f64| Observation {
        block: record.block,
        // A kept system never changes, so there is no unit but the run to count.
        unit: if kept { record.run } else { record.unit },
        value,
    };
    let mut found = Found::new();
    for record in records.iter().filter(|record| record.status.passed()) {
        let mut add = |key, (value, step): Stepped| {
            let subject = found.entry(key).or_default();
            let own = subject.variants.entry(record.variant.as_str());
            own.or_default().push(observed(record, value));
            let values = subject.values.entry(record.variant.as_str());
            values.or_default().push((value, step));
        };
        let own = record.samples.iter().filter(|sample| wanted.has(sample));
        if let Some(sample) = own.clone().find(|own| !Sample::is_comparable(own.value)) {
            return Err(AnalysisError::Size {
                run: record.run,
                variant: record.variant.clone(),
                metric: sample.metric.name.clone(),
                value: sample.value,
            });
        }
        for sample in own.clone() {
            add(Key::of(record, sample), (sample.value, sample.step));
        }
        if wanted.tails.is_empty() {
            continue;
        }
        let mut of_run: IndexMap<Key<'_>, Vec<f64>> = IndexMap::new();
        for sample in own {
            let values = of_run.entry(Key::of(record, sample)).or_default();
            values.push(sample.value);
        }
        for (key, values) in &of_run {
            for tail in wanted.tails {
                if let Some(value) = tail_of_run(values, *tail) {
                    let metric = Cow::Owned(tail_metric(&key.metric, *tail));
                    let key = Key {
                        metric,
                        ..key.clone()
                    };
                    // Which sample it is made of is not known, and so its step is not.
                    add(key, (value, None));
                }
            }
        }
    }
    Ok(found
        .into_iter()
        .map(|(key, OfSubject { variants, values })| Subject {
            steps: steps(values),
            key: SubjectKey {
                workload: key.workload.to_owned(),
                parameters: key.parameters.0.into_owned(),
                benchmark: key.benchmark.map(str::to_owned),
                metric: key.metric.into_owned(),
                observed: key.observed,
            },
            groups: in_order(experiment, variants),
        })
        .collect())
}

/// Where a metric comes among those that are wanted, each of which is followed by its tails.
fn place_of_metric(
    name: &str,
    wanted: &IndexSet<String>,
    tails: &[f64],
) -> Option<(usize, Option<usize>)> {
    wanted.iter().enumerate().find_map(|(index, known)| {
        if known == name {
            return Some((index, None));
        }
        let tail = tails
            .iter()
            .position(|tail| tail_name(known, *tail) == name)?;
        Some((index, Some(tail)))
    })
}

/// Variants as the experiment lists them, not as chance ran them first.
fn in_order(experiment: &Experiment, mut variants: IndexMap<&str, Vec<Observation>>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for name in experiment.variants.keys() {
        if let Some(observations) = variants.shift_remove(name.as_str()) {
            groups.push(Group {
                variant: name.clone(),
                observations,
            });
        }
    }
    groups.extend(variants.into_iter().map(|(variant, observations)| Group {
        variant: variant.to_owned(),
        observations,
    }));
    groups
}

/// Refuses a result in which the baseline, or every other variant, never passed, or was left out.
fn both_sides(
    experiment: &Experiment,
    plan: &Plan,
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
    let mut left_out = plan.left_out.iter();
    let left_out = left_out.find(|own| own.cell.variant == variant);
    if let (Some(left_out), None) = (left_out, own().next()) {
        return Err(AnalysisError::LeftOut {
            variant: variant.to_owned(),
            reason: left_out.reason.clone(),
        });
    }
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
