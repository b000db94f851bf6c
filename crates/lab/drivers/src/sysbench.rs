//! `sysbench`: its built-in tests (cpu, fileio, memory, mutex, threads) and its database scripts.
//!
//! Read from the source of 1.0.20, and checked against it.

mod arguments;
mod report;

use perflab_experiment::{Better, Metric, Sample};

use crate::error::{ArgumentError, Place, ReadError, Stream, excerpt};
use crate::{Driver, Kind, Output, kind};

/// Runs `sysbench ARGS` and reads its report, which has no benchmarks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sysbench;

/// Name, unit and which way is better, in the order of the samples.
const METRICS: [(&str, &str, Better); 17] = [
    ("events", "1/s", Better::Higher),
    ("queries", "1/s", Better::Higher),
    ("reads", "1/s", Better::Higher),
    ("writes", "1/s", Better::Higher),
    ("fsyncs", "1/s", Better::Higher),
    ("read_throughput", "MiB/s", Better::Higher),
    ("write_throughput", "MiB/s", Better::Higher),
    ("memory_throughput", "MiB/s", Better::Higher),
    ("time", "s", Better::Lower),
    ("latency_avg", "ms", Better::Lower),
    ("latency_min", "ms", Better::Lower),
    ("latency_max", "ms", Better::Lower),
    ("latency_p50", "ms", Better::Lower),
    ("latency_p95", "ms", Better::Lower),
    ("latency_p99", "ms", Better::Lower),
    ("ignored_errors", "1/s", Better::Lower),
    ("reconnects", "1/s", Better::Lower),
];

fn metric((name, unit, better): (&str, &str, Better)) -> Metric {
    Metric {
        name: name.to_owned(),
        unit: unit.to_owned(),
        better,
    }
}

impl Driver for Sysbench {
    fn name(&self) -> &'static str {
        "sysbench"
    }

    fn argv(&self, args: &[String]) -> Vec<String> {
        std::iter::once("sysbench".to_owned())
            .chain(args.iter().cloned())
            .collect()
    }

    fn check(&self, args: &[String]) -> Result<(), ArgumentError> {
        arguments::check(args)
    }

    fn metrics(&self) -> Vec<Metric> {
        METRICS.map(metric).into()
    }

    fn kind(&self, metric: &str) -> Kind {
        if let Some(what) = metric.strip_prefix("latency_") {
            return kind::latency(what);
        }
        // All that grows with speed are rates here.
        let rate =
            |(name, _, better): &(&str, &str, Better)| *name == metric && *better == Better::Higher;
        match METRICS.iter().any(rate) {
            true => Kind::Throughput,
            false => Kind::Other,
        }
    }

    fn read(&self, output: &Output<'_>) -> Result<Vec<Sample>, ReadError> {
        refuse_complaint(output.stdout)?;
        output.refuse_exit_code()?;
        report::read(output.stdout)
    }

    fn threads(&self, args: &[String]) -> Option<u32> {
        arguments::threads(args)
    }

    fn cautions(&self, args: &[String]) -> Vec<String> {
        arguments::cautions(args)
    }
}

/// The tool complains on standard output, and may crash or even end well afterwards.
fn refuse_complaint(stdout: &[u8]) -> Result<(), ReadError> {
    let stdout = String::from_utf8_lossy(stdout);
    let complaint = |(_, line): &(usize, &str)| line.starts_with("FATAL: ");
    match stdout.lines().enumerate().find(complaint) {
        Some((index, line)) => Err(ReadError::new(
            Place::Line(Stream::Stdout, index + 1),
            "no error message",
            excerpt(line),
        )),
        None => Ok(()),
    }
}
