//! What sysbench's arguments say about its report.

use crate::closed_loop;
use crate::error::ArgumentError;
use crate::slices::Alike;

/// The value of the last `--NAME=VALUE`, with `-` and `_` in names alike, as in the tool.
fn value<'a>(args: &'a [String], name: &str) -> Option<&'a str> {
    args.iter().rev().find_map(|word| {
        let (given, value) = word.strip_prefix("--")?.split_once('=')?;
        (given.replace('_', "-") == name).then_some(value)
    })
}

fn is_zero(text: &str) -> bool {
    text.parse::<f64>() == Ok(0.0)
}

pub(super) fn check(args: &[String]) -> Result<(), ArgumentError> {
    let refuse = |argument: String, reason, advice| {
        Err(ArgumentError::new("sysbench", argument, reason, advice))
    };
    for word in args {
        if ["--help", "--version"].contains(&word.as_str()) {
            return refuse(
                word.clone(),
                "the tool would measure nothing",
                "leave it out",
            );
        }
    }
    let operands: Vec<_> = args.iter().filter(|word| !word.starts_with('-')).collect();
    if operands.last().is_none_or(|word| *word != "run") {
        return refuse(
            args.join(" "),
            "the tool measures with the command `run` only",
            "end with `run`, and do what comes before in `prepare`",
        );
    }
    let time = value(args, "time").or_else(|| value(args, "max-time"));
    let events = value(args, "events").or_else(|| value(args, "max-requests"));
    if time.is_some_and(is_zero) && events.is_none_or(is_zero) {
        return refuse(
            "--time=0".to_owned(),
            "without a number of events the tool would never end",
            "give seconds, or a number of events with --events",
        );
    }
    if value(args, "report-checkpoints").is_some_and(|times| !times.is_empty()) {
        return refuse(
            "--report-checkpoints".to_owned(),
            "there would be several reports",
            "leave it out",
        );
    }
    if let Some(level) = value(args, "verbosity")
        && !level.parse::<i64>().is_ok_and(|level| level >= 3)
    {
        return refuse(
            format!("--verbosity={level}"),
            "the tool would print no report",
            "leave it out",
        );
    }
    Ok(())
}

/// Without a number of events the tool goes on for a time, 10 s unless told otherwise.
pub(super) fn alike(args: &[String]) -> Alike {
    let events = value(args, "events").or_else(|| value(args, "max-requests"));
    match events.is_none_or(is_zero) {
        true => Alike::Time,
        false => Alike::Work,
    }
}

pub(super) fn threads(args: &[String]) -> Option<u32> {
    match value(args, "threads").or_else(|| value(args, "num-threads")) {
        Some(number) => number.parse().ok(),
        None => Some(1),
    }
}

pub(super) fn cautions(args: &[String]) -> Vec<String> {
    let mut cautions = Vec::new();
    if value(args, "rate").is_some_and(|rate| !is_zero(rate)) {
        cautions.push(
            "Open loop: with --rate a latency counts from when the event was put into a queue \
             (corrected for coordinated omission), which a thread of the tool does at random times; \
             should that thread be late itself, this is in no latency. The rate of events is that asked for; a system \
             that cannot keep up makes the run fail once 131 071 events wait."
                .to_owned(),
        );
    } else {
        cautions.push(closed_loop::caution(
            "With --rate the load is an open loop and latencies count from when they should.",
        ));
    }
    cautions.push(
        "Latencies are printed in steps of 0.01 ms, shorter ones than 0.005 ms as 0; latency_avg is \
         made from their sum, which is finer. Percentiles lie in steps of 1.8 %, and above 100 s \
         they count as 100 s."
            .to_owned(),
    );
    if args.iter().any(|word| word == "fileio")
        && !value(args, "file-extra-flags").is_some_and(|flags| flags.contains("direct"))
    {
        cautions.push(
            "Without --file-extra-flags=direct files may be served by the page cache: what is \
             measured may be memory."
                .to_owned(),
        );
    }
    cautions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sysbench;
    use crate::command_lines::{args, assert_accepted, assert_refused};

    #[test]
    fn what_would_never_end_or_measures_nothing_is_refused() {
        let refused = [
            ("cpu", "cpu"),
            ("", ""),
            ("fileio prepare", "fileio prepare"),
            ("cpu --help", "--help"),
            ("cpu --time=0 run", "--time=0"),
            ("cpu --time=0 --events=0 run", "--time=0"),
            ("cpu --max-time=0 run", "--time=0"),
            ("cpu --report-checkpoints=1,2 run", "--report-checkpoints"),
            ("cpu --report_checkpoints=1 run", "--report-checkpoints"),
            ("cpu --verbosity=2 run", "--verbosity=2"),
        ];
        assert_refused(&Sysbench, &refused);
        let accepted = [
            "cpu run",
            "cpu run --time=5",
            "cpu --time=0 --events=5 run",
            "--test=cpu run",
            "oltp_read_only --verbosity=5 run",
        ];
        assert_accepted(&Sysbench, &accepted);
    }

    #[test]
    fn cautions_tell_the_loops_apart() {
        let said = |line| cautions(&args(line)).join("\n");
        assert!(said("cpu run").contains("Closed loop"));
        assert!(said("cpu --rate=0 run").contains("Closed loop"));
        assert!(said("cpu --rate=10 run").contains("Open loop"));
        assert!(said("fileio --file-test-mode=seqrd run").contains("page cache"));
        assert!(!said("fileio --file-extra-flags=direct run").contains("page cache"));
    }
}
