//! What the arguments of `memtier_benchmark` say about its report.

use crate::closed_loop;
use crate::error::ArgumentError;
use crate::getopt::{Known, Options, count, with};
use crate::slices::{Alike, share};

/// `-h` is not among them: it names the host in new versions and asks for help in old ones.
const KNOWN: &[Known] = &[
    ("-a", "--authenticate", true),
    ("-c", "--clients", true),
    ("-d", "--data-size", true),
    ("-D", "--debug", false),
    ("-n", "--requests", true),
    ("-o", "--out-file", true),
    ("-p", "--port", true),
    ("-P", "--protocol", true),
    ("-s", "--server", true),
    ("-S", "--unix-socket", true),
    ("-t", "--threads", true),
    ("-u", "--uri", true),
    ("-v", "--version", false),
    ("-x", "--run-count", true),
    ("", "--command", true),
    ("", "--command-ratio", true),
    ("", "--command-key-pattern", true),
    ("", "--command-stats-breakdown", true),
    ("", "--data-import", true),
    ("", "--help", false),
    ("", "--json-out-file", true),
    ("", "--key-maximum", true),
    ("", "--key-minimum", true),
    ("", "--key-pattern", true),
    ("", "--key-prefix", true),
    ("", "--pipeline", true),
    ("", "--print-all-runs", false),
    ("", "--rate-limiting", true),
    ("", "--ratio", true),
    ("", "--test-time", true),
    ("", "--verify-only", false),
];

/// One of `count` slices: a share of the seconds, or of each client's requests.
pub(super) fn slices(args: &[String], count: u32) -> Result<Vec<Vec<String>>, ArgumentError> {
    let options = Options::of(KNOWN, args);
    let (option, amount) = match options.number("--test-time") {
        Some(seconds) => ("--test-time", seconds),
        None if options.value("-n") == Some("allkeys") => {
            return Err(ArgumentError::new(
                "memtier_benchmark",
                "-n allkeys",
                "each slice would go through all keys",
                "give a number of requests, or seconds with --test-time",
            ));
        }
        None => ("-n", options.number("-n").unwrap_or(10_000)),
    };
    let share = share("memtier_benchmark", option, amount, count, 1)?;
    Ok(vec![with(args, &[option.to_owned(), share.to_string()])])
}

pub(super) fn alike(args: &[String]) -> Alike {
    match Options::of(KNOWN, args).has("--test-time") {
        true => Alike::Time,
        false => Alike::Work,
    }
}

pub(super) fn check(args: &[String]) -> Result<(), ArgumentError> {
    let options = Options::of(KNOWN, args);
    let refuse = |argument: &str, reason, advice| {
        Err(ArgumentError::new(
            "memtier_benchmark",
            argument,
            reason,
            advice,
        ))
    };
    for option in ["--out-file", "--json-out-file"] {
        if options.has(option) {
            return refuse(
                option,
                "the report must go to standard output as JSON alone",
                "leave it out; what the tool says is kept in the result",
            );
        }
    }
    for option in ["--help", "--version", "--verify-only"] {
        if options.has(option) {
            return refuse(option, "the tool would measure nothing", "leave it out");
        }
    }
    if options.number("--run-count").is_some_and(|runs| runs != 1) {
        return refuse(
            "--run-count",
            "the report would hold the best and the worst run",
            "leave it out and ask for more runs of the experiment instead",
        );
    }
    if options.value("--command-stats-breakdown") == Some("line") {
        return refuse(
            "--command-stats-breakdown=line",
            "lines of one command would have one name",
            "leave it out, or make a workload of each line",
        );
    }
    Ok(())
}

pub(super) fn threads(args: &[String]) -> Option<u32> {
    Some(count(Options::of(KNOWN, args).number("--threads"), 4))
}

pub(super) fn cautions(args: &[String]) -> Vec<String> {
    let options = Options::of(KNOWN, args);
    let mut cautions = vec![closed_loop::caution(
        "The tool has no open loop: --rate-limiting only caps the rate of each connection, does \
         not make up for what a stall left out, and a latency counts from the sending.",
    )];
    cautions.push(
        "Percentiles, and the shortest and the longest latency, lie in steps of 0.008 ms: at 0.1 ms \
         a step is 8 %. Averages are finer."
            .to_owned(),
    );
    if let Some(depth) = options.number("--pipeline").filter(|depth| *depth > 1) {
        cautions.push(format!(
            "With --pipeline {depth} up to {depth} requests wait for each other in one connection: \
             a latency is not that of a single request."
        ));
    }
    if !options.has("--test-time") && !options.has("--requests") {
        cautions.push(
            "Without --test-time the load ends after 10 000 requests of each connection; those that \
             end first leave the rest with less company."
                .to_owned(),
        );
    }
    if !options.has("--command") && !options.has("--data-import") {
        let keys = options.number("--key-maximum").unwrap_or(10_000_000);
        cautions.push(format!(
            "GET asks for random keys out of {keys}: unless the database was filled before, most \
             lookups find nothing. See `hits` and `misses`."
        ));
    }
    cautions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemtierBenchmark;
    use crate::command_lines::{args, assert_accepted, assert_refused};

    #[test]
    fn what_leaves_no_single_report_is_refused() {
        let refused = [
            ("-o table.txt", "--out-file"),
            ("--out-file=table.txt", "--out-file"),
            ("--json-out-file there.json", "--json-out-file"),
            ("-x 3", "--run-count"),
            ("--run-count=2 --print-all-runs", "--run-count"),
            ("--version", "--version"),
            ("--help", "--help"),
            ("--verify-only --data-import=x", "--verify-only"),
            (
                "--command-stats-breakdown=line --command=PING",
                "--command-stats-breakdown=line",
            ),
        ];
        assert_refused(&MemtierBenchmark, &refused);
        let accepted = [
            "",
            "-s 127.0.0.1 -p 7000 -t 1 -c 8 --ratio=1:10",
            "-x 1",
            "-h 127.0.0.1",
            "--command-stats-breakdown=command --command PING",
            "--key-prefix -o",
        ];
        assert_accepted(&MemtierBenchmark, &accepted);
    }

    #[test]
    fn a_rate_is_no_open_loop() {
        let said = |line| cautions(&args(line)).join("\n");
        for line in ["-t 1", "--rate-limiting=100"] {
            assert!(said(line).contains("Closed loop"), "{line}");
            assert!(said(line).contains("only caps the rate"), "{line}");
        }
        assert!(said("--pipeline 10").contains("up to 10 requests"));
        assert!(said("--key-maximum=100").contains("out of 100:"));
        assert!(!said("--command PING").contains("GET asks"));
    }
}
