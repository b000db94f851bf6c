//! Several subjects as one: the run is the unit, whatever it measures apart.

use indexmap::{IndexMap, IndexSet};
use perflab_experiment::Metric;
use perflab_stats::steps::Rounding;
use perflab_stats::verdict::Sides;
use perflab_stats::{Error, Observation, pooled};

use crate::comparable::Comparable;
use crate::error::AnalysisError;
use crate::row::Row;
use crate::row_warning::RowWarning;
use crate::subject::{Group, Steps, Subject, SubjectKey};

/// What may be compared as one: a subject, or several of the same metric.
pub(crate) struct Pool<'s> {
    /// As a subject: a run's value is that of its typical run.
    subject: Subject,
    members: Vec<&'s Subject>,
}

impl Comparable for Pool<'_> {
    fn subject(&self) -> &Subject {
        &self.subject
    }

    /// Nothing where no block has complete runs of both.
    fn sides(&self, base: &Group, candidate: &Group) -> Result<Option<Sides>, Error> {
        let variants = [&base.variant, &candidate.variant];
        let [base, candidate] = variants.map(|variant| observations(&self.members, variant));
        let Some(sides) = Sides::pooled(&base, &candidate)? else {
            return Ok(None);
        };
        let mut rounding = Vec::with_capacity(self.members.len());
        for (member, (base, candidate)) in self.members.iter().zip(base.iter().zip(&candidate)) {
            let grids = match variants.map(|variant| member.group(variant)) {
                [Some(own), Some(other)] => member.grids(own, other),
                _ => [None; 2],
            };
            rounding.push(match grids {
                [None, None] => Rounding::default(),
                grids => Sides::of(base, candidate)?
                    .on_grids(base, candidate, grids)
                    .rounding(),
            });
        }
        Ok(Some(sides.rounded(&rounding)))
    }
}

/// The subjects over which a verdict can be pooled, as one for each metric.
pub(crate) fn pools(subjects: &[Subject]) -> Result<Vec<Pool<'_>>, AnalysisError> {
    pool(subjects).map_err(|source| AnalysisError::Statistics {
        what: "all subjects together".to_owned(),
        source,
    })
}

fn pool(subjects: &[Subject]) -> Result<Vec<Pool<'_>>, Error> {
    let mut by_metric: IndexMap<&Metric, Vec<&Subject>> = IndexMap::new();
    for subject in subjects {
        by_metric
            .entry(&subject.key.metric)
            .or_default()
            .push(subject);
    }
    // Leaving out the runs that have no logarithm would leave out the fastest.
    let poolable = |members: &Vec<&Subject>| {
        let groups = members.iter().flat_map(|member| &member.groups);
        let mut observations = groups.flat_map(|group| &group.observations);
        members.len() > 1 && observations.all(|observation| observation.value > 0.0)
    };
    by_metric
        .into_iter()
        .filter(|(_, members)| poolable(members))
        .map(|(metric, members)| {
            let groups = members.iter().flat_map(|member| &member.groups);
            let variants: IndexSet<&str> = groups.map(|group| group.variant.as_str()).collect();
            let groups: Result<Vec<Group>, Error> = variants
                .into_iter()
                .map(|variant| {
                    Ok(Group {
                        variant: variant.to_owned(),
                        observations: pooled::typical_runs(&observations(&members, variant))?,
                    })
                })
                .collect();
            let mut workloads: Vec<&str> =
                members.iter().map(|m| m.key.workload.as_str()).collect();
            workloads.dedup();
            let subject = Subject {
                key: SubjectKey {
                    workload: workloads.join("+"),
                    parameters: IndexMap::new(),
                    benchmark: Some(format!("all {} {}", members.len(), what(&members))),
                    metric: metric.clone(),
                    observed: subjects.iter().any(|subject| subject.key.observed),
                },
                groups: groups?,
                // What is pooled is no value of an instrument.
                steps: Steps::Known(None),
            };
            Ok(Pool { subject, members })
        })
        .collect()
}

/// What several subjects are: what tells them apart.
fn what(members: &[&Subject]) -> String {
    let parameters = members.iter().flat_map(|member| &member.key.parameters);
    let mut values: IndexMap<&str, IndexSet<&str>> = IndexMap::new();
    for (name, value) in parameters {
        values.entry(name).or_default().insert(value);
    }
    values.retain(|_, values| values.len() > 1);
    let is_one = |of: fn(&Subject) -> Option<&str>| {
        let distinct: IndexSet<_> = members.iter().map(|member| of(member)).collect();
        distinct.len() == 1
    };
    let one_workload = is_one(|member| Some(&member.key.workload));
    let one_benchmark = is_one(|member| member.key.benchmark.as_deref());
    let mut names = values.keys();
    match (one_workload, one_benchmark, names.next(), names.next()) {
        (true, false, None, _) => "benchmarks".to_owned(),
        (false, true, None, _) => "workloads".to_owned(),
        (true, true, Some(name), None) => format!("values of {name}"),
        (true, true, Some(_), Some(_)) => "configurations".to_owned(),
        _ => "rows".to_owned(),
    }
}

/// Warns where the typical run of a pooled row is outside of those of the rows that it pools.
pub(crate) fn warn_outside<'r>(pooled: &mut Row, rows: impl Iterator<Item = &'r Row>) {
    let own = rows
        .filter(|row| row.key.metric == pooled.key.metric && row.variant == pooled.variant)
        .filter(|row| row.relative == pooled.relative);
    let (low, high) = own.map(|row| row.typical.difference).fold(
        (f64::INFINITY, f64::NEG_INFINITY),
        |(low, high), difference| (low.min(difference), high.max(difference)),
    );
    let difference = pooled.typical.difference;
    // A rounding is no difference.
    let slack = 1e-9 * difference.abs().max(low.abs()).max(high.abs());
    if difference < low - slack || difference > high + slack {
        pooled
            .warnings
            .push(RowWarning::PooledOutside { low, high });
    }
}

/// The values of a variant, subject by subject.
fn observations<'s>(members: &[&'s Subject], variant: &str) -> Vec<&'s [Observation]> {
    let of = |member: &&'s Subject| -> &'s [Observation] {
        let group = member.group(variant);
        group.map_or(&[], |group| &group.observations)
    };
    members.iter().map(of).collect()
}
