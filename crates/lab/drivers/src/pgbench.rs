//! `pgbench`, the load generator that comes with PostgreSQL.
//!
//! Read from the sources of 10 to 19, and checked against 15.20.

mod arguments;
mod report;

use perflab_experiment::{Metric, Sample};

use crate::driver::{Driver, call};
use crate::error::{ArgumentError, ReadError, Stream};
use crate::kind::{self, Kind};
use crate::metric::metrics;
use crate::output::Output;
use crate::slices::Alike;
use report::{METRICS, read};

/// Runs `pgbench ARGS` and reads its report.
///
/// The whole run has no benchmark; with several scripts each is one, as `2: <builtin: simple update>`.
/// With `-r` each SQL statement is a benchmark, `NUMBER: STATEMENT` or `SCRIPT.NUMBER: STATEMENT`, of the
/// one metric `statement_latency`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pgbench;

impl Driver for Pgbench {
    fn name(&self) -> &'static str {
        "pgbench"
    }

    fn argv(&self, args: &[String]) -> Vec<String> {
        call(&["pgbench"], args)
    }

    fn check(&self, args: &[String]) -> Result<(), ArgumentError> {
        arguments::check(args)
    }

    fn metrics(&self) -> Vec<Metric> {
        metrics(&METRICS)
    }

    fn kind(&self, metric: &str) -> Kind {
        match metric.strip_prefix("latency_") {
            Some(what) => kind::latency(what),
            None if ["tps", "tps_with_connections"].contains(&metric) => Kind::Throughput,
            None => Kind::Other,
        }
    }

    fn read(&self, output: &Output<'_>) -> Result<Vec<Sample>, ReadError> {
        output.refuse_exit_code()?;
        refuse_complaint(output.stderr)?;
        read(output.stdout)
    }

    fn slices(&self, args: &[String], count: u32) -> Result<Vec<Vec<String>>, ArgumentError> {
        arguments::slices(args, count)
    }

    fn alike(&self, args: &[String]) -> Alike {
        arguments::alike(args)
    }

    fn step(&self, metric: &str, _: f64, _: &[String]) -> Option<f64> {
        // The last digit that is printed, of milliseconds. Rates have six.
        let is_latency = metric.starts_with("latency_") || metric == "statement_latency";
        is_latency.then_some(0.001)
    }

    fn threads(&self, args: &[String]) -> Option<u32> {
        arguments::threads(args)
    }

    fn cautions(&self, args: &[String]) -> Vec<String> {
        arguments::cautions(args)
    }
}

/// Old versions end well although clients gave up.
fn refuse_complaint(stderr: &[u8]) -> Result<(), ReadError> {
    let stderr = String::from_utf8_lossy(stderr);
    let complaint = stderr.lines().enumerate().find(|(_, line)| {
        line.starts_with("pgbench: error:")
            || line.starts_with("pgbench: fatal:")
            || line.contains(" aborted in ")
    });
    ReadError::refuse_complaint(Stream::Stderr, complaint)
}
