//! Rules of experiments whose runs are executed in slices.

use crate::cell::Cell;
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
    let key = experiment.design.slices_key();
    if experiment.observe.is_some() {
        return Err(Fault::key(
            Place::of(&["observe"]),
            "runs in slices cannot be observed: what looks at one would slow down those beside it",
        )
        .help(format!("leave out [observe] or `{key}`")));
    }
    side_by_side(experiment, key)?;
    for (name, workload) in &experiment.workloads {
        check_workload(experiment, name, workload, key)?;
    }
    Ok(())
}

/// Whether all variants can be up at the same time.
fn side_by_side(experiment: &Experiment, key: &str) -> Result<(), Fault> {
    let mut machines = experiment.variants.iter();
    let first = machines.next().map(|(_, variant)| &variant.machine);
    if let Some((name, _)) = machines.find(|(_, variant)| Some(&variant.machine) != first) {
        return Err(Fault::key(
            Place::of(&["variants", name, "machine"]),
            format!(
                "with `{key}` all variants are up at the same time, so that they share the machine's settings"
            ),
        )
        .help(format!("give all variants the same `machine`, or leave `{key}` out")));
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
                        "`{address}` is a fixed port, and with `{key}` all variants are up at the same time"
                    ),
                )
                .help(format!(
                    "use `{{port}}`, for which each run gets a free one, or leave `{key}` out"
                )));
            }
        }
    }
    Ok(())
}

/// Of each cell of a workload: whether its command is told which slice it is, be it by a parameter or a variable.
pub(super) fn told_slice(experiment: &Experiment, workload: &str) -> Vec<bool> {
    let is_told = |cell: &Cell| {
        let filled = experiment.workload(cell).ok();
        let command = filled.and_then(|filled| filled.command);
        command.is_some_and(|command| command.argv.iter().any(|text| names_slice(text)))
    };
    let cells = experiment.cells();
    let own = cells.iter().filter(|cell| cell.workload == workload);
    own.map(is_told).collect()
}

fn check_workload(
    experiment: &Experiment,
    name: &str,
    workload: &Workload,
    key: &str,
) -> Result<(), Fault> {
    let place = Place::of(&["workloads", name]);
    if !workload.counters.is_empty() {
        return Err(Fault::key(
            place.key("counters"),
            "`counters` cannot be had of slices: `perf stat` counts one execution",
        )
        .help(format!("leave out `counters` or `{key}`")));
    }
    if workload.command.is_some()
        && !workload.takes_turns
        && told_slice(experiment, name).contains(&false)
    {
        return Err(Fault::key(
            place.key("command"),
            format!("with `{key}` the command would do all of its work in each slice"),
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
                format!("with `{key}` each slice gives one value of a metric"),
            )
            .help(format!("leave out `all` or `{key}`")));
        }
    }
    Ok(())
}

/// Whether a text tells a command which slice it is, or its share of the work.
pub fn names_slice(text: &str) -> bool {
    Template::parse(text)
        .is_ok_and(|template| template.placeholders().any(|used| used.name == "slice"))
}
