//! `wrk`, a load generator for HTTP. Read from the source of 4.2, and checked against 4.1.0.

mod report;

use perflab_experiment::{Metric, Sample};

use crate::driver::{Driver, call};
use crate::error::{ArgumentError, ReadError};
use crate::getopt::{Known, Options, Unusable, atoi, count, refuse, with};
use crate::kind::{self, Kind};
use crate::metric::metrics;
use crate::output::Output;
use crate::slices::{Alike, share};
use report::{LATENCY, PERCENTILES, RATE, TRANSFER};

/// Runs `wrk --latency ARGS` and reads its report.
///
/// Metrics: `rps` (1/s), `transfer` (bytes/s), and in ms `latency_avg`, `latency_stdev`,
/// `latency_max`, `latency_p50`, `latency_p75`, `latency_p90`, `latency_p99`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wrk;

const OPTIONS: &[Known] = &[
    ("-t", "--threads", true),
    ("-c", "--connections", true),
    ("-d", "--duration", true),
    ("-s", "--script", true),
    ("-H", "--header", true),
    ("-L", "--latency", false),
    ("-T", "--timeout", true),
    ("-R", "--rate", true),
    ("-v", "--version", false),
];
const UNUSABLE: [Unusable; 2] = [
    (
        "--rate",
        "it is an option of wrk2, whose report is another",
        "leave it out, or read wrk2 with the driver `generic`",
    ),
    (
        "--version",
        "the tool would measure nothing",
        "leave it out",
    ),
];

impl Driver for Wrk {
    fn name(&self) -> &'static str {
        "wrk"
    }

    fn argv(&self, args: &[String]) -> Vec<String> {
        call(&["wrk", "--latency"], args)
    }

    fn check(&self, args: &[String]) -> Result<(), ArgumentError> {
        let options = Options::of(OPTIONS, args);
        refuse("wrk", &options, &UNUSABLE)?;
        if options.operands.len() == 1 {
            return Ok(());
        }
        Err(ArgumentError::new(
            "wrk",
            args.join(" "),
            "the tool takes one URL, and takes the first of several",
            "give one URL",
        ))
    }

    fn metrics(&self) -> Vec<Metric> {
        let mut rows = vec![RATE, TRANSFER];
        rows.extend(LATENCY);
        rows.extend(PERCENTILES.map(|(_, row)| row));
        metrics(&rows)
    }

    fn kind(&self, metric: &str) -> Kind {
        match metric.strip_prefix("latency_") {
            Some(what) => kind::latency(what),
            None if [RATE.0, TRANSFER.0].contains(&metric) => Kind::Throughput,
            None => Kind::Other,
        }
    }

    fn read(&self, output: &Output<'_>) -> Result<Vec<Sample>, ReadError> {
        output.refuse_exit_code()?;
        report::read(&String::from_utf8_lossy(output.stdout))
    }

    fn slices(&self, args: &[String], count: u32) -> Result<Vec<Vec<String>>, ArgumentError> {
        let given = Options::of(OPTIONS, args).value("-d").unwrap_or("10s");
        let unit = given.trim_start_matches(|c: char| c.is_ascii_digit());
        let seconds = match unit {
            "" | "s" => 1,
            "m" => 60,
            "h" => 3600,
            _ => 0,
        };
        let seconds = share("wrk", "-d", atoi(given).saturating_mul(seconds), count, 1)?;
        Ok(vec![with(args, &[format!("-d{seconds}s")])])
    }

    fn alike(&self, _: &[String]) -> Alike {
        Alike::Time
    }

    fn step(&self, metric: &str, value: f64, _: &[String]) -> Option<f64> {
        // Two decimals, of the unit that a time is printed in. At its borders it is not sure which that was.
        let is_time = metric.starts_with("latency_");
        match value {
            _ if metric == RATE.0 => Some(0.01),
            1.0..850.0 if is_time => Some(0.01),
            1000.0.. if is_time => Some(10.0),
            _ => None,
        }
    }

    fn threads(&self, args: &[String]) -> Option<u32> {
        Some(count(Options::of(OPTIONS, args).number("-t"), 2))
    }

    fn cautions(&self, args: &[String]) -> Vec<String> {
        let connections = Options::of(OPTIONS, args).number("-c").unwrap_or(10);
        vec![
            format!(
                "wrk is a closed loop: a connection sends when it has been answered, so that a server \
                 that stops for 1 s delays {connections} requests, be there 10 or 100000 per second. \
                 It adds values of its own for those not sent: percentiles are estimates, and tell \
                 little of what users who do not wait for each other would see."
            ),
            "Latencies are printed with two decimals: steps of 0.01 ms from 0.85 ms on, which is up \
             to 1.2 %, and of 10 ms from 1 s on."
                .to_owned(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_lines::args;

    #[test]
    fn one_url_is_wanted_and_nothing_of_wrk2() {
        for line in [
            "",
            "-t 2",
            "-R100 http://a/",
            "--rate 5 http://a/",
            "-v http://a/",
            "http://a/ http://b/",
        ] {
            Wrk.check(&args(line)).expect_err(line);
        }
        for line in [
            "http://a/",
            "-t2 -c 10 -d 5s http://a/ -s x.lua",
            "-H R:v --latency http://a/",
        ] {
            Wrk.check(&args(line)).expect(line);
        }
    }

    #[test]
    fn the_closed_loop_is_put_in_numbers() {
        assert!(Wrk.cautions(&args("http://a/"))[0].contains("delays 10 requests"));
        assert!(Wrk.cautions(&args("-c400 http://a/"))[0].contains("delays 400 requests"));
    }
}
