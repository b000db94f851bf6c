//! The driver of sysbench on recorded outputs of the real tool.

use super::common::{Recorded, value};
use perflab_drivers::{Driver, Sysbench};

fn recorded() -> Recorded {
    Recorded::new(&Sysbench, "1.0.20")
}

#[test]
fn every_value_is_the_one_that_the_tool_printed() {
    for (file, printed) in [
        (
            "cpu.txt",
            &[
                ("events", 4278.94),
                ("time", 1.0003),
                ("latency_avg", 998.35 / 4284.0),
                ("latency_min", 0.20),
                ("latency_max", 8.29),
                ("latency_p95", 0.23),
            ][..],
        ),
        (
            "memory.txt",
            &[
                ("events", 4092656.25),
                ("memory_throughput", 3996.73),
                ("time", 0.2520),
                ("latency_avg", 84.23 / 1048576.0),
                ("latency_min", 0.0),
                ("latency_max", 4.07),
                ("latency_p95", 0.0),
            ],
        ),
        (
            "threads.txt",
            &[
                ("events", 1878.0 / 1.0005),
                ("time", 1.0005),
                ("latency_avg", 999.27 / 1878.0),
                ("latency_min", 0.41),
                ("latency_max", 5.80),
                ("latency_p95", 0.57),
            ],
        ),
        (
            "mutex.txt",
            &[
                ("events", 10_000.0),
                ("time", 0.0001),
                ("latency_avg", 0.02),
                ("latency_min", 0.02),
                ("latency_max", 0.02),
                ("latency_p95", 0.02),
            ],
        ),
        (
            "fileio.txt",
            &[
                ("events", 13871.0 / 1.0092),
                ("reads", 8078.09),
                ("writes", 5385.39),
                ("fsyncs", 270.26),
                ("read_throughput", 126.22),
                ("write_throughput", 84.15),
                ("time", 1.0092),
                ("latency_avg", 994.47 / 13871.0),
                ("latency_min", 0.0),
                ("latency_max", 7.77),
                ("latency_p95", 0.0),
            ],
        ),
        (
            "fileio-seqrd.txt",
            &[
                ("events", 1014520.0 / 1.0001),
                ("reads", 1013307.77),
                ("read_throughput", 15832.93),
                ("time", 1.0001),
                ("latency_avg", 877.55 / 1014520.0),
                ("latency_min", 0.0),
                ("latency_max", 9.78),
                ("latency_p95", 0.0),
            ],
        ),
        (
            "oltp.txt",
            &[
                ("events", 1572.07),
                ("queries", 31441.33),
                ("time", 1.0009),
                ("latency_avg", 997.98 / 1575.0),
                ("latency_min", 0.52),
                ("latency_max", 6.16),
                ("latency_p95", 0.73),
                ("ignored_errors", 0.0),
                ("reconnects", 0.0),
            ],
        ),
    ] {
        recorded().yields(file, printed);
    }
}

#[test]
fn a_percentile_has_the_name_of_its_rank() {
    let samples = recorded().read("oltp-histogram.txt", 0).unwrap();
    assert_eq!(value(&samples, None, "latency_p99"), 0.04);
    assert_eq!(value(&samples, None, "events"), 46582.60);
    let text = recorded()
        .text("oltp-histogram.txt")
        .replace("99th percentile", "90th percentile");
    let samples = recorded().read_bytes(text.as_bytes(), b"", 0).unwrap();
    assert_eq!(value(&samples, None, "latency_p90"), 0.04);
    let samples = recorded().read("oltp-no-percentile.txt", 0).unwrap();
    assert!(
        !samples
            .iter()
            .any(|s| s.metric.name.starts_with("latency_p"))
    );
}

#[test]
fn lines_of_other_kinds_are_passed_over() {
    let samples = recorded().read("debug.txt", 0).unwrap();
    assert_eq!(value(&samples, None, "events"), 1136.59);
    assert_eq!(value(&samples, None, "latency_max"), 0.25);
}

/// The maintainer says that latencies count from when an event was due: on average half of the
/// time here was spent waiting, with two clients for 200 events per second of 0.02 ms.
#[test]
fn with_a_rate_latencies_hold_the_time_in_the_queue() {
    let samples = recorded().read("oltp-rate.txt", 0).unwrap();
    assert!((value(&samples, None, "events") - 200.0).abs() < 15.0);
    let busy = recorded().read("oltp-histogram.txt", 0).unwrap();
    assert!(value(&samples, None, "latency_avg") > 50.0 * value(&busy, None, "latency_avg"));
    assert!(
        Sysbench
            .cautions(&["cpu".to_owned(), "--rate=100".to_owned(), "run".to_owned()])
            .iter()
            .any(|caution| caution.contains("Open loop"))
    );
}

#[test]
fn failures_say_what_the_tool_said() {
    for (file, code, words) in [
        ("fileio-missing.txt", 1, "Cannot open file 'test_file.2'"),
        ("oltp-overload.txt", 1, "The event queue is full"),
        ("oltp-overload.txt", 0, "The event queue is full"),
        ("oltp-no-server.txt", 1, "Connection refused"),
        (
            "oltp-no-table.txt",
            139,
            "relation \"sbtest2\" does not exist",
        ),
        (
            "oltp-no-table.txt",
            0,
            "relation \"sbtest2\" does not exist",
        ),
        ("bad-option.txt", 1, "invalid option: --nonsense=3"),
        ("bad-option.txt", 0, "execution time"),
        ("checkpoints.txt", 0, "leave out --report-checkpoints"),
    ] {
        let error = recorded().read(file, code).expect_err(file).to_string();
        let error = error.replace("\\\"", "\"").replace("\\'", "'");
        assert!(error.contains(words), "{file}: {error}");
    }
    // With too low a verbosity the output is empty.
    let error = recorded().read_bytes(b"", b"", 0).unwrap_err().to_string();
    assert!(error.contains("--verbosity"), "{error}");
}

#[test]
fn a_value_that_cannot_be_is_refused() {
    let text = recorded().text("oltp.txt");
    for (from, to, words) in [
        ("(1572.07 per sec.)", "(1572.07 per", "cut off"),
        ("(1572.07 per sec.)", "(inf per sec.)", "not finite"),
        ("1575\n", "0\n", "at least one event"),
        ("1.0009s", "-1.0s", "`time` of at least 0"),
        ("1.0009s", "1.0009", "`time` in front of `s`"),
        ("997.98", "99.98", "an average of about 0.63 ms"),
        ("min:      ", "mim:      ", "a value of `latency_min`"),
        ("total time:", "total tame:", "a value of `time`"),
        ("        max: ", "        min: ", "`latency_min` once"),
    ] {
        recorded().refuses(&text, &text.replacen(from, to, 1), words);
    }
}

#[test]
fn a_time_that_is_printed_as_zero_gives_no_rate() {
    let text = recorded().text("mutex.txt").replace("0.0001s", "0.0000s");
    let error = recorded()
        .read_bytes(text.as_bytes(), b"", 0)
        .unwrap_err()
        .to_string();
    assert!(error.contains("a total time above 0"), "{error}");
    // The tool's own clock is finer than what it prints.
    let samples = recorded().read("one-event.txt", 0).unwrap();
    assert_eq!(value(&samples, None, "events"), 623.90);
}

#[test]
fn a_cut_output_is_refused() {
    for file in ["cpu.txt", "memory.txt", "fileio.txt", "oltp.txt"] {
        let text = recorded().text(file);
        let end = text.find("execution time (avg/stddev):").unwrap();
        for length in 0..end {
            let part = &text.as_bytes()[..length];
            assert!(
                recorded().read_bytes(part, b"", 0).is_err(),
                "{file} {length}"
            );
        }
        recorded().cut(file);
    }
}
