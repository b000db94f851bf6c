//! The report of plain numbers, which no experiment file describes.

use indexmap::{IndexMap, IndexSet};
use perflab_experiment::Metric;

use crate::analyse::analyse;
use crate::comparison::{Comparison, Design};
use crate::error::AnalysisError;
use crate::grid::are_counts;
use crate::repeats::repeated;
use crate::selection::Selection;
use crate::subject::{Group, Steps, Subject, SubjectKey};
use crate::warning::Warning;

/// Groups of plain numbers, as what is compared.
pub fn plain_subject(name: &str, metric: &Metric, groups: Vec<Group>) -> Subject {
    Subject {
        steps: Steps::Sought,
        key: SubjectKey {
            workload: name.to_owned(),
            parameters: IndexMap::new(),
            benchmark: None,
            metric: metric.clone(),
            observed: false,
        },
        groups,
    }
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
) -> Result<Comparison, AnalysisError> {
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
        ..Design::default()
    };
    let subject = plain_subject(name, metric, groups);
    // An unknown unit is the user's own word for what is counted.
    let is_without_unit = metric.unit.is_empty()
        && are_counts(metric, values(&subject).flatten())
        && values(&subject).any(|values| repeated(&values).is_some());
    let mut comparison = analyse(name, None, &[subject], design, selection)?;
    if is_without_unit {
        comparison.warnings.push(Warning::WithoutUnit);
    }
    Ok(comparison)
}

fn values(subject: &Subject) -> impl Iterator<Item = Vec<f64>> {
    let values = |group: &Group| group.observations.iter().map(|one| one.value).collect();
    subject.groups.iter().map(values)
}
