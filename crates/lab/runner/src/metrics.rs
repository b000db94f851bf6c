//! Which metrics the runs of an experiment can have.

use perflab_drivers::{Driver, Kind};
use perflab_experiment::{Experiment, Workload};

use crate::driver::driver_of;
use crate::observer::HITS;

/// The metrics to compare that no workload can give, one line each.
pub fn unknown_metrics(experiment: &Experiment) -> Vec<String> {
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
    let observed = observed_metrics(experiment);
    known.extend(observed.iter().cloned());
    let names = experiment.design.metrics.iter();
    let unknown = names.filter(|name| {
        let mut drivers = drivers.iter();
        !observed.contains(name)
            && !drivers.any(|(workload, driver)| gives(workload, driver.as_ref(), name))
    });
    unknown
        .map(|name| {
            format!(
                "[design] metrics: no workload measures `{name}`; they measure {}",
                known.join(", ")
            )
        })
        .collect()
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
