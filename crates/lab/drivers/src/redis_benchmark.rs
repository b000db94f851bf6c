//! `redis-benchmark`, the load generator that comes with Redis.
//!
//! Read from the sources of 5.0, 6.0, 6.2, 7.0 and 7.4, and checked against 7.0.15.
//!
//! The tool waits without end when nothing listens where it connects to, so a run needs a time
//! limit.

mod cautions;
mod options;
mod steps;
mod suite;
mod table;

use perflab_experiment::{Metric, Sample};

use crate::driver::{Driver, call};
use crate::error::{ArgumentError, Place, ReadError, Stream, excerpt};
use crate::getopt;
use crate::kind::{self, Kind};
use crate::operations::Operations;
use crate::output::Output;
use options::Options;
use table::{COLUMNS, metric, read};

/// Runs `redis-benchmark --csv ARGS` and reads its table.
///
/// Metrics: `rps` (1/s) and `latency_avg`, `latency_min`, `latency_p50`, `latency_p95`,
/// `latency_p99`, `latency_max` (ms); versions before 6.2 print `rps` alone.
///
/// Each row is a benchmark, under the name that the tool gives it, except for
///
/// | row | benchmark |
/// |---|---|
/// | `LPUSH (needed to benchmark LRANGE)` | `LPUSH_REFILL`: a refill, not the LPUSH test |
/// | `LRANGE_100 (first 100 elements)`, and 300, 500, 600 likewise | `LRANGE_100`, ... |
/// | `MSET (10 keys)` | `MSET` |
///
/// Rows that differ from these in a number keep their whole name, for they are other work: before
/// 7.0 there is an `LRANGE_500 (first 450 elements)`. A command of the user's own is its own name.
#[derive(Debug, Clone, Copy, Default)]
pub struct RedisBenchmark;

impl Driver for RedisBenchmark {
    fn name(&self) -> &'static str {
        "redis-benchmark"
    }

    fn argv(&self, args: &[String]) -> Vec<String> {
        // In front, because behind the first word without a dash everything is part of the
        // command to be sent. Given twice it does no harm, and it overrides -q.
        call(&["redis-benchmark", "--csv"], args)
    }

    fn check(&self, args: &[String]) -> Result<(), ArgumentError> {
        let options = Options::of(args);
        let refuse = |argument: &str, reason, advice| {
            Err(ArgumentError::new(
                "redis-benchmark",
                argument,
                reason,
                advice,
            ))
        };
        if options.has("-l") {
            return refuse(
                "-l",
                "the tool would repeat its tests without end",
                "leave it out and ask for more runs instead",
            );
        }
        if options.has("-I") {
            return refuse(
                "-I",
                "the tool would hold idle connections without end and measure nothing",
                "start it as a part of the system under test if idle connections are wanted",
            );
        }
        match options.number("-n") {
            Some(n) if n <= 0 => refuse(
                &format!("-n {n}"),
                "the tool would wait without end for its first request",
                "ask for at least one request, better for a second's worth",
            ),
            _ => Ok(()),
        }
    }

    fn metrics(&self) -> Vec<Metric> {
        COLUMNS.iter().map(|(_, name)| metric(name)).collect()
    }

    fn kind(&self, metric: &str) -> Kind {
        match metric.strip_prefix("latency_") {
            Some(what) => kind::latency(what),
            None if metric == "rps" => Kind::Throughput,
            None => Kind::Other,
        }
    }

    fn read(&self, output: &Output<'_>) -> Result<Vec<Sample>, ReadError> {
        refuse_failure(output)?;
        read(output.stdout)
    }

    fn slices(&self, args: &[String], count: u32) -> Result<Vec<Vec<String>>, ArgumentError> {
        suite::slices(args, count)
    }

    fn check_slice(&self, args: &[String]) -> Result<(), ArgumentError> {
        suite::check_slice(args)
    }

    fn counts_operations(&self) -> bool {
        true
    }

    fn operations(&self, args: &[String], samples: &[Sample]) -> Option<Operations> {
        Some(suite::operations(args, samples))
    }

    fn step(&self, metric: &str, value: f64, args: &[String]) -> Option<f64> {
        steps::about(metric, value, &Options::of(args))
    }

    fn threads(&self, args: &[String]) -> Option<u32> {
        let options = Options::of(args);
        // In cluster mode there is a thread for each node.
        if options.has("--cluster") {
            return None;
        }
        Some(getopt::count(options.number("--threads"), 1))
    }

    fn cautions(&self, args: &[String]) -> Vec<String> {
        cautions::of(&Options::of(args))
    }
}

/// An error code, or a complaint after which the tool may go on and print numbers none the less.
///
/// Warnings are no failure: a server without the command CONFIG can be measured.
fn refuse_failure(output: &Output<'_>) -> Result<(), ReadError> {
    const COMPLAINTS: [&str; 4] = ["Error", "Could not", "All clients disconnected", "FATAL"];
    let stderr = String::from_utf8_lossy(output.stderr);
    let complaint = stderr
        .lines()
        .enumerate()
        .find(|(_, line)| COMPLAINTS.iter().any(|start| line.starts_with(start)));
    let code = output.usage.exit_code;

    if let Some((index, line)) = complaint {
        let error = ReadError::new(
            Place::Line(Stream::Stderr, index + 1),
            "no error message",
            format!("{} (exit code {code})", excerpt(line)),
        );
        return Err(if line.starts_with("Could not connect") {
            error.advise("start the server first, and check -h, -p and -s")
        } else {
            error
        });
    }
    // An unusable option is reported on stdout, all else on stderr.
    output.refuse_exit_code()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_lines::args;
    use perflab_experiment::Better;

    #[test]
    fn csv_stands_before_a_command_of_the_users_own() {
        assert_eq!(
            RedisBenchmark.argv(&args("-n 10 SET foo bar")),
            args("redis-benchmark --csv -n 10 SET foo bar")
        );
    }

    #[test]
    fn what_would_never_end_is_refused() {
        for line in ["-l", "-t get -l", "-I", "-n 0", "-n -5 -t get", "-n many"] {
            let error = RedisBenchmark.check(&args(line)).expect_err(line);
            assert!(
                line.contains(&error.argument) || line == "-n many",
                "{error}"
            );
        }
        for line in [
            "",
            "-q",
            "--csv",
            "-n 1",
            "-n 0 -n 5",
            "LPUSH -l -I",
            "-a -l",
        ] {
            RedisBenchmark.check(&args(line)).expect(line);
        }
    }

    #[test]
    fn throughput_is_the_headline_and_the_only_one_to_grow() {
        let metrics = RedisBenchmark.metrics();
        assert_eq!(metrics[0], metric("rps"));
        assert_eq!(metrics.len(), 7);
        assert!(
            metrics
                .iter()
                .all(|m| (m.better == Better::Higher) == (m.name == "rps"))
        );
    }
}
