//! Why no event of a trace is shown.

use std::collections::{BTreeMap, BTreeSet};

use perflab_experiment::{counted, suggestion_after};
use perflab_trace_file::{EventSelection, Trace};

use super::accepted::Accepted;
use super::asked::Asked;
use crate::terminal::escape;

/// One of the things that were asked for together.
struct Part {
    asked: String,
    is_found: bool,
    /// What there is.
    help: String,
}

impl Part {
    /// Nothing if it was not asked for.
    fn new(what: &str, asked: &[String], is_found: bool, there: &BTreeSet<String>) -> Option<Self> {
        let there = there.iter().map(String::as_str);
        Some(Self {
            help: suggestion_after("the trace has", asked.first()?, there).unwrap_or_default(),
            asked: format!("{what} {}", asked.join(" or ")),
            is_found,
        })
    }
}

/// Which of the things that were asked for no event has, and what there is; nothing if the trace has no events.
pub fn reason(asked: &Asked<'_>, accepted: Option<&Accepted>, trace: &Trace) -> Option<String> {
    let (mut probes, mut threads) = (BTreeMap::new(), BTreeMap::new());
    let (mut is_in_time, mut last) = (false, None);
    let (mut is_accepted, mut rejected) = (false, 0_u64);
    for event in trace.events(&EventSelection::default()) {
        let process = event.process.number;
        probes.insert((process, event.probe.number), event.probe);
        threads.insert(
            (process, event.thread.number),
            (event.process, event.thread),
        );
        is_in_time |= asked.time().contains(&event.nanoseconds);
        match accepted.and_then(|accepted| accepted.verdict(&event)) {
            Some(true) => is_accepted = true,
            Some(false) => rejected += 1,
            None => {}
        }
        last = last.max(Some(event.nanoseconds));
    }
    let last = last?.saturating_sub(asked.zero) as f64 / 1e9;
    let arguments = asked.arguments;
    let names = probes.values();
    let names = names.map(|probe| format!("{}:{}", probe.provider, probe.name));
    let pids = threads.values().map(|(process, _)| process.pid.to_string());
    let called = threads.values().flat_map(|(_, thread)| {
        let name = Some(thread.name.clone()).filter(|name| !name.is_empty());
        name.into_iter().chain([thread.tid.to_string()])
    });
    let wanted_probes: Vec<String> = (arguments.probes != "*")
        .then(|| arguments.probes.clone())
        .into_iter()
        .collect();
    let wanted_pids: Vec<String> = arguments.pid.iter().map(u32::to_string).collect();
    let time = match (arguments.from, arguments.to) {
        (None, None) => None,
        (Some(from), None) => Some(format!("the time from {} s on", from.as_secs_f64())),
        (None, Some(to)) => Some(format!("the time up to {} s", to.as_secs_f64())),
        (Some(from), Some(to)) => Some(format!(
            "the time from {} s to {} s",
            from.as_secs_f64(),
            to.as_secs_f64()
        )),
    };
    let parts = [
        Part::new(
            "probe",
            &wanted_probes,
            probes.values().any(|probe| asked.is_probe(probe)),
            &names.collect(),
        ),
        Part::new(
            "process",
            &wanted_pids,
            threads
                .values()
                .any(|(process, _)| asked.is_process(process)),
            &pids.collect(),
        ),
        Part::new(
            "thread",
            &arguments.thread,
            threads.values().any(|(_, thread)| asked.is_thread(thread)),
            &called.collect(),
        ),
        time.map(|asked| Part {
            asked,
            is_found: is_in_time,
            help: format!("the events are from 0 s to {last:.9} s"),
        }),
        arguments.when.as_ref().map(|expression| Part {
            asked: format!("the filter {expression}"),
            is_found: is_accepted,
            help: match rejected {
                0 => "it judges no event of what else was asked for".to_owned(),
                rejected => format!("it rejects {}", counted(rejected, "event")),
            },
        }),
    ];
    let (found, missing): (Vec<Part>, Vec<Part>) =
        parts.into_iter().flatten().partition(|part| part.is_found);
    let said = if missing.is_empty() {
        let found: Vec<String> = found.into_iter().map(|part| part.asked).collect();
        format!(
            "no event matches all of {}; each alone matches some",
            found.join(", ")
        )
    } else {
        let missing = missing.into_iter();
        let missing: Vec<String> = missing
            .map(|part| format!("no event matches {}: {}", part.asked, part.help))
            .collect();
        missing.join("; ")
    };
    Some(escape(&said))
}
