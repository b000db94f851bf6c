//! `time`, which runs a command and prints what it used.
//!
//! GNU time (`-v`) was checked against 1.9; the time of OpenBSD and FreeBSD (`-lp`) was read from
//! their sources.

mod bsd;
mod gnu;
mod lines;

use perflab_experiment::{Combine, Metric, Sample};

use crate::driver::{Driver, call};
use crate::error::{ArgumentError, Place, ReadError, Stream};
use crate::metric::metrics;
use crate::output::Output;
use lines::{INVOLUNTARY, MAJOR, MAX_RSS, MINOR, SYSTEM, USER, VOLUNTARY, WALL, at};

/// Runs `time -v COMMAND`, or `time -lp COMMAND` if the arguments begin with that, and reads the
/// block that it prints below whatever the command wrote to standard error.
#[derive(Debug, Clone, Copy, Default)]
pub struct Time;

impl Driver for Time {
    fn name(&self) -> &'static str {
        "time"
    }

    fn argv(&self, args: &[String]) -> Vec<String> {
        match args.first().map(String::as_str) {
            Some("-v" | "-lp") => call(&["time"], args),
            _ => call(&["time", "-v"], args),
        }
    }

    fn check(&self, args: &[String]) -> Result<(), ArgumentError> {
        let command = match args {
            [first, rest @ ..] if first == "-v" || first == "-lp" => rest.first(),
            _ => args.first(),
        };
        let (reason, advice) = match command {
            None => ("there is no command", "name the command to be measured"),
            Some(word) if word.starts_with('-') => (
                "it would change what is printed, or where",
                "give the command alone, or behind -lp for the time of a BSD",
            ),
            Some(_) => return Ok(()),
        };
        Err(ArgumentError::new("time", args.join(" "), reason, advice))
    }

    fn metrics(&self) -> Vec<Metric> {
        metrics(&[
            WALL,
            USER,
            SYSTEM,
            MAX_RSS,
            MAJOR,
            MINOR,
            VOLUNTARY,
            INVOLUNTARY,
        ])
    }

    fn read(&self, output: &Output<'_>) -> Result<Vec<Sample>, ReadError> {
        output.refuse_exit_code()?;
        let text = String::from_utf8_lossy(output.stderr);
        let lines: Vec<&str> = text.lines().collect();
        if !text.is_empty() && !text.ends_with('\n') {
            return Err(at(
                lines.len(),
                "the end of a line",
                "a line that was cut off",
            ));
        }
        if let Some(start) = lines.iter().rposition(|line| gnu::begins(line)) {
            gnu::read(&lines, start)
        } else if let Some(start) = lines.iter().rposition(|line| bsd::begins(line)) {
            bsd::read(&lines, start)
        } else {
            Err(ReadError::new(
                Place::Whole(Stream::Stderr),
                "the block of `time -v` or `time -lp`",
                "none",
            ))
        }
    }

    /// None: times are rounded down, in all slices alike, so that sums of them would be too low by half a step of each.
    fn combine(&self, _: &str) -> Option<Combine> {
        None
    }

    fn step(&self, metric: &str, value: f64, _: &[String]) -> Option<f64> {
        const LONG_S: f64 = 3600.0;
        let is_time = [WALL.0, USER.0, SYSTEM.0].contains(&metric);
        // From one hour on GNU time prints whole seconds.
        (is_time && value < LONG_S).then_some(0.01)
    }

    fn cautions(&self, _: &[String]) -> Vec<String> {
        vec![
            "wall, user and system are counted in steps of 0.01 s, rounded down: of a command of \
             0.1 s a step is 10 %. The driver `command` has finer steps."
                .to_owned(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_lines::args;

    #[test]
    fn the_long_form_is_asked_for_unless_the_arguments_name_one() {
        assert_eq!(Time.argv(&args("sleep 1")), args("time -v sleep 1"));
        assert_eq!(Time.argv(&args("-lp sleep 1")), args("time -lp sleep 1"));
        assert_eq!(Time.argv(&args("-v sleep 1")), args("time -v sleep 1"));
    }

    #[test]
    fn what_would_be_printed_otherwise_or_elsewhere_is_refused() {
        for line in [
            "",
            "-v",
            "-lp",
            "-o x sleep 1",
            "-f %e true",
            "-v -a true",
            "-l true",
        ] {
            Time.check(&args(line)).expect_err(line);
        }
        for line in ["true", "-lp make -j", "-v sleep -1"] {
            Time.check(&args(line)).expect(line);
        }
    }
}
