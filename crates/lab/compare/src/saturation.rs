//! Whether the load generator was the bottleneck, or most of the work.

use indexmap::IndexMap;
use perflab_experiment::{CpuList, Experiment, Workload};
use perflab_store::{RunRecord, SLICES};

use crate::comparison::Comparison;
use crate::warning::{CpuLimit, LoadShare, Warning};

/// Share of the CPU time within its reach from which a load generator has nothing left to give.
const SATURATED: f64 = 0.95;

/// Warns of each workload and variant whose load generator used all the CPU time that it could, in
/// the median of the runs that passed: that of as many CPUs as it has threads, as far as it may use
/// so many. `machine_cpus`: CPUs that a load generator may use unless it is pinned, if that is known.
///
/// Where load and system are pinned to the same CPUs, as they are with `together`, they share the time, so neither can
/// use it all; then it warns of load generators that take more of it than the system.
///
/// Only where a system of its own was measured: a workload that is measured itself is meant to use
/// all it can.
pub fn add_saturation(
    report: &mut Comparison,
    experiment: &Experiment,
    records: &[RunRecord],
    machine_cpus: Option<usize>,
) {
    let cpus = &experiment.cpus;
    let pinned = cpus.load.as_ref().map(CpuList::numbers);
    let shares = cpus.system.as_ref().is_some_and(|system| {
        let mut own = pinned.iter().copied().flatten();
        own.any(|cpu| system.numbers().contains(cpu))
    });
    let shares = shares || experiment.design.together;
    for (name, workload) in &experiment.workloads {
        let mut larger = Vec::new();
        for ((variant, parameters), runs) in cells(experiment, name, records) {
            let label = [name.clone()].into_iter().chain(parameters);
            let label = label.collect::<Vec<String>>().join(" ");
            if shares {
                if let Some(share) = share_of_load(&runs).filter(|share| *share > 0.5) {
                    larger.push(LoadShare {
                        label,
                        variant,
                        share,
                    });
                }
            } else if let Some((used, limit)) =
                saturated(workload, &runs, pinned.map(<[u32]>::len), machine_cpus)
            {
                report.warnings.push(Warning::LoadSaturated {
                    label,
                    variant,
                    used,
                    limit,
                });
            }
        }
        if !larger.is_empty() {
            report.warnings.push(Warning::LoadShares(larger));
        }
    }
}

/// The runs of a workload that passed, by served variant and parameters (as `name=value`).
fn cells<'a>(
    experiment: &Experiment,
    workload: &str,
    records: &'a [RunRecord],
) -> IndexMap<(String, Vec<String>), Vec<&'a RunRecord>> {
    let mut cells: IndexMap<_, Vec<&RunRecord>> = IndexMap::new();
    for (variant, _) in experiment
        .variants
        .iter()
        .filter(|(_, v)| v.start.is_some())
    {
        let own = records.iter().filter(|record| {
            record.workload == workload && &record.variant == variant && record.status.passed()
        });
        for record in own {
            let parameters = record.parameters.iter();
            let parameters = parameters.map(|(name, value)| format!("{name}={value}"));
            let cell = (variant.clone(), parameters.collect());
            cells.entry(cell).or_default().push(record);
        }
    }
    cells
}

/// How much of what it could use a load generator used, and what that is, if it is nearly all.
fn saturated(
    workload: &Workload,
    runs: &[&RunRecord],
    pinned: Option<usize>,
    machine_cpus: Option<usize>,
) -> Option<(f64, CpuLimit)> {
    let threads = threads(workload, runs.first()?);
    let cpus = pinned.or(machine_cpus);
    let (available, limit) = match (threads, cpus) {
        (Some(threads), cpus) if cpus.is_none_or(|cpus| threads < cpus) => {
            (threads, CpuLimit::Threads(threads))
        }
        (_, Some(cpus)) if pinned.is_some() => (cpus, CpuLimit::Pinned(cpus)),
        (_, Some(cpus)) => (cpus, CpuLimit::Machine(cpus)),
        _ => return None,
    };
    let used = runs.iter().filter_map(|run| {
        let available = run.usage?.wall_s * available as f64;
        (available > 0.0).then(|| Some((load_s(run)? / available).min(1.0)))?
    });
    let used = median(used)?;
    (used >= SATURATED).then_some((used, limit))
}

/// How many threads a run's tool had, by the arguments that it was called with: the last words.
fn threads(workload: &Workload, run: &RunRecord) -> Option<usize> {
    let driver = perflab_drivers::tool(workload.driver.name())?;
    let first = match run.evidence.contains_key(SLICES) {
        // The driver has added words behind those of the workload.
        true => workload.within.len() + driver.argv(&[]).len(),
        false => run.argv.len().checked_sub(workload.args.len())?,
    };
    let threads = driver.threads(run.argv.get(first..)?)?;
    usize::try_from(threads).ok()
}

/// The load generator's share of the CPU time that it and the system used; unknown where the system
/// was not started for each run, as its time is then not known for each.
fn share_of_load(runs: &[&RunRecord]) -> Option<f64> {
    let shares: Option<Vec<f64>> = runs
        .iter()
        .map(|run| {
            let of = |name: &str| run.evidence.get(name).copied();
            let system = of("system_user_s")? + of("system_system_s")?;
            let load = load_s(run)?;
            let both = load + system;
            (both > 0.0).then_some(load / both)
        })
        .collect();
    median(shares?.into_iter())
}

/// CPU time of the load generator in seconds.
fn load_s(run: &RunRecord) -> Option<f64> {
    run.usage.map(|usage| usage.user_s + usage.system_s)
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    perflab_stats::summary::median(&values.collect::<Vec<f64>>()).ok()
}
