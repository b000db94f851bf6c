//! Runs in slices: whether those that were to take turns did, and left each other alone.

use indexmap::IndexMap;
use perflab_drivers::{Kind, Latency};
use perflab_experiment::{Experiment, Metric, Plan, Workload};
use perflab_store::{RUNS_IN_TURNS, RunRecord, SYSTEM_IDLE};

use crate::comparison::Comparison;
use crate::places;
use crate::warning::Warning;

/// Share of the turns of others that the systems of a variant may take: what a server that waits does for itself.
const BUSY: f64 = 0.01;

/// What to know of runs in slices.
pub(crate) fn warnings(
    experiment: &Experiment,
    plan: &Plan,
    records: &[RunRecord],
) -> Vec<Warning> {
    if experiment.design.least_slices().is_none() {
        return Vec::new();
    }
    let mut warnings: Vec<Warning> = places::warning(records).into_iter().collect();
    for (variant, share) in busy(records) {
        if share > BUSY {
            warnings.push(Warning::BusyInTurns {
                variant: variant.to_owned(),
                share,
            });
        }
    }
    let cells = &plan.cells;
    let is_alone = |run: &&RunRecord| {
        let own = cells.iter().find(|cell| cell.id == run.cell);
        let partners = own.map(|own| cells.iter().filter(|cell| own.is_comparable(cell)).count());
        let in_turns = run.evidence.get(RUNS_IN_TURNS);
        partners
            .zip(in_turns)
            .is_some_and(|(all, in_turns)| *in_turns < all as f64)
    };
    let fewer = records.iter().filter(is_alone).count();
    if fewer > 0 {
        warnings.push(Warning::OutOfTurns {
            runs: fewer,
            of: records.len(),
        });
    }
    warnings
}

/// A warning for each workload in slices of which percentiles are shown, as rows or beside a throughput.
pub(crate) fn quantile_warnings(experiment: &Experiment, report: &Comparison) -> Vec<Warning> {
    if experiment.design.least_slices().is_none() {
        return Vec::new();
    }
    let shows_quantiles = |name: &str, workload: &Workload| {
        let driver = perflab_drivers::tool(workload.driver.name());
        let is_quantile = |metric: &Metric| {
            let kind = driver.map(|driver| driver.kind(&metric.name));
            matches!(kind, Some(Kind::Latency(Latency::Quantile(_))))
        };
        let mut own = report.rows.iter().filter(|row| row.key.workload == name);
        own.any(|row| {
            let mut beside = row.latencies.iter().map(|latency| &latency.metric);
            is_quantile(&row.key.metric) || beside.any(is_quantile)
        })
    };
    let workloads = experiment.workloads.iter();
    workloads
        .filter(|(name, workload)| shows_quantiles(name, workload))
        .map(|(name, _)| Warning::SlicedQuantiles(name.clone()))
        .collect()
}

/// The share that the systems of each variant took of the time in which others had their turn.
fn busy(records: &[RunRecord]) -> IndexMap<&str, f64> {
    let wall = |run: &RunRecord| run.usage.map_or(0.0, |usage| usage.wall_s);
    let mut sums: IndexMap<&str, (f64, f64)> = IndexMap::new();
    for run in records {
        let Some(idle) = run.evidence.get(SYSTEM_IDLE) else {
            continue;
        };
        let others = records.iter().filter(|other| {
            let same = other.workload == run.workload && other.parameters == run.parameters;
            same && other.block == run.block && other.run != run.run
        });
        let sum = sums.entry(&run.variant).or_default();
        sum.0 += idle;
        sum.1 += others.map(wall).sum::<f64>();
    }
    let shares = sums.into_iter().filter(|(_, (_, turns))| *turns > 0.0);
    shares
        .map(|(variant, (idle, turns))| (variant, idle / turns))
        .collect()
}
