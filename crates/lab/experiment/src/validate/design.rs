//! Rules of `[design]`.

use std::time::Duration;

use super::values::{environment_name, no_repeats, positive};
use crate::design::{MOST_SLICES, Refresh, check_runs};
use crate::driver::Driver;
use crate::error::{Fault, Place};
use crate::file::Experiment;
use crate::source::Source;
use crate::workload::EVERY_NAME;

/// Shortest slices.
const LEAST_SLICE: Duration = Duration::from_millis(1);

pub(super) fn check(experiment: &Experiment, source: &Source<'_>) -> Result<(), Fault> {
    runs(experiment, source)?;
    refresh(experiment)?;
    variants(experiment)?;
    fractions(experiment)?;
    lists(experiment)?;
    let design = &experiment.design;
    positive(design.timeout, place("timeout"))?;
    design
        .limit
        .map_or(Ok(()), |limit| positive(limit, place("limit")))
}

fn place(key: &str) -> Place {
    Place::of(&["design", key])
}

fn runs(experiment: &Experiment, source: &Source<'_>) -> Result<(), Fault> {
    let design = &experiment.design;
    for (key, value) in [("runs", design.runs), ("block", design.block)] {
        if value == 0 {
            return Err(Fault::value(
                place(key),
                format!("`{key}` must be at least 1"),
            ));
        }
    }
    if design
        .slices
        .is_some_and(|slices| !(2..=MOST_SLICES).contains(&slices))
    {
        let allowed = format!("`slices` must be from 2 to {MOST_SLICES}");
        return Err(Fault::value(place("slices"), allowed)
            .help("leave it out to execute each run as a whole"));
    }
    if design.slices.is_some() && design.slice.is_some() {
        return Err(
            Fault::key(place("slice"), "`slices` says how many slices there are")
                .help("leave out one of `slice` and `slices`"),
        );
    }
    if design.slice.is_some_and(|slice| slice < LEAST_SLICE) {
        return Err(Fault::value(place("slice"), "`slice` must be at least 1ms"));
    }
    if design.least_slices().is_some() && design.block != 1 {
        return Err(Fault::value(
            place("block"),
            "in slices a block is one run of each variant, all in turns",
        )
        .help("leave `block` out"));
    }
    check_runs(design.runs, design.block).map_err(|error| {
        let given = if source.has(&place("runs")) {
            "runs"
        } else {
            "block"
        };
        let divisors: Vec<String> = (1..=design.runs.min(30))
            .filter(|block| design.runs.is_multiple_of(*block))
            .map(|block| block.to_string())
            .collect();
        Fault::value(place(given), error.to_string()).help(format!(
            "or choose a `block` that divides {}: {}",
            design.runs,
            divisors.join(", ")
        ))
    })
}

fn refresh(experiment: &Experiment) -> Result<(), Fault> {
    let design = &experiment.design;
    let builds = matches!(design.refresh, Refresh::Relink | Refresh::Rebuild);
    if design.refresh_every.is_some() && !builds {
        return Err(Fault::key(
            place("refresh_every"),
            "`refresh_every` applies only to refresh = \"relink\" and \"rebuild\"",
        )
        .help("leave it out, or set `refresh`"));
    }
    if design.layout.is_some() && design.refresh != Refresh::Relink {
        return Err(Fault::key(
            place("layout"),
            "`layout` applies only to refresh = \"relink\"",
        )
        .help("leave it out, or set refresh = \"relink\""));
    }
    for (name, variant) in &experiment.variants {
        let build = variant.build.as_ref();
        let lacks = |what: &str, key: &str| {
            Err(Fault::value(
                place("refresh"),
                format!("the variant `{name}` cannot be {what}: it has no `{key}`"),
            )
            .help(format!(
                "add `{key}` to [variants.{name}.build], or choose another refresh"
            )))
        };
        match design.refresh {
            // A program that is not built here can still have its libraries in another order.
            Refresh::Relink
                if (build.is_some() || design.layout.is_some())
                    && build.is_none_or(|build| build.link.is_none()) =>
            {
                return lacks("relinked", "link");
            }
            Refresh::Rebuild if build.is_none_or(|build| build.command.is_none()) => {
                return lacks("rebuilt", "command");
            }
            _ => {}
        }
    }
    Ok(())
}

fn variants(experiment: &Experiment) -> Result<(), Fault> {
    let design = &experiment.design;
    for (key, name) in [("baseline", &design.baseline), ("control", &design.control)] {
        if let Some(name) = name
            && !experiment.variants.contains_key(name)
        {
            return Err(
                Fault::value(place(key), format!("there is no variant `{name}`"))
                    .suggest(name, experiment.variants.keys().map(String::as_str)),
            );
        }
    }
    let Some(control) = &design.control else {
        return Ok(());
    };
    let baseline = experiment.baseline();
    if control == baseline {
        return Err(Fault::value(
            place("control"),
            format!("the control `{control}` is the baseline itself"),
        )
        .help("add a second variant with the same content under another name"));
    }
    if experiment.variants.get(control) != experiment.variants.get(baseline) {
        return Err(Fault::value(
            place("control"),
            format!("the control `{control}` is not defined as the baseline `{baseline}` is"),
        )
        .help(format!(
            "give [variants.{control}] the same content as [variants.{baseline}]"
        )));
    }
    Ok(())
}

fn fractions(experiment: &Experiment) -> Result<(), Fault> {
    let design = &experiment.design;
    // The comparisons are written so that a NaN fails them.
    if let Some(margin) = design.margin
        && !(margin > 0.0 && margin < 1.0)
    {
        return Err(Fault::value(
            place("margin"),
            "the margin must lie between 0% and 100%, both excluded",
        )
        .help("write a percentage such as \"1%\" or a fraction such as 0.01"));
    }
    if !(design.confidence > 0.5 && design.confidence < 1.0) {
        return Err(Fault::value(
            place("confidence"),
            "the confidence must lie between 50% and 100%, both excluded",
        )
        .help("write a percentage such as \"95%\" or a fraction such as 0.95"));
    }
    Ok(())
}

fn lists(experiment: &Experiment) -> Result<(), Fault> {
    let design = &experiment.design;
    for (index, name) in design.environment.iter().enumerate() {
        environment_name(name, |message| {
            Fault::value(place("environment").index(index), message)
        })?;
    }
    no_repeats(&design.environment, &place("environment"))?;
    no_repeats(&design.metrics, &place("metrics"))?;
    // What the other drivers measure is theirs to know.
    if experiment
        .workloads
        .values()
        .any(|workload| workload.driver != Driver::Generic)
    {
        return Ok(());
    }
    let known = || {
        experiment
            .workloads
            .values()
            .flat_map(|w| &w.metrics)
            .map(|rule| rule.metric.name.as_str())
    };
    if known().any(|metric| metric == EVERY_NAME) {
        return Ok(());
    }
    for (index, name) in design.metrics.iter().enumerate() {
        if !known().any(|metric| metric == name) {
            return Err(Fault::value(
                place("metrics").index(index),
                format!("no workload measures `{name}`"),
            )
            .suggest(name, known()));
        }
    }
    Ok(())
}
