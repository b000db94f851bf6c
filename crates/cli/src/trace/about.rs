//! What a trace says of itself.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use perflab_trace::{Filter, Process, Totals, Trace};

use crate::terminal::escape;

/// What somebody who looks at the events should know: what is missing, and where times are doubtful.
pub fn warnings(trace: &Trace) -> Vec<String> {
    let mut lines = losses(trace);
    if let Some(cut) = trace.cut() {
        lines.push(cut.to_string());
    }
    if trace.problem_count() > 0 {
        lines.push(format!(
            "{} parts of the trace cannot be understood",
            trace.problem_count()
        ));
    }
    let breaks = trace.breaks().count();
    if breaks > 0 {
        lines.push(format!(
            "the clock broke at {breaks} places: events of different threads there may be in the wrong order"
        ));
    }
    lines
}

fn losses(trace: &Trace) -> Vec<String> {
    let totals = trace.totals();
    let no_ring = trace
        .processes()
        .values()
        .fold(0u64, |sum, process| sum.saturating_add(process.no_ring));
    [
        (totals.dropped, "found no room"),
        (totals.overwritten, "had others written over them"),
        (no_ring, "were of threads for which there was no memory"),
        (totals.incomplete, "were begun and never completed"),
        (totals.unreadable, "cannot be read"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| format!("lost: {count} events {what}"))
    .collect()
}

/// Everything but the events.
pub fn summary(trace: &Trace) -> String {
    let Totals { events, .. } = trace.totals();
    let mut text = format!("{events} events in {} bytes\n", trace.length());
    for line in warnings(trace) {
        text += &line;
        text.push('\n');
    }
    let mut counts: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for event in trace.events(&Filter::default()) {
        *counts
            .entry((event.process.number, event.probe.number))
            .or_default() += 1;
    }
    for process in trace.processes().values() {
        about_process(&mut text, trace, process, &counts);
    }
    text
}

fn about_process(
    text: &mut String,
    trace: &Trace,
    process: &Process,
    counts: &BTreeMap<(u32, u32), u64>,
) {
    let timeline = trace.timeline(process.clock);
    let _ = writeln!(
        text,
        "\nprocess {}: {}",
        process.pid,
        escape(&process.command)
    );
    let _ = writeln!(
        text,
        "  clock of the events: {}, processors at most {} ns apart",
        match process.clock {
            perflab_trace::Clock::TimeStampCounter => "time stamp counter",
            perflab_trace::Clock::Monotonic => "CLOCK_MONOTONIC",
        },
        timeline.duration(process.skew),
    );
    let _ = writeln!(
        text,
        "  {:>12} {:>9} {:>9}  thread",
        "events", "lost", "seconds"
    );
    for thread in process.threads.values() {
        let totals = thread.totals;
        let lost = totals
            .dropped
            .saturating_add(totals.overwritten)
            .saturating_add(totals.incomplete);
        let seconds = thread.times.map_or(0.0, |(first, last)| {
            timeline.duration(last.saturating_sub(first)) as f64 / 1e9
        });
        let _ = writeln!(
            text,
            "  {:>12} {lost:>9} {seconds:>9.3}  {} {}",
            totals.events,
            thread.tid,
            escape(&thread.name)
        );
    }
    let costs: BTreeMap<u32, u64> = process
        .costs
        .iter()
        .map(|cost| (cost.probe, cost.picoseconds))
        .collect();
    let _ = writeln!(text, "  {:>12} {:>9}  probe", "events", "ns each");
    for probe in process.probes.values() {
        let count = counts
            .get(&(process.number, probe.number))
            .copied()
            .unwrap_or(0);
        let cost = costs.get(&probe.number).map_or_else(
            || "?".to_owned(),
            |picoseconds| format!("{:.1}", *picoseconds as f64 / 1e3),
        );
        let _ = writeln!(
            text,
            "  {count:>12} {cost:>9}  {}:{}",
            probe.provider, probe.name
        );
    }
}
