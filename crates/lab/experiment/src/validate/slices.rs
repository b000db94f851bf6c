//! Rules of experiments whose runs are executed in slices.

use super::placeholders::NESTED_AMOUNT;
use crate::driver::Driver;
use crate::error::{Fault, Place};
use crate::file::Experiment;
use crate::parameters::Value;
use crate::system::ReadyCheck;
use crate::template::{Placeholder, Template};
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
        check_workload(experiment, workload, &Place::of(&["workloads", name]), key)?;
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

/// Of each parameter or variable of a text, and each value that it may have: whether that names the slice.
fn values_that_name_slice(experiment: &Experiment, text: &str) -> Vec<Vec<bool>> {
    let Ok(template) = Template::parse(text) else {
        return Vec::new();
    };
    let of_placeholder = |used: &Placeholder| -> Vec<bool> {
        let of_variants = experiment.variants.values();
        let vars = of_variants.filter_map(|variant| variant.vars.get(&used.name));
        let values = experiment.parameters.get(&used.name).into_iter().flatten();
        let values = values.map(|value| match value {
            Value::Text(text) => names_slice(text),
            _ => false,
        });
        vars.map(|text| names_slice(text)).chain(values).collect()
    };
    template.placeholders().map(of_placeholder).collect()
}

/// Whether a text may tell a command which slice it is.
pub(super) fn may_name_slice(experiment: &Experiment, text: &str) -> bool {
    names_slice(text)
        || values_that_name_slice(experiment, text)
            .concat()
            .contains(&true)
}

fn check_workload(
    experiment: &Experiment,
    workload: &Workload,
    place: &Place,
    key: &str,
) -> Result<(), Fault> {
    if !workload.counters.is_empty() {
        return Err(Fault::key(
            place.key("counters"),
            "`counters` cannot be had of slices: `perf stat` counts one execution",
        )
        .help(format!("leave out `counters` or `{key}`")));
    }
    // A wrong amount is refused with the placeholders.
    if let Some(command) = &workload.command
        && !workload.takes_turns
        && !command.argv.iter().any(|text| {
            let always = |values: &Vec<bool>| !values.is_empty() && !values.contains(&false);
            let filled = values_that_name_slice(experiment, text);
            names_slice(text) || text.contains(NESTED_AMOUNT) || filled.iter().any(always)
        })
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
