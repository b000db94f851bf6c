//! Rules of `[workloads]`.

use super::values::{command, environment, no_nul, positive};
use super::{evidence, extract};
use crate::driver::Driver;
use crate::error::{Fault, Place};
use crate::extract::Extract;
use crate::file::Experiment;
use crate::workload::{EVERY_NAME, MetricRule, Workload};

pub(super) fn check(experiment: &Experiment) -> Result<(), Fault> {
    for (name, workload) in &experiment.workloads {
        check_one(workload, &Place::of(&["workloads", name]))?;
    }
    Ok(())
}

fn check_one(workload: &Workload, place: &Place) -> Result<(), Fault> {
    driver_keys(workload, place)?;
    for (at, what) in workload.commands(place) {
        command(what, workload.shell, &at)?;
    }
    for (index, argument) in workload.args.iter().enumerate() {
        no_nul(argument, &place.key("args").index(index))?;
    }
    for (index, word) in workload.within.iter().enumerate() {
        no_nul(word, &place.key("within").index(index))?;
    }
    environment(&workload.env, &place.key("env"))?;
    if let Some(timeout) = workload.timeout {
        positive(timeout, place.key("timeout"))?;
    }
    counters(workload, &place.key("counters"))?;
    if workload.exit_codes.is_empty() {
        return Err(
            Fault::value(place.key("exit_codes"), "no exit code would be fine")
                .help("list at least one, as in [0]"),
        );
    }
    for (index, rule) in workload.metrics.iter().enumerate() {
        let place = place.key("metrics").index(index);
        check_metric(rule, &place)?;
        let same = |other: &MetricRule| {
            other.metric.name == rule.metric.name && other.benchmark == rule.benchmark
        };
        if workload.metrics[..index].iter().any(same) {
            return Err(Fault::value(
                place.key("name"),
                format!("the metric `{}` is defined twice", rule.metric.name),
            )
            .help("give one of them another `name` or another `benchmark`"));
        }
        let differs = |other: &&MetricRule| {
            other.metric.name == rule.metric.name
                && (&other.metric, other.combine) != (&rule.metric, rule.combine)
        };
        if let Some(other) = workload.metrics[..index].iter().find(differs) {
            let key = match (&other.metric, &rule.metric) {
                (other, own) if other.unit != own.unit => "unit",
                (other, own) if other.better != own.better => "better",
                _ => "combine",
            };
            return Err(Fault::value(
                place.key(key),
                format!(
                    "the metric `{}` has another `{key}` above",
                    rule.metric.name
                ),
            )
            .help(format!(
                "give both the same `{key}`, or one of them another `name`"
            )));
        }
    }
    evidence::check(&workload.evidence, &place.key("evidence"))
}

/// Each driver has keys that it needs and keys that mean nothing to it.
fn driver_keys(workload: &Workload, place: &Place) -> Result<(), Fault> {
    let driver = workload.driver;
    let (command, args, metrics) = match driver {
        Driver::Tool(_) => (false, true, false),
        Driver::Command => (true, false, false),
        Driver::Generic => (true, false, true),
        Driver::Imported => (false, false, false),
    };
    let needs = |key: &str| {
        Fault::value(
            place.key("driver"),
            format!("the driver `{driver}` needs `{key}`"),
        )
    };
    let refuses = |key: &str, help: &str| {
        Fault::key(
            place.key(key),
            format!("the driver `{driver}` takes no `{key}`"),
        )
        .help(help)
    };
    match (command, workload.command.is_some()) {
        (true, false) => {
            return Err(needs("command").help("add `command`, the list of arguments to run"));
        }
        (false, true) => return Err(refuses("command", "put the tool's arguments into `args`")),
        _ => {}
    }
    if !args && !workload.args.is_empty() {
        return Err(refuses("args", "put all arguments into `command`"));
    }
    match (metrics, workload.metrics.is_empty()) {
        (true, true) => {
            Err(needs("metrics").help("add a table [[workloads.NAME.metrics]] for each metric"))
        }
        (false, false) => Err(refuses(
            "metrics",
            "use the driver `generic` to read metrics from any output",
        )),
        _ => Ok(()),
    }
}

/// Names as `perf list` prints them, without groups.
fn counters(workload: &Workload, place: &Place) -> Result<(), Fault> {
    if workload.driver == Driver::Command && !workload.counters.is_empty() {
        return Err(Fault::key(
            place.clone(),
            "the driver `command` takes no `counters`: it would measure `perf` as well",
        )
        .help("use the driver `generic`, or that of the tool"));
    }
    for (index, event) in workload.counters.iter().enumerate() {
        let sound = |c: char| c.is_ascii_alphanumeric() || "-_.:/=".contains(c);
        if event.is_empty() || event.starts_with('-') || !event.chars().all(sound) {
            return Err(Fault::value(
                place.index(index),
                format!("`{event}` is not the name of one event"),
            )
            .help("write names as `perf list` prints them, as \"context-switches\""));
        }
        if workload.counters[..index].contains(event) {
            return Err(Fault::value(
                place.index(index),
                format!("the event `{event}` is named twice"),
            ));
        }
    }
    Ok(())
}

fn check_metric(rule: &MetricRule, place: &Place) -> Result<(), Fault> {
    let name = &rule.metric.name;
    if name.trim().is_empty() || name.chars().any(char::is_control) {
        let message = "the name of a metric is not empty and has no control characters";
        return Err(Fault::value(place.key("name"), message));
    }
    if !(rule.scale.is_finite() && rule.scale > 0.0) {
        let message = "`scale` must be a finite number over 0";
        return Err(Fault::value(place.key("scale"), message));
    }
    check_benchmark(rule, place)?;
    extract::check(&rule.extract, place)?;
    match rule.extract {
        Extract::Values => check_values(rule, place),
        _ => Ok(()),
    }
}

/// Lines name benchmarks behind the name of a metric.
fn check_benchmark(rule: &MetricRule, place: &Place) -> Result<(), Fault> {
    let is_every = rule.benchmark.as_deref() == Some(EVERY_NAME);
    let has_lines = rule.extract == Extract::Values && rule.metric.name != EVERY_NAME;
    if is_every && !has_lines {
        return Err(Fault::value(
            place.key("benchmark"),
            "`*` stands for the benchmarks that `VALUE` lines name",
        )
        .help("give the benchmark a name; or write values = true and the name of a metric"));
    }
    Ok(())
}

/// `VALUE` lines state their unit, so a rule can neither change it nor give one to all names.
fn check_values(rule: &MetricRule, place: &Place) -> Result<(), Fault> {
    if rule.scale != 1.0 {
        return Err(Fault::value(
            place.key("scale"),
            "`values` cannot be scaled: the lines state their unit",
        )
        .help("leave `scale` out"));
    }
    match (rule.metric.name == EVERY_NAME, rule.metric.unit.is_empty()) {
        (true, false) => Err(Fault::value(
            place.key("unit"),
            "the lines of all names have no common unit",
        )
        .help("write unit = \"\": each line states its own")),
        (false, true) => Err(Fault::value(place.key("unit"), "the unit is empty")
            .help("give the unit that the lines `VALUE number unit name` state")),
        _ => Ok(()),
    }
}
