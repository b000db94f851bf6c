//! The tool's command line, as far as it decides what the numbers mean.

use crate::error::ArgumentError;
use crate::getopt::{self, Known, Options, Unusable};

/// Every option that takes a value, and those without one that matter here.
const OPTIONS: &[Known] = &[
    ("-p", "--port", true),
    ("-f", "--format", true),
    ("-i", "--interval", true),
    ("-I", "--pidfile", true),
    ("-F", "--file", true),
    ("-A", "--affinity", true),
    ("-B", "--bind", true),
    ("", "--bind-dev", true),
    ("-V", "--verbose", false),
    ("", "--json-stream", false),
    ("", "--json-stream-full-output", false),
    ("", "--logfile", true),
    ("", "--rcv-timeout", true),
    ("", "--snd-timeout", true),
    ("-d", "--debug", false),
    ("-v", "--version", false),
    ("-h", "--help", false),
    ("-s", "--server", false),
    ("-D", "--daemon", false),
    ("-c", "--client", true),
    ("-u", "--udp", false),
    ("", "--connect-timeout", true),
    ("-b", "--bitrate", true),
    ("-b", "--bandwidth", true),
    ("", "--pacing-timer", true),
    ("", "--fq-rate", true),
    ("-t", "--time", true),
    ("-n", "--bytes", true),
    ("-k", "--blockcount", true),
    ("-l", "--length", true),
    ("", "--cport", true),
    ("-P", "--parallel", true),
    ("-R", "--reverse", false),
    ("", "--bidir", false),
    ("-w", "--window", true),
    ("-C", "--congestion", true),
    ("-C", "--linux-congestion", true),
    ("-M", "--set-mss", true),
    ("-S", "--tos", true),
    ("", "--dscp", true),
    ("-L", "--flowlabel", true),
    ("-O", "--omit", true),
    ("-T", "--title", true),
    ("", "--extra-data", true),
    ("-X", "--xbind", true),
    ("", "--nstreams", true),
    ("", "--username", true),
    ("", "--rsa-public-key-path", true),
    ("", "--timestamps", false),
    ("", "--version4", false),
    ("", "--version6", false),
    ("", "--zerocopy", false),
    ("", "--forceflush", false),
    ("", "--get-server-output", false),
    ("", "--repeating-payload", false),
];

/// Options with which there is no end, or no JSON document on standard output.
const UNUSABLE: [Unusable; 9] = [
    (
        "--server",
        "the tool would serve without end",
        "start the server with the experiment's `server`, or on another machine",
    ),
    (
        "--daemon",
        "the tool would serve without end",
        "start the server with the experiment's `server`, or on another machine",
    ),
    (
        "--logfile",
        "the numbers would go into that file and not to standard output",
        "leave it out: the output is kept with the result",
    ),
    (
        "--json-stream",
        "the tool would print many JSON documents instead of one",
        "leave it out: -J is added",
    ),
    (
        "--json-stream-full-output",
        "the tool would print many JSON documents instead of one",
        "leave it out: -J is added",
    ),
    (
        "--verbose",
        "the tool mixes lines of text into its JSON",
        "leave it out",
    ),
    (
        "--debug",
        "the tool mixes lines of text into its JSON",
        "leave it out",
    ),
    (
        "--version",
        "the tool would measure nothing",
        "leave it out",
    ),
    ("--help", "the tool would measure nothing", "leave it out"),
];

/// Refuses what has no end, or no one JSON document on standard output.
pub(super) fn check(args: &[String]) -> Result<(), ArgumentError> {
    let options = Options::of(OPTIONS, args);
    let refuse = |argument: &str, reason, advice| {
        Err(ArgumentError::new("iperf3", argument, reason, advice))
    };
    getopt::refuse("iperf3", &options, &UNUSABLE)?;
    if !options.has("-c") {
        return refuse(
            &args.join(" "),
            "without -c HOST there is no test",
            "name the server's host with -c",
        );
    }
    match options.number("-t") {
        Some(0) => refuse(
            &format!("-t {}", options.value("-t").unwrap_or_default()),
            "the test would have no end",
            "give a number of seconds",
        ),
        _ => Ok(()),
    }
}

/// Several streams share one thread before 3.16, and have one each since.
pub(super) fn threads(args: &[String]) -> Option<u32> {
    let options = Options::of(OPTIONS, args);
    let one_stream = getopt::count(options.number("-P"), 1) == 1 && !options.has("--bidir");
    one_stream.then_some(1)
}

/// What the tool is known to get wrong with these arguments.
pub(super) fn cautions(args: &[String]) -> Vec<String> {
    let options = Options::of(OPTIONS, args);
    let mut cautions = vec![
        "cpu_local and cpu_remote are of one CPU. Near 100 % an end was the limit and not the \
         network; before 3.16 all streams of an end share one thread, so that it cannot use more."
            .to_owned(),
    ];
    let seconds = options.number("-t").unwrap_or(10);
    let sized = options.has("-n") || options.has("-k");
    let udp = options.has("-u");
    if udp && !options.has("-b") {
        cautions.push(
            "UDP without -b is sent at 1 Mbit/s: received measures that limit, not the network."
                .to_owned(),
        );
    } else if options
        .value("-b")
        .is_some_and(|rate| !rate.starts_with('0'))
    {
        cautions.push(format!(
            "-b {} limits each stream: received cannot be above it, and equal values say that the \
             limit was reached, not that two variants are equally fast.",
            options.value("-b").unwrap_or_default()
        ));
    }
    if udp {
        cautions.push(
            "jitter is smoothed over about 16 datagrams (RFC 3550) and is the value at the end of \
             the test, averaged over the streams; it is no average over the test."
                .to_owned(),
        );
    } else {
        if sized {
            cautions.push(
                "With -n or -k the test ends when the data has been handed to the kernel: below \
                 some 100 MB that is buffers and slow start. Prefer -t."
                    .to_owned(),
            );
        } else if seconds < 5 && !options.has("-O") {
            cautions.push(format!(
                "Slow start is benchmark of the {seconds} s: with 0.5 s of it, {:.0} % of the test. \
                 Use -O 1, or -t 10 and more.",
                (50.0 / seconds.max(1) as f64).min(100.0)
            ));
        }
        if options.has("-O") {
            cautions.push(
                "The two ends start counting after -O at different moments: what was on the way \
                 then counts as received and not as sent, so that received can be above sent."
                    .to_owned(),
            );
        }
    }
    cautions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Iperf3;
    use crate::command_lines::{args, assert_accepted, assert_refused};

    #[test]
    fn what_has_no_end_or_no_document_is_refused() {
        let refused = [
            ("-s", "--server"),
            ("-sD", "--server"),
            ("-c h --logfile x", "--logfile"),
            ("-c h --json-stream", "--json-stream"),
            ("-c h -V", "--verbose"),
            ("-c h -dR", "--debug"),
            ("-c h -t 0", "-t 0"),
            ("-t 5", "-t 5"),
            ("", ""),
        ];
        assert_refused(&Iperf3, &refused);
        let accepted = [
            "-c h",
            "-ch -t1 -P 2",
            "--client=h -T -s -n 1M",
            "-c h -t 5 -R -u -b 0",
        ];
        assert_accepted(&Iperf3, &accepted);
    }

    #[test]
    fn cautions_go_by_the_arguments() {
        let text = |line: &str| cautions(&args(line)).join("\n");
        assert_eq!(text("-c h -t 10").lines().count(), 1);
        assert!(text("-c h -t 1").contains("50 % of the test"));
        assert!(!text("-c h -t 1 -O 1").contains("Slow start"));
        assert!(text("-c h -O 1").contains("received can be above sent"));
        assert!(text("-c h -u").contains("1 Mbit/s"));
        assert!(!text("-c h -u -b 0").contains("limits each"));
        assert!(text("-c h -u -b 10M").contains("-b 10M limits each stream"));
        assert!(text("-c h -n 1M").contains("Prefer -t"));
        assert!(text("-c h -t -5").contains("100 %"));
    }
}
