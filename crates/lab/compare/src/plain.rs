//! The report of plain numbers, which no experiment file describes.

use indexmap::{IndexMap, IndexSet};
use perflab_experiment::Metric;

use crate::analyse::analyse;
use crate::comparison::{Comparison, Design};
use crate::error::AnalysisError;
use crate::grid::found_grid;
use crate::selection::Selection;
use crate::subject::{Group, Subject, SubjectKey};

/// Groups of plain numbers, as what is compared.
pub fn plain_subject(name: &str, metric: &Metric, groups: Vec<Group>) -> Subject {
    let all = groups.iter().flat_map(|group| &group.observations);
    let values: Vec<f64> = all.map(|observation| observation.value).collect();
    Subject {
        grid: found_grid(metric, &values),
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
    analyse(name, None, &[subject], design, selection)
}
