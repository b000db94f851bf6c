//! What a trace says of itself.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use perflab_experiment::counted;
use perflab_trace_file::{EventSelection, Process, Thread, Totals, Trace};

use super::list::ORDERED;
use super::places::Lines;

use crate::terminal::escape;

/// What somebody who looks at the events should know: what is missing, and where times are doubtful.
pub fn warnings(trace: &Trace) -> Vec<String> {
    let mut lines = losses(trace);
    lines.extend(damage(trace));
    if trace.problem_count() > 0 {
        lines.push(format!(
            "{} of the trace cannot be understood",
            counted(trace.problem_count(), "part")
        ));
    }
    let discontinuities = trace.discontinuities().count();
    if discontinuities > 0 && trace.totals().events > 0 {
        lines.push(format!(
            "the clock broke at {}: events of different threads there may be in the wrong order",
            counted(discontinuities, "place")
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
    let overwritten = them(totals.overwritten);
    let [incomplete, damaged] = [totals.incomplete, totals.damaged].map(were);
    [
        (totals.dropped, "found no room".to_owned()),
        (
            totals.overwritten,
            format!("had others written over {overwritten}"),
        ),
        (
            no_ring,
            "had no ring: no memory was left, none was ready yet, or the process is a child without an agent"
                .to_owned(),
        ),
        (
            totals.incomplete,
            format!("{incomplete} begun and never completed"),
        ),
        (totals.unreadable, "cannot be read".to_owned()),
        (
            totals.damaged,
            format!("or more {damaged} in damaged parts of the file"),
        ),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| format!("lost: {} {what}", counted(count, "event")))
    .collect()
}

/// The verb of so many.
pub fn were(count: u64) -> &'static str {
    if count == 1 { "was" } else { "were" }
}

/// The pronoun of so many.
pub fn them(count: u64) -> &'static str {
    if count == 1 { "it" } else { "them" }
}

/// Damaged places that are named.
const PLACES: usize = 5;

/// What of the file could not be read.
fn damage(trace: &Trace) -> Vec<String> {
    let (count, bytes) = trace.gap_totals();
    let mut lines: Vec<String> = trace
        .gaps()
        .iter()
        .take(PLACES)
        .map(|gap| format!("damaged: {gap}"))
        .collect();
    if count > PLACES as u64 {
        lines.push(format!(
            "damaged: {bytes} bytes at {count} places were skipped in all"
        ));
    }
    if let Some(cut) = trace.cut() {
        let left = trace.left_over();
        lines.push(if left > 0 {
            format!("{cut}: {} {} skipped", counted(left, "byte"), were(left))
        } else {
            cut.to_string()
        });
    }
    lines
}

/// Everything but the events.
pub fn summary(trace: &Trace) -> String {
    let Totals { events, .. } = trace.totals();
    let mut text = format!("{} in {} bytes\n", counted(events, "event"), trace.length());
    for line in warnings(trace) {
        text += &line;
        text.push('\n');
    }
    let mut counts: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for event in trace.events(&EventSelection::default()) {
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
    let conversion = trace.conversion(process.clock);
    let command = escape(&process.command);
    let until = match process.ordered_since {
        Some(_) => " until several threads recorded",
        None => "",
    };
    let _ = writeln!(text, "\nprocess {}: {command}", process.pid);
    let _ = writeln!(
        text,
        "  clock of the events: {}, processors at most {} ns apart, read up to {} ns before an event{until}",
        match process.clock {
            perflab_trace_file::Clock::TimeStampCounter => "time stamp counter",
            perflab_trace_file::Clock::Monotonic => "CLOCK_MONOTONIC",
        },
        conversion.duration(process.skew),
        process.ahead,
    );
    let _ = writeln!(
        text,
        "  {:>12} {:>9} {:>9}  thread",
        "events", "lost", "seconds"
    );
    for line in by_thread(process.threads.values().map(ThreadLine::of).collect()) {
        let totals = line.totals;
        let lost = totals
            .dropped
            .saturating_add(totals.overwritten)
            .saturating_add(totals.incomplete)
            .saturating_add(totals.unreadable)
            .saturating_add(totals.damaged);
        let seconds = line.times.map_or(0.0, |(first, last)| {
            conversion.duration(last.saturating_sub(first)) as f64 / 1e9
        });
        let thread = format!("{} {}", line.tid, escape(line.name));
        let _ = writeln!(
            text,
            "  {:>12} {lost:>9} {seconds:>9.3}  {thread}",
            totals.events
        );
    }
    let costs: BTreeMap<u32, u64> = process
        .costs
        .iter()
        .map(|cost| (cost.probe, cost.picoseconds))
        .collect();
    let _ = writeln!(text, "  {:>12} {:>9}  probe", "events", "ns each");
    let mut lines = Lines::new();
    for probe in process.probes.values() {
        let events = counts
            .get(&(process.number, probe.number))
            .copied()
            .unwrap_or(0);
        // Those of the same name that are not ordered have a line of their own, with their cost.
        let ordered = if probe.ahead == Some(0) { ORDERED } else { "" };
        let name = format!("{}:{}{ordered}", probe.provider, probe.name);
        let cost = costs.get(&probe.number).copied();
        lines.add((process.number, name), &probe.object, events, cost);
    }
    for ((_, name), line) in lines.in_order() {
        let cost = match line.picoseconds {
            None => "-".to_owned(),
            Some((least, most)) if tenths(least) == tenths(most) => tenths(least),
            Some((least, most)) => format!("{} to {}", tenths(least), tenths(most)),
        };
        let probe = escape(&(name + &line.places()));
        let _ = writeln!(text, "  {:>12} {cost:>9}  {probe}", line.events);
    }
}

/// Nanoseconds with one digit behind the point.
fn tenths(picoseconds: u64) -> String {
    format!("{:.1}", picoseconds as f64 / 1e3)
}

/// How a thread is called, also one whose name nobody knows.
pub fn called(name: &str) -> &str {
    if name.is_empty() { "-" } else { name }
}

/// What is said of one thread.
#[derive(Debug, Clone, PartialEq)]
struct ThreadLine<'t> {
    tid: u32,
    name: &'t str,
    totals: Totals,
    /// Times of the first and the last event.
    times: Option<(u64, u64)>,
}

impl<'t> ThreadLine<'t> {
    fn of(thread: &'t Thread) -> Self {
        Self {
            tid: thread.tid,
            name: called(&thread.name),
            totals: thread.totals,
            times: thread.times,
        }
    }
}

/// A line for each thread, by their numbers.
///
/// A thread of which a signal handler interrupted an event has several numbers in the trace. Threads that had one number
/// of the kernel's and one name, one after the other, are not told apart.
fn by_thread(mut lines: Vec<ThreadLine<'_>>) -> Vec<ThreadLine<'_>> {
    lines.sort_by_key(|line| (line.tid, line.name));
    lines.dedup_by(|line, kept| {
        let is_same = line.tid != 0 && (line.tid, line.name) == (kept.tid, kept.name);
        if is_same {
            kept.totals = kept.totals.plus(line.totals);
            kept.times = match (kept.times, line.times) {
                (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
                (one, other) => one.or(other),
            };
        }
        is_same
    });
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_without_a_name() {
        assert_eq!((called(""), called("worker")), ("-", "worker"));
    }

    #[test]
    fn a_line_for_each_thread() {
        let line = |tid, events, times| ThreadLine {
            tid,
            name: "worker",
            totals: Totals {
                events,
                ..Totals::default()
            },
            times,
        };
        let lines = by_thread(vec![
            line(8, 1, Some((10, 20))),
            // Its handlers', with and without events, and theirs.
            line(7, 4, Some((15, 30))),
            line(7, 2, Some((10, 15))),
            line(7, 0, None),
            line(7, 8, Some((12, 14))),
            line(7, 16, Some((5, 6))),
            // Nobody knows whose they are.
            line(0, 32, Some((10, 20))),
            line(0, 64, Some((10, 20))),
        ]);
        let expected = [
            line(0, 32, Some((10, 20))),
            line(0, 64, Some((10, 20))),
            line(7, 30, Some((5, 30))),
            line(8, 1, Some((10, 20))),
        ];
        assert_eq!(lines, expected);
    }
}
