//! Which metrics the runs of an experiment can have.

use std::collections::BTreeSet;

use perflab_drivers::{Driver, Kind};
use perflab_experiment::{Experiment, Metric, Variant, Workload};

use crate::driver::driver_of;
use crate::lab::CPU_TIME;
use crate::observer::HITS;

/// What is wrong with the metrics of an experiment, one line each: those to compare that no workload can give, or not
/// of slices, and drivers that give none of slices.
pub fn metric_mistakes(experiment: &Experiment) -> Vec<String> {
    let key = experiment.design.slices_key();
    let drivers: Vec<(&Workload, Box<dyn Driver>)> = experiment
        .workloads
        .values()
        .filter_map(|workload| Some((workload, driver_of(workload).ok()?)))
        .collect();
    let mut known: Vec<String> = Vec::new();
    for (workload, driver) in &drivers {
        let own = driver.metrics().into_iter().map(|metric| metric.name);
        for name in own.chain(workload.counters.iter().map(|event| counter(event))) {
            if !known.contains(&name) {
                known.push(name);
            }
        }
    }
    let beside: Vec<String> = observed_metrics(experiment)
        .into_iter()
        .chain(system_times(experiment, &drivers))
        .collect();
    known.extend(beside.iter().cloned());
    let names = experiment.design.metrics.iter();
    let unknown = names.filter(|name| {
        let mut drivers = drivers.iter();
        !beside.contains(name)
            && !drivers.any(|(workload, driver)| gives(workload, driver.as_ref(), name))
    });
    let is_sliced = experiment.design.least_slices().is_some();
    let whole = experiment.design.metrics.iter().filter(|name| {
        let combines = |(_, driver): &(&Workload, Box<dyn Driver>)| driver.combine(name).is_some();
        is_sliced && known.contains(name) && !beside.contains(name) && !drivers.iter().any(combines)
    });
    let whole = whole.map(|name| {
        format!(
            "[design] metrics: `{name}` of slices says nothing of `{name}` of a run; leave out one of \
             `{key}` and `{name}`"
        )
    });
    let without = drivers.iter().filter(|(_, driver)| {
        let own = driver.metrics();
        let combines = |metric: &Metric| driver.combine(&metric.name).is_some();
        is_sliced && !own.is_empty() && !own.iter().any(combines)
    });
    let without = without.map(|(workload, driver)| {
        let name = experiment.workloads.iter().find(|(_, other)| std::ptr::eq(*other, *workload));
        let name = name.map_or("", |(name, _)| name);
        format!(
            "[workloads.{name}] driver: what {} measures of slices cannot be combined to that of a run; \
             leave out `{key}`",
            driver.name()
        )
    });
    unknown
        .map(|name| {
            format!(
                "[design] metrics: no workload measures `{name}`; they measure {}",
                known.join(", ")
            )
        })
        .chain(whole)
        .chain(without)
        .collect()
}

/// The CPU times of systems for each operation.
fn system_times(experiment: &Experiment, drivers: &[(&Workload, Box<dyn Driver>)]) -> Vec<String> {
    let counted = drivers.iter().any(|(_, driver)| driver.counts_operations());
    let systems = experiment.variants.values().flat_map(Variant::systems);
    let names = systems.filter(|_| counted).map(|system| match system.name {
        Some(name) => format!("{CPU_TIME}.{name}"),
        None => CPU_TIME.to_owned(),
    });
    let names: BTreeSet<String> = names.collect();
    names.into_iter().collect()
}

/// What observed runs measure besides.
fn observed_metrics(experiment: &Experiment) -> Vec<String> {
    let Some(observe) = &experiment.observe else {
        return Vec::new();
    };
    let counted = observe.counters.iter().map(|event| counter(event));
    let hits = (!observe.probes.is_empty()).then(|| HITS.to_owned());
    counted.chain(hits).collect()
}

fn counter(event: &str) -> String {
    format!("counter_{event}")
}

/// Whether a run of this workload can have a metric of this name.
fn gives(workload: &Workload, driver: &dyn Driver, name: &str) -> bool {
    let counted = |event: &String| name.strip_suffix("_running").unwrap_or(name) == counter(event);
    let own: Vec<String> = driver.metrics().into_iter().map(|m| m.name).collect();
    // Which percentiles a tool states, its arguments may say.
    let percentile = |(of, rank): (&str, &str)| {
        rank.parse::<f64>().is_ok() && own.contains(&format!("{of}_avg"))
    };
    workload.counters.iter().any(counted)
        || workload.metrics.iter().any(|rule| rule.metric.name == "*")
        || own.iter().any(|known| known == name)
        || driver.kind(name) != Kind::Other
        || name.rsplit_once("_p").is_some_and(percentile)
}
