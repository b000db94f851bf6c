//! `tcpbench`, a throughput test of OpenBSD that was ported to Linux.
//!
//! Read from the source of OpenBSD and of the port's 3.02, and checked against the port's 1.01.

mod samples;

use perflab_experiment::{Metric, Sample};

use crate::driver::{Driver, call};
use crate::error::{ArgumentError, Place, ReadError, Stream, excerpt};
use crate::getopt::{Known, Options, Unusable, refuse};
use crate::metric::metrics;
use crate::output::Output;
use samples::{PACKETS, SENT};

/// Runs `tcpbench ARGS` as a client and takes the mean of its samples, without the first and the
/// last if there are five or more.
///
/// Metrics: `sent` (bits/s, all connections together) and for UDP `packets` (1/s).
#[derive(Debug, Clone, Copy, Default)]
pub struct Tcpbench;

const OPTIONS: &[Known] = &[
    ("-B", "", true),
    ("-b", "", true),
    ("-C", "", true),
    ("-h", "", false),
    ("-K", "", true),
    ("-k", "", true),
    ("-l", "", false),
    ("-n", "", true),
    ("-p", "", true),
    ("-r", "", true),
    ("-S", "", true),
    ("-s", "", false),
    ("-T", "", true),
    ("-t", "", true),
    ("-u", "", false),
    ("-V", "", true),
];
const UNUSABLE: [Unusable; 3] = [
    (
        "-s",
        "the tool would serve without end",
        "start the server with the experiment's `server`, or on another machine",
    ),
    ("-l", "the tool would measure nothing", "leave it out"),
    ("-h", "the tool would measure nothing", "leave it out"),
];

impl Driver for Tcpbench {
    fn name(&self) -> &'static str {
        "tcpbench"
    }

    fn argv(&self, args: &[String]) -> Vec<String> {
        call(&["tcpbench"], args)
    }

    fn check(&self, args: &[String]) -> Result<(), ArgumentError> {
        let options = Options::of(OPTIONS, args);
        refuse("tcpbench", &options, &UNUSABLE)?;
        let (reason, advice) = if options.number("-t").is_none_or(|seconds| seconds < 1) {
            (
                "without -t SECONDS there is no end",
                "give -t 10 or the like",
            )
        } else if options.number("-r").is_some_and(|interval| interval < 1) {
            (
                "no samples would be printed",
                "leave -r out, or give milliseconds",
            )
        } else {
            return Ok(());
        };
        Err(ArgumentError::new(
            "tcpbench",
            args.join(" "),
            reason,
            advice,
        ))
    }

    fn metrics(&self) -> Vec<Metric> {
        metrics(&[SENT, PACKETS])
    }

    fn read(&self, output: &Output<'_>) -> Result<Vec<Sample>, ReadError> {
        output.refuse_exit_code()?;
        let stderr = String::from_utf8_lossy(output.stderr);
        // The exit code is 0 after this.
        let ended = |(_, line): &(usize, &str)| line.contains("Terminated by signal");
        if let Some((number, line)) = (1..).zip(stderr.lines()).find(ended) {
            let place = Place::Line(Stream::Stderr, number);
            return Err(ReadError::new(place, "a run to its end", excerpt(line)));
        }
        samples::read(&String::from_utf8_lossy(output.stdout))
    }

    fn threads(&self, args: &[String]) -> Option<u32> {
        let _ = args;
        Some(1)
    }

    fn cautions(&self, args: &[String]) -> Vec<String> {
        let options = Options::of(OPTIONS, args);
        let seconds = options.number("-t").unwrap_or(0);
        let interval = options.number("-r").unwrap_or(1000).max(1);
        // The tool ends one second after the time given, usually before that second's last sample.
        let samples = (seconds.saturating_add(1).saturating_mul(1000) - 1) / interval;
        let mut cautions = Vec::new();
        if samples < 5 {
            cautions.push(format!(
                "-t {seconds} with samples every {interval} ms gives {samples}: below 5 none is left \
                 out, and slow start is in the mean."
            ));
        }
        if options.has("-u") {
            cautions.push(
                "With -u the client counts what it sent, even if nothing of it arrived; look at the \
                 server's numbers, or use iperf3."
                    .to_owned(),
            );
        }
        cautions
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_lines::args;

    #[test]
    fn what_has_no_end_or_no_samples_is_refused() {
        for line in [
            "h",
            "-s",
            "-s -t 5",
            "-t 0 h",
            "-t x h",
            "-l",
            "-t 5 -r 0 h",
            "-ut5 -r0 h",
        ] {
            Tcpbench.check(&args(line)).expect_err(line);
        }
        for line in ["-t 5 h", "-t5 -u h", "-n 4 -t 10 -r 500 h", "-k -s -t 5 h"] {
            Tcpbench.check(&args(line)).expect(line);
        }
    }

    #[test]
    fn few_samples_and_udp_are_announced() {
        assert!(Tcpbench.cautions(&args("-t 10 h")).is_empty());
        assert!(Tcpbench.cautions(&args("-t 2 h"))[0].contains("every 1000 ms gives 2:"));
        assert!(Tcpbench.cautions(&args("-t 3 -r 500 h")).is_empty());
        assert_eq!(Tcpbench.cautions(&args("-ut 9 h")).len(), 1);
    }
}
