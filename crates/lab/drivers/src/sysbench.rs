//! `sysbench`: its built-in tests (cpu, fileio, memory, mutex, threads) and its database scripts.
//!
//! Read from the source of 1.0.20, and checked against it.

mod arguments;
mod report;

use perflab_experiment::{Better, Metric, Sample};

use crate::driver::{Driver, call};
use crate::error::{ArgumentError, ReadError, Stream};
use crate::kind::{self, Kind};
use crate::metric::{Row, metrics};
use crate::output::Output;
use crate::slices::Alike;
use report::{METRICS, read};

/// Runs `sysbench ARGS` and reads its report, which has no benchmarks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sysbench;

/// The width of a bucket of the histogram of latencies, as a share of them: there are 1024 from 0.001 ms to 100 s.
const BUCKET: f64 = 0.0182;

impl Driver for Sysbench {
    fn name(&self) -> &'static str {
        "sysbench"
    }

    fn argv(&self, args: &[String]) -> Vec<String> {
        call(&["sysbench"], args)
    }

    fn check(&self, args: &[String]) -> Result<(), ArgumentError> {
        arguments::check(args)
    }

    fn metrics(&self) -> Vec<Metric> {
        metrics(&METRICS)
    }

    fn kind(&self, metric: &str) -> Kind {
        if let Some(what) = metric.strip_prefix("latency_") {
            return kind::latency(what);
        }
        // All that grows with speed are rates here.
        let rate = |(name, _, better): &Row| *name == metric && *better == Better::Higher;
        match METRICS.iter().any(rate) {
            true => Kind::Throughput,
            false => Kind::Other,
        }
    }

    fn read(&self, output: &Output<'_>) -> Result<Vec<Sample>, ReadError> {
        refuse_complaint(output.stdout)?;
        output.refuse_exit_code()?;
        read(output.stdout)
    }

    fn step(&self, metric: &str, value: f64, _: &[String]) -> Option<f64> {
        // The last digits that are printed. The average is made of finer figures.
        match metric {
            "time" => Some(0.0001),
            "latency_min" | "latency_max" => Some(0.01),
            _ if metric.starts_with("latency_p") => Some(0.01_f64.max(BUCKET * value)),
            _ => None,
        }
    }

    fn alike(&self, args: &[String]) -> Alike {
        arguments::alike(args)
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
    ReadError::refuse_complaint(Stream::Stdout, stdout.lines().enumerate().find(complaint))
}
