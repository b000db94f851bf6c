//! What may be compared, with its runs by variant.

use indexmap::IndexMap;
use perflab_experiment::Metric;
use perflab_stats::Observation;
use perflab_stats::steps::Grid;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is compared, without the variants: two rows with the same key have the same baseline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SubjectKey {
    /// The workload; several, with `+` between, where pooled.
    pub workload: String,
    /// Parameter values.
    pub parameters: IndexMap<String, String>,
    /// The benchmark of the workload, as a request type; the number of benchmarks where pooled.
    pub benchmark: Option<String>,
    /// What was measured.
    pub metric: Metric,
    /// Whether it was measured in observed runs. They say nothing of the workload alone.
    #[serde(skip)]
    pub observed: bool,
}

/// Runs of one variant on one metric.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The variant.
    pub variant: String,
    /// Its runs.
    pub observations: Vec<Observation>,
}

/// What may be compared: the same metric of the same benchmark under the same workload and parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Subject {
    /// What identifies it.
    pub key: SubjectKey,
    /// Runs by variant, the baseline among them.
    pub groups: Vec<Group>,
    /// The steps that its values lie in; absent where they are fine.
    pub grid: Option<Grid>,
}

/// The names of all variants, in the order of the groups.
pub(crate) fn variants(subjects: &[Subject]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for group in subjects.iter().flat_map(|subject| &subject.groups) {
        if !names.contains(&group.variant) {
            names.push(group.variant.clone());
        }
    }
    names
}

/// The baseline with each of the others.
pub(crate) fn pairs<'s>(
    subject: &'s Subject,
    baseline: &str,
) -> impl Iterator<Item = (&'s Group, &'s Group)> {
    let is_baseline = |group: &&Group| group.variant == baseline;
    let base = subject.groups.iter().find(is_baseline);
    base.into_iter().flat_map(|base| {
        let groups = subject.groups.iter();
        let others = groups.filter(|group| group.variant != base.variant);
        others.map(move |group| (base, group))
    })
}
