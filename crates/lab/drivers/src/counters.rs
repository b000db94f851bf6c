//! Counters of the kernel and of the CPU beside any tool, by `perf stat`.
//!
//! Read from the sources of `perf` 6.1 and 6.18, and checked against 6.1.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use perflab_experiment::{Better, Metric, Sample};

use crate::error::{Place, ReadError, excerpt};
use crate::number;

/// What stands in front of a command so that `events` are counted while it runs, its children
/// included, and written to `counts`, and its exit code to `code`, with 128 added to a signal.
///
/// The shell that does the latter is counted with it. `perf stat` cannot be asked for the code: it
/// ends with 0 where the command was ended by a signal, and now and then where the command ended
/// within a millisecond.
pub fn argv(events: &[String], counts: &Path, code: &Path) -> Vec<OsString> {
    let mut argv: Vec<OsString> = ["perf", "stat", "-x,", "-o"].map(OsString::from).into();
    argv.push(counts.into());
    argv.extend(["-e".into(), events.join(",").into()]);
    argv.extend(["--", "sh", "-c", "\"$@\"; echo $? >\"$0\""].map(OsString::from));
    argv.push(code.into());
    argv
}

/// The counts in what `perf stat` wrote for these events.
///
/// Each becomes a metric `counter_EVENT`, lower is better; clocks have the unit `ms`. Of an event
/// that shared a hardware counter with others, the count is an estimate, and a second metric
/// `counter_EVENT_running` states the share of the time, in %, for which it was really counted.
///
/// # Errors
/// An event that was not counted, or other lines than one for each event in its order.
pub fn read(events: &[String], text: &[u8]) -> Result<Vec<Sample>, ReadError> {
    let text = String::from_utf8_lossy(text);
    let mut lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let mut samples = Vec::new();
    if !text.is_empty() && !text.ends_with('\n') {
        return Err(ReadError::new(
            Place::Counters(text.lines().count()),
            "whole lines",
            "one without its end",
        ));
    }
    for event in events {
        let Some((index, line)) = lines.next() else {
            return Err(ReadError::new(
                Place::Counters(text.lines().count() + 1),
                format!("a line for the event {}", excerpt(event)),
                "none",
            )
            .advise("does `perf stat` itself work for this user?"));
        };
        samples.extend(count(event, line, index + 1)?);
    }
    match lines.next() {
        None => Ok(samples),
        Some((index, line)) => Err(ReadError::new(
            Place::Counters(index + 1),
            "one line for each event",
            excerpt(line),
        )),
    }
}

/// The fields of a line: count, unit, event, time for which it was counted, and that as a share of
/// the whole; what follows is derived from these.
fn count(event: &str, line: &str, number: usize) -> Result<Vec<Sample>, ReadError> {
    let error =
        |expected: String, found: String| ReadError::new(Place::Counters(number), expected, found);
    let mut fields = line.split(',');
    let mut field = || fields.next().unwrap_or_default();
    let (count, unit, name) = (field(), field(), field());
    let (_, share) = (field(), field());
    if name.strip_suffix(":u") == Some(event) {
        return Err(error(
            format!("{} counted in the kernel, too", excerpt(event)),
            format!("{}, in user mode only", excerpt(name)),
        )
        .advise(
            "let this user count in the kernel with `sysctl kernel.perf_event_paranoid=1`, or ask \
             for the event with `:u`",
        ));
    }
    if name != event {
        return Err(
            error(format!("the event {}", excerpt(event)), excerpt(line))
                .advise("name events as `perf list` does"),
        );
    }
    match count {
        "<not counted>" => {
            return Err(error(
                format!("a count of {}", excerpt(event)),
                "`<not counted>`".to_owned(),
            )
            .advise("let the workload run longer, or count fewer events at a time"));
        }
        "<not supported>" => {
            return Err(error(
                format!("a count of {}", excerpt(event)),
                "`<not supported>`".to_owned(),
            )
            .advise(
                "this machine cannot count it: virtual machines often have software events only",
            ));
        }
        _ => {}
    }
    let read = |what: &str, text: &str| match number::finite(text) {
        Ok(value) if value >= 0.0 => Ok(value),
        Ok(value) => Err(error(format!("{what} of at least 0"), value.to_string())),
        Err(found) => Err(error(format!("{what} to be a number"), found)),
    };
    let sample = |name: String, unit: &str, better, value| Sample {
        benchmark: None,
        metric: Arc::new(Metric::new(name, unit, better)),
        value,
        step: None,
    };
    let unit = if unit == "msec" { "ms" } else { unit };
    let mut samples = vec![sample(
        format!("counter_{event}"),
        unit,
        Better::Lower,
        read("a count", count)?,
    )];
    let share = read("the share of the time", share)?;
    if share < 100.0 {
        let name = format!("counter_{event}_running");
        samples.push(sample(name, "%", Better::Higher, share));
    }
    Ok(samples)
}
