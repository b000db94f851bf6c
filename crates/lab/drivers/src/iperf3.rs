//! `iperf3`, the throughput test of a network path.
//!
//! Read from the sources of 3.12 and 3.21, and checked against 3.12.

mod arguments;

use perflab_experiment::{Better, Metric, Sample};
use serde_json::Value;

use crate::driver::{Driver, call};
use crate::error::{ArgumentError, Place, ReadError, Stream, excerpt};
use crate::json::{array_at, document, number_at, object_at, text_at, value_at};
use crate::metric::{Row, metrics, sample};
use crate::output::Output;

/// Runs `iperf3 -J ARGS` as a client and reads the sums at the end of the test.
///
/// | metric | unit | meaning |
/// |---|---|---|
/// | `received` | bits/s | what arrived, all streams together |
/// | `sent` | bits/s | what was handed to the sender's kernel |
/// | `slowest_stream` | bits/s | what arrived by the slowest of several TCP streams |
/// | `retransmits` | | TCP segments sent again, where the sender's system counts them |
/// | `jitter`, `lost` | ms, % | UDP: mean jitter of the streams, share of datagrams that did not arrive |
/// | `cpu_local`, `cpu_remote` | % | CPU time of each end's iperf3, of one CPU |
///
/// With `--bidir` each direction is a benchmark, `forward` and `reverse`, but for the use of CPUs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Iperf3;

const METRICS: [Row; 8] = [
    ("received", "bits/s", Better::Higher),
    ("sent", "bits/s", Better::Higher),
    ("slowest_stream", "bits/s", Better::Higher),
    ("retransmits", "", Better::Lower),
    ("jitter", "ms", Better::Lower),
    ("lost", "%", Better::Lower),
    ("cpu_local", "%", Better::Lower),
    ("cpu_remote", "%", Better::Lower),
];

impl Driver for Iperf3 {
    fn name(&self) -> &'static str {
        "iperf3"
    }

    fn argv(&self, args: &[String]) -> Vec<String> {
        call(&["iperf3", "-J"], args)
    }

    fn check(&self, args: &[String]) -> Result<(), ArgumentError> {
        arguments::check(args)
    }

    fn metrics(&self) -> Vec<Metric> {
        metrics(&METRICS)
    }

    fn read(&self, output: &Output<'_>) -> Result<Vec<Sample>, ReadError> {
        let report = match document(output.stdout, Stream::Stdout) {
            Ok(report) => report,
            // A tool that failed without a word of JSON has said why elsewhere.
            Err(error) => return Err(output.refuse_exit_code().err().unwrap_or(error)),
        };
        // With -J an error is a member of the document; before 3.14 the exit code is 0 all the same.
        if let Some(error) = report.get("error") {
            let said = error
                .as_str()
                .map_or_else(|| error.to_string(), str::to_owned);
            return Err(failed(&said));
        }
        output.refuse_exit_code()?;

        let mut samples = Vec::new();
        if object_at(&report, "/end")?.contains_key("sum_received_bidir_reverse") {
            direction(&report, Some("forward"), "", Some(true), &mut samples)?;
            direction(
                &report,
                Some("reverse"),
                "_bidir_reverse",
                Some(false),
                &mut samples,
            )?;
        } else {
            direction(&report, None, "", None, &mut samples)?;
        }
        for (name, end) in [("cpu_local", "host"), ("cpu_remote", "remote")] {
            let pointer = format!("/end/cpu_utilization_percent/{end}_total");
            push(&report, &pointer, None, name, &mut samples)?;
        }
        Ok(samples)
    }

    fn threads(&self, args: &[String]) -> Option<u32> {
        arguments::threads(args)
    }

    fn cautions(&self, args: &[String]) -> Vec<String> {
        arguments::cautions(args)
    }
}

fn failed(said: &str) -> ReadError {
    let error = ReadError::new(
        Place::Whole(Stream::Stdout),
        "a test without `error`",
        excerpt(said),
    );
    if said.starts_with("unable to connect") {
        error.advise("start the server first, and check -c and -p")
    } else if said.contains("busy") {
        error.advise("a server runs one test at a time: give each workload its own")
    } else {
        error
    }
}

/// The samples of one direction; `suffix` is that of the tool's names, `sends` whether this end is
/// the sender where that must be told apart.
fn direction(
    report: &Value,
    benchmark: Option<&str>,
    suffix: &str,
    sends: Option<bool>,
    samples: &mut Vec<Sample>,
) -> Result<(), ReadError> {
    let received = format!("/end/sum_received{suffix}");
    let sent = format!("/end/sum_sent{suffix}");
    let rate = format!("{received}/bits_per_second");
    if number_at(report, &rate)? <= 0.0 {
        return Err(ReadError::new(
            Place::Whole(Stream::Stdout),
            format!("more than zero bits/s at `{rate}`"),
            "nothing received",
        )
        .advise("check that packets can reach the receiver"));
    }
    push(report, &rate, benchmark, "received", samples)?;
    push(
        report,
        &format!("{sent}/bits_per_second"),
        benchmark,
        "sent",
        samples,
    )?;

    if text_at(report, "/start/test_start/protocol")? == "UDP" {
        push(
            report,
            &format!("{received}/jitter_ms"),
            benchmark,
            "jitter",
            samples,
        )?;
        return push(
            report,
            &format!("{received}/lost_percent"),
            benchmark,
            "lost",
            samples,
        );
    }
    if let Some(rate) = slowest(report, sends)? {
        push(report, &rate, benchmark, "slowest_stream", samples)?;
    }
    let retransmits = format!("{sent}/retransmits");
    if report.pointer(&retransmits).is_some() {
        push(report, &retransmits, benchmark, "retransmits", samples)?;
    }
    Ok(())
}

/// The pointer to the rate of the slowest of a direction's streams, if it has several.
fn slowest(report: &Value, sends: Option<bool>) -> Result<Option<String>, ReadError> {
    let mut slowest: Option<(f64, String)> = None;
    let mut streams = 0;
    for index in 0..array_at(report, "/end/streams")?.len() {
        let stream = format!("/end/streams/{index}");
        let flag = value_at(report, &format!("{stream}/sender/sender"))?.as_bool();
        if sends.is_some() && sends != flag {
            continue;
        }
        streams += 1;
        let pointer = format!("{stream}/receiver/bits_per_second");
        let rate = number_at(report, &pointer)?;
        if slowest.as_ref().is_none_or(|(least, _)| rate < *least) {
            slowest = Some((rate, pointer));
        }
    }
    let expected = number_at(report, "/start/test_start/num_streams")?;
    if f64::from(streams) != expected {
        return Err(ReadError::new(
            Place::Whole(Stream::Stdout),
            format!("{expected} streams in one direction at `/end/streams`"),
            streams.to_string(),
        ));
    }
    Ok(slowest.filter(|_| streams > 1).map(|(_, pointer)| pointer))
}

/// Adds the number at a pointer, which cannot be negative, as the metric of this name.
fn push(
    report: &Value,
    pointer: &str,
    benchmark: Option<&str>,
    name: &str,
    samples: &mut Vec<Sample>,
) -> Result<(), ReadError> {
    let value = number_at(report, pointer)?;
    if value < 0.0 {
        return Err(ReadError::new(
            Place::Whole(Stream::Stdout),
            format!("a number that is not negative at `{pointer}`"),
            value.to_string(),
        ));
    }
    let row = METRICS.into_iter().find(|(known, ..)| *known == name);
    samples.extend(row.map(|row| sample(row, benchmark, value)));
    Ok(())
}
