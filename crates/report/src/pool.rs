//! Several subjects as one: the run is the unit, whatever it measures apart.

use indexmap::IndexMap;
use perflab_experiment::Metric;
use perflab_stats::Observation;

use crate::analysis::{Group, Subject};

/// The subjects over which a verdict can be pooled, as one subject per metric.
///
/// The run is the unit: its value is the geometric mean over subjects, that is, its effect is the
/// mean of logarithms. So what subjects have in common within a run counts once, not once each.
/// Where subjects are measured by separate executions, the first of each in a block make one.
pub(crate) fn pool(subjects: &[Subject]) -> Vec<Subject> {
    let mut by_metric: IndexMap<&Metric, Vec<&Subject>> = IndexMap::new();
    for subject in subjects {
        by_metric.entry(&subject.metric).or_default().push(subject);
    }
    by_metric
        .into_iter()
        .filter(|(_, members)| members.len() > 1)
        .filter_map(|(metric, members)| {
            let first = members.first()?;
            let groups: Vec<Group> = first
                .groups
                .iter()
                .map(|group| Group {
                    variant: group.variant.clone(),
                    observations: composites(&members, &group.variant),
                })
                .collect();
            let positive = members
                .iter()
                .flat_map(|member| &member.groups)
                .flat_map(|group| &group.observations)
                .all(|observation| observation.value > 0.0);
            // Leaving out the runs that have no logarithm would leave out the fastest.
            let complete = positive && groups.iter().all(|group| !group.observations.is_empty());
            let mut workloads: Vec<&str> = members.iter().map(|m| m.workload.as_str()).collect();
            workloads.dedup();
            complete.then(|| Subject {
                workload: workloads.join("+"),
                parameters: IndexMap::new(),
                part: Some(format!("all {} parts", members.len())),
                metric: metric.clone(),
                groups,
            })
        })
        .collect()
}

/// For each block the runs of a variant over all subjects together, as far as all have them.
fn composites(members: &[&Subject], variant: &str) -> Vec<Observation> {
    let mut by_block: IndexMap<u32, Vec<Vec<Observation>>> = IndexMap::new();
    for member in members {
        let mut own: IndexMap<u32, Vec<Observation>> = IndexMap::new();
        let group = member.groups.iter().find(|group| group.variant == variant);
        for observation in group.iter().flat_map(|group| &group.observations) {
            own.entry(observation.block).or_default().push(*observation);
        }
        for (block, observations) in own {
            by_block.entry(block).or_default().push(observations);
        }
    }
    let mut composites = Vec::new();
    for (block, columns) in by_block {
        let complete = columns.iter().map(Vec::len).min().unwrap_or(0);
        if columns.len() != members.len() {
            continue;
        }
        for run in 0..complete {
            let values = columns.iter().filter_map(|column| column.get(run));
            let logs: f64 = values.map(|observation| observation.value.ln()).sum();
            let value = (logs / columns.len() as f64).exp();
            let unit = columns
                .first()
                .and_then(|c| c.get(run))
                .map_or(0, |o| o.unit);
            composites.push(Observation { block, unit, value });
        }
    }
    composites
}
