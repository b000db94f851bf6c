//! Rules of `[observe]`.

use super::values::no_repeats;
use crate::design::Refresh;
use crate::error::{Fault, Place};
use crate::file::Experiment;
use crate::observe::Observe;

pub(super) fn check(experiment: &Experiment) -> Result<(), Fault> {
    let Some(observe) = &experiment.observe else {
        return Ok(());
    };
    let place = Place::of(&["observe"]);
    if observe.probes.is_empty() && observe.counters.is_empty() {
        return Err(Fault::key(place, "nothing is to be observed")
            .help("add `probes`, as in [\"redis:*\"], or `counters`, as in [\"cycles\"]"));
    }
    if !(observe.share > 0.0 && observe.share < 1.0) {
        return Err(Fault::value(
            place.key("share"),
            format!("`share` must be above 0 and below 1, found {}", observe.share),
        )
        .help("the runs that are not observed say what observing costs, so there must be some of both"));
    }
    if !Observe::RING_KIBIBYTES.contains(&observe.ring) {
        let (least, most) = Observe::RING_KIBIBYTES.into_inner();
        return Err(Fault::value(
            place.key("ring"),
            format!(
                "`ring` must be from {least} to {most} KiB, found {}",
                observe.ring
            ),
        )
        .help("leave it out unless runs lost events"));
    }
    if observe.probes.is_empty() && observe.ring != Observe::default().ring {
        return Err(Fault::key(
            place.key("ring"),
            "`ring` is memory for events, and no probes are recorded",
        )
        .help("add `probes`, as in [\"redis:*\"], or leave `ring` out"));
    }
    no_repeats(&observe.probes, &place.key("probes"))?;
    no_repeats(&observe.counters, &place.key("counters"))?;
    for (key, names) in [("probes", &observe.probes), ("counters", &observe.counters)] {
        if let Some(index) = names.iter().position(String::is_empty) {
            return Err(Fault::value(place.key(key).index(index), "an empty name"));
        }
    }
    for (name, workload) in &experiment.workloads {
        if !workload.counters.is_empty() && !observe.counters.is_empty() {
            return Err(Fault::key(
                Place::of(&["workloads", name, "counters"]),
                "`counters` here and in [observe]",
            )
            .help("leave one of them out: `perf stat` stands in front of the workload once"));
        }
    }
    if experiment.design.refresh == Refresh::Keep && !observe.probes.is_empty() {
        return Err(Fault::key(
            place.key("probes"),
            "probes cannot be recorded in systems that are kept",
        )
        .help("use `refresh = \"restart\"`, so that observed runs have systems of their own"));
    }
    Ok(())
}
