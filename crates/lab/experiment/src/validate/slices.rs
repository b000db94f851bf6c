//! Rules of experiments whose runs are executed in slices.

use crate::driver::Driver;
use crate::error::{Fault, Place};
use crate::file::Experiment;
use crate::system::ReadyCheck;
use crate::template::Template;
use crate::workload::Workload;

pub(super) fn check(experiment: &Experiment) -> Result<(), Fault> {
    if experiment.design.least_slices().is_none() {
        return Ok(());
    }
    if experiment.observe.is_some() {
        return Err(Fault::key(
            Place::of(&["observe"]),
            "runs in slices cannot be observed: what looks at one would slow down those beside it",
        )
        .help("leave out [observe] or `slices`"));
    }
    side_by_side(experiment)?;
    for (name, workload) in &experiment.workloads {
        check_workload(workload, &Place::of(&["workloads", name]))?;
    }
    Ok(())
}

/// Whether all variants can be up at the same time.
fn side_by_side(experiment: &Experiment) -> Result<(), Fault> {
    let mut machines = experiment.variants.iter();
    let first = machines.next().map(|(_, variant)| &variant.machine);
    if let Some((name, _)) = machines.find(|(_, variant)| Some(&variant.machine) != first) {
        return Err(Fault::key(
            Place::of(&["variants", name, "machine"]),
            "with `slices` all variants are up at the same time, so that they share the machine's settings",
        )
        .help("give all variants the same `machine`, or leave `slices` out"));
    }
    if experiment.variants.len() < 2 {
        return Ok(());
    }
    for (name, variant) in &experiment.variants {
        for system in variant.systems() {
            let Some(ReadyCheck::Tcp(address)) = system.ready.as_ref().map(|ready| &ready.check)
            else {
                continue;
            };
            let is_fixed = |template: Template| template.placeholders().next().is_none();
            if Template::parse(address).is_ok_and(is_fixed) {
                return Err(Fault::key(
                    Place::of(&["variants", name]),
                    format!(
                        "`{address}` is a fixed port, and with `slices` all variants are up at the same time"
                    ),
                )
                .help("use `{port}`, for which each run gets a free one, or leave `slices` out"));
            }
        }
    }
    Ok(())
}

fn check_workload(workload: &Workload, place: &Place) -> Result<(), Fault> {
    if !workload.counters.is_empty() {
        return Err(Fault::key(
            place.key("counters"),
            "`counters` cannot be had of slices: `perf stat` counts one execution",
        )
        .help("leave out `counters` or `slices`"));
    }
    if let Some(command) = &workload.command
        && !workload.takes_turns
        && !command.argv.iter().any(|text| names_slice(text))
    {
        return Err(Fault::key(
            place.key("command"),
            "with `slices` the command would do all of its work in each of them",
        )
        .help("tell it its share, as in `{slice:100000}`, or its place, as in `{slice}` and `{slices}`"));
    }
    for (index, rule) in workload.metrics.iter().enumerate() {
        let place = place.key("metrics").index(index);
        if workload.driver == Driver::Generic && rule.combine.is_none() {
            return Err(Fault::key(
                place,
                format!(
                    "how do the slices of a run become one value of `{}`?",
                    rule.metric.name
                ),
            )
            .help("add `combine`: \"rate\", \"mean\", \"median\", \"sum\", \"max\" or \"min\""));
        }
        if rule.all {
            return Err(Fault::key(
                place.key("all"),
                "with `slices` each of them gives one value of a metric",
            )
            .help("leave out `all` or `slices`"));
        }
    }
    Ok(())
}

pub(super) fn names_slice(text: &str) -> bool {
    Template::parse(text)
        .is_ok_and(|template| template.placeholders().any(|used| used.name == "slice"))
}
