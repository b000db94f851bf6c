//! What the tool is known to get wrong, in numbers, for the arguments given.
//!
//! Each statement was read from the source of 7.0.15 and seen in its output.

use super::options::Options;
use crate::closed_loop;
use crate::histogram::hdr_buckets;

/// Rate for which effects are put in numbers, 1/s: what one local client usually reaches.
const TYPICAL_RATE: f64 = 100_000.0;

/// The cautions for one call.
pub(super) fn of(options: &Options<'_>) -> Vec<String> {
    let mut cautions = vec![latency_steps(options)];
    if options.is_threaded() {
        cautions.push(threaded_clock(options.requests()));
    } else {
        cautions.extend(short_run(options.requests()));
    }
    cautions.extend(pipelining(options.number("-P").unwrap_or(1)));
    cautions.extend(empty_reads(options));
    cautions.push(closed_loop::caution("The tool has no open loop."));
    cautions
}

/// Latencies go into a histogram with a lowest value of 10 us, whose finest step is 8 us, and with
/// `--precision` significant decimal figures, which the histogram rounds up to a power of two.
fn latency_steps(options: &Options<'_>) -> String {
    let figures = options.figures();
    let coarsest = if figures < 3 {
        format!(
            ", and with --precision {figures} up to {:.2} % of their value",
            200.0 / f64::from(hdr_buckets(figures))
        )
    } else {
        String::new()
    };
    format!(
        "Latencies are counted in steps of 0.008 ms{coarsest}; a percentile is the upper edge of \
         its step. At 0.25 ms a step is 3.2 %: smaller differences of percentiles show only as \
         jumps. Latencies above 3 s count as 3 s."
    )
}

/// Without threads the test ends with its last reply, but the clock counts whole milliseconds.
fn short_run(requests: i64) -> Option<String> {
    const ENOUGH: i64 = 10_000;
    (1..ENOUGH).contains(&requests).then(|| {
        let length_ms = requests as f64 * 1000.0 / TYPICAL_RATE;
        format!(
            "Elapsed time is counted in whole milliseconds: {requests} requests at {TYPICAL_RATE} \
             per second take {length_ms} ms, so that neighbouring values of rps lie {:.0} % apart. \
             Use -n {} or more for steps of at most 0.1 %.",
            100.0 / length_ms,
            TYPICAL_RATE
        )
    })
}

/// With threads the end is noticed by a timer only.
fn threaded_clock(requests: i64) -> String {
    let rate = |ticks: f64| requests as f64 / (ticks * 0.25);
    format!(
        "With --threads or --cluster the end of a test is noticed every 250 ms only, so the elapsed \
         time is rounded up to a multiple of that: {requests} requests can show as about {:.0}, \
         {:.0}, {:.0}, ... per second and hardly anything between. rps is too low by up to 20 % in \
         a run of 1 s, and by up to 1 % in a run of 25 s.",
        rate(1.0),
        rate(2.0),
        rate(3.0)
    )
}

/// The clock of a batch stops at the first bytes that come back, for all its requests.
fn pipelining(depth: i64) -> Option<String> {
    (depth > 1).then(|| {
        format!(
            "With -P {depth} a latency is the time from the sending of {depth} requests to the first \
             bytes of their replies, counted {depth} times; it is not the latency of a request."
        )
    })
}

/// Reads that find nothing, because nothing of this call filled what they read.
fn empty_reads(options: &Options<'_>) -> Vec<String> {
    const READS: [(&str, &[&str]); 3] = [
        ("get", &["set", "mset"]),
        ("lpop", &["lpush", "rpush"]),
        ("rpop", &["lpush", "rpush"]),
    ];
    let keys = options.number("-r");
    let mut cautions = Vec::new();
    for (reader, writers) in READS {
        // The suite has its own order, in which mset comes after get.
        let filled = writers.iter().any(|w| *w != "mset" && options.runs(w));
        if options.runs(reader) && !filled {
            cautions.push(format!(
                "{} runs without {} before it: unless the database was filled earlier, it measures \
                 lookups that find nothing.",
                reader.to_uppercase(),
                writers[0].to_uppercase()
            ));
        }
    }
    if let Some(keys) = keys.filter(|keys| *keys > 1 && options.runs("get") && options.runs("set"))
    {
        // Each of n writes misses a given key of r with probability 1 - 1/r.
        let missing = (1.0 - 1.0 / keys as f64).powf(options.requests().max(0) as f64);
        if missing > 0.01 {
            cautions.push(format!(
                "SET writes {} random keys of {keys}: in a database that was empty before, {:.0} % of \
                 the lookups by GET find nothing.",
                options.requests(),
                missing * 100.0
            ));
        }
    }
    let popped: Vec<_> = ["spop", "zpopmin"]
        .into_iter()
        .filter(|test| options.runs(test) && keys.is_none_or(|keys| keys <= 1))
        .map(str::to_uppercase)
        .collect();
    if !popped.is_empty() {
        cautions.push(format!(
            "{}: without -r the set has one member at most, so nearly all requests pop from an empty \
             set.",
            popped.join(" and ")
        ));
    }
    cautions
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cautions(line: &str) -> String {
        let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        of(&Options::of(&args)).join("\n")
    }

    #[test]
    fn a_plain_set_has_only_the_steps_of_latency_and_the_closed_loop() {
        let text = cautions("-t set");
        assert_eq!(text.lines().count(), 2);
        assert!(text.contains("0.008 ms; a percentile"), "{text}");
    }

    #[test]
    fn low_precision_is_put_in_per_cent() {
        assert!(cautions("-t set --precision 1").contains("6.25 %"));
        assert!(cautions("-t set --precision 2").contains("0.78 %"));
        assert_eq!(cautions("-t set --precision 9"), cautions("-t set"));
    }

    #[test]
    fn the_timer_of_threads_is_put_in_numbers() {
        for line in ["-t set -n 1000 --threads 2", "-t set -n 1000 --cluster"] {
            let text = cautions(line);
            assert!(text.contains("about 4000, 2000, 1333,"), "{text}");
            assert!(!text.contains("whole milliseconds"), "{text}");
        }
        assert!(!cautions("-t set --threads 0").contains("250 ms"));
    }

    #[test]
    fn the_steps_of_a_short_run_are_put_in_per_cent() {
        let text = cautions("-t set -n 1000");
        assert!(
            text.contains("take 10 ms") && text.contains("lie 10 % apart"),
            "{text}"
        );
        assert!(text.contains("-n 100000 or more"), "{text}");
        assert!(!cautions("-t set -n 10000").contains("milliseconds:"));
    }

    #[test]
    fn pipelined_latency_is_called_what_it_is() {
        assert!(cautions("-t set -P 16").contains("counted 16 times"));
        assert!(!cautions("-t set -P 1").contains("-P"));
    }

    #[test]
    fn reads_of_nothing_are_announced() {
        assert!(cautions("-t get").contains("GET runs without SET"));
        assert!(cautions("-t get,mset").contains("GET runs without SET"));
        assert!(!cautions("-t get,set").contains("GET"));
        assert!(cautions("-t lpop").contains("LPOP runs without LPUSH"));
        assert!(!cautions("").contains("runs without"));
        assert!(cautions("").contains("SPOP and ZPOPMIN"));
        assert!(!cautions("-r 1000").contains("SPOP"));
        assert!(!cautions("GET foo").contains("runs without"));
    }

    #[test]
    fn the_share_of_missing_keys_follows_from_the_keyspace() {
        assert!(cautions("-t get,set -r 1000000 -n 100000").contains("90 % of the lookups"));
        assert!(!cautions("-t get,set -r 1000 -n 100000").contains("lookups"));
    }
}
