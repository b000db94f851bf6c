//! `pgbench`, the load generator that comes with PostgreSQL.
//!
//! Read from the sources of 10 to 19, and checked against 15.20.

mod arguments;
mod report;

use perflab_experiment::{Better, Metric, Sample};

use crate::error::{ArgumentError, Place, ReadError, Stream, excerpt};
use crate::{Driver, Kind, Output, kind};

/// Runs `pgbench ARGS` and reads its report.
///
/// The whole run has no benchmark; with several scripts each is one, as `2: <builtin: simple update>`.
/// With `-r` each SQL statement is a benchmark, `NUMBER: STATEMENT` or `SCRIPT.NUMBER: STATEMENT`, of the
/// one metric `statement_latency`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pgbench;

/// Name, unit and which way is better. `tps` is without the making of connections.
const METRICS: [(&str, &str, Better); 14] = [
    ("tps", "1/s", Better::Higher),
    ("tps_with_connections", "1/s", Better::Higher),
    ("latency_avg", "ms", Better::Lower),
    ("latency_stddev", "ms", Better::Lower),
    ("schedule_lag_avg", "ms", Better::Lower),
    ("schedule_lag_max", "ms", Better::Lower),
    ("skipped", "%", Better::Lower),
    ("above_limit", "%", Better::Lower),
    ("failed", "%", Better::Lower),
    ("retried", "%", Better::Lower),
    ("retries", "", Better::Lower),
    ("connection_initial", "ms", Better::Lower),
    ("connection_avg", "ms", Better::Lower),
    ("statement_latency", "ms", Better::Lower),
];

impl Driver for Pgbench {
    fn name(&self) -> &'static str {
        "pgbench"
    }

    fn argv(&self, args: &[String]) -> Vec<String> {
        std::iter::once("pgbench".to_owned())
            .chain(args.iter().cloned())
            .collect()
    }

    fn check(&self, args: &[String]) -> Result<(), ArgumentError> {
        arguments::check(args)
    }

    fn metrics(&self) -> Vec<Metric> {
        METRICS
            .map(|(name, unit, better)| Metric {
                name: name.to_owned(),
                unit: unit.to_owned(),
                better,
            })
            .into()
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
        report::read(output.stdout)
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
    match complaint {
        Some((index, line)) => Err(ReadError::new(
            Place::Line(Stream::Stderr, index + 1),
            "no error message",
            excerpt(line),
        )),
        None => Ok(()),
    }
}
