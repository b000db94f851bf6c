//! What may be compared, with its runs by variant.

use indexmap::IndexMap;
use perflab_experiment::Metric;
use perflab_stats::Observation;
use perflab_stats::steps::{Grid, Grids};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::grid::found_grids;

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
    /// What is known of the steps that its values lie in.
    pub steps: Steps,
}

/// What is known of the steps that values lie in.
#[derive(Debug, Clone, PartialEq)]
pub enum Steps {
    /// They are looked for in the values of the two variants that are compared.
    Sought,
    /// Those of each variant, as its driver declares them; the values of others are fine.
    Declared(IndexMap<String, Grid>),
    /// Those of all variants; none where values are fine.
    Known(Option<Grid>),
}

impl Subject {
    /// The runs of a variant.
    pub(crate) fn group(&self, variant: &str) -> Option<&Group> {
        self.groups.iter().find(|group| group.variant == variant)
    }

    /// The grids of two of its variants.
    pub fn grids(&self, base: &Group, candidate: &Group) -> Grids {
        let sides = [base, candidate];
        match &self.steps {
            Steps::Sought => {
                let values =
                    sides.map(|side| side.observations.iter().map(|one| one.value).collect());
                found_grids(&self.key.metric, &values)
            }
            Steps::Declared(declared) => sides.map(|side| declared.get(&side.variant).copied()),
            Steps::Known(grid) => [*grid; 2],
        }
    }
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
    let base = subject.group(baseline);
    base.into_iter().flat_map(|base| {
        let groups = subject.groups.iter();
        let others = groups.filter(|group| group.variant != base.variant);
        others.map(move |group| (base, group))
    })
}
