//! The driver on recorded outputs of the real tool.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use perflab_drivers::{Driver, Output, Place, ReadError, RedisBenchmark, Stream, Usage};
use perflab_experiment::{Metric, Sample};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/redis-benchmark/7.0.15")
        .join(name)
}

fn stdout(name: &str) -> Vec<u8> {
    std::fs::read(fixture(&format!("{name}.csv"))).expect("a recording of that name")
}

fn read_bytes(stdout: &[u8], stderr: &[u8], exit_code: i32) -> Result<Vec<Sample>, ReadError> {
    let usage = Usage {
        exit_code,
        ..Usage::default()
    };
    RedisBenchmark.read(&Output {
        stdout,
        stderr,
        usage,
    })
}

fn read(name: &str, exit_code: i32) -> Result<Vec<Sample>, ReadError> {
    let stderr = std::fs::read(fixture(&format!("{name}.stderr"))).unwrap_or_default();
    read_bytes(&stdout(name), &stderr, exit_code)
}

fn value(samples: &[Sample], benchmark: &str, metric: &str) -> f64 {
    let found: Vec<_> = samples
        .iter()
        .filter(|s| s.benchmark.as_deref() == Some(benchmark) && s.metric.name == metric)
        .collect();
    assert_eq!(found.len(), 1, "{benchmark} {metric}");
    found[0].value
}

#[test]
fn the_whole_suite_is_read() {
    let samples = read("suite", 0).unwrap();
    let mut benchmarks: Vec<_> = samples
        .iter()
        .filter_map(|s| s.benchmark.as_deref())
        .collect();
    benchmarks.dedup();
    assert_eq!(
        benchmarks,
        [
            "PING_INLINE",
            "PING_MBULK",
            "SET",
            "GET",
            "INCR",
            "LPUSH",
            "RPUSH",
            "LPOP",
            "RPOP",
            "SADD",
            "HSET",
            "SPOP",
            "ZADD",
            "ZPOPMIN",
            "LPUSH_REFILL",
            "LRANGE_100",
            "LRANGE_300",
            "LRANGE_500",
            "LRANGE_600",
            "MSET",
        ]
    );
    let metrics = RedisBenchmark.metrics();
    assert_eq!(samples.len(), 20 * metrics.len());
    for of_part in samples.chunks(metrics.len()) {
        let seen: Vec<Metric> = of_part.iter().map(|s| Metric::clone(&s.metric)).collect();
        assert_eq!(seen, metrics);
    }
}

#[test]
fn every_value_is_the_one_in_its_column() {
    let samples = read("set-get", 0).unwrap();
    let text = String::from_utf8(stdout("set-get")).unwrap();
    let set = text.lines().nth(1).unwrap();
    let by_hand: Vec<f64> = set
        .split(',')
        .skip(1)
        .map(|f| f.trim_matches('"').parse().unwrap())
        .collect();
    for (metric, expected) in [
        ("rps", by_hand[0]),
        ("latency_avg", by_hand[1]),
        ("latency_min", by_hand[2]),
        ("latency_p50", by_hand[3]),
        ("latency_p95", by_hand[4]),
        ("latency_p99", by_hand[5]),
        ("latency_max", by_hand[6]),
    ] {
        assert_eq!(value(&samples, "SET", metric), expected, "{metric}");
    }
}

#[test]
fn a_command_of_the_users_own_keeps_its_text_with_commas_and_quotes() {
    let samples = read("own-command", 0).unwrap();
    assert_eq!(samples.len(), 7);
    assert!(value(&samples, "SET a,b x\"y", "rps") > 0.0);
}

#[test]
fn a_server_without_config_is_measured_all_the_same() {
    assert_eq!(read("no-config", 0).unwrap().len(), 7);
}

#[test]
fn failures_say_what_the_tool_said() {
    for (name, code, place, words) in [
        (
            "wrong-type",
            1,
            Place::Line(Stream::Stderr, 1),
            "WRONGTYPE Operation",
        ),
        ("needless-password", 1, Place::Whole(Stream::Stderr), "AUTH"),
        ("bad-option", 1, Place::Whole(Stream::Stdout), "--nonsense"),
        (
            "no-server",
            124,
            Place::Line(Stream::Stderr, 1),
            "Connection refused",
        ),
        (
            "unknown-test",
            0,
            Place::Whole(Stream::Stdout),
            "the names given to -t",
        ),
    ] {
        let error = read(name, code).expect_err(name);
        assert_eq!(error.place, place, "{name}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn a_complaint_counts_even_if_the_tool_ends_well() {
    let error = read_bytes(
        &stdout("set-get"),
        b"WARNING: x\nError writing to the server: y\n",
        0,
    )
    .unwrap_err();
    assert_eq!(error.place, Place::Line(Stream::Stderr, 2));
    assert!(read_bytes(&stdout("set-get"), b"", 139).is_err());
}

/// However much of an output got lost, no value that is read differs from the one printed.
#[test]
fn a_cut_output_yields_whole_rows_or_an_error() {
    let whole = stdout("suite");
    let all = read("suite", 0).unwrap();
    for end in 0..whole.len() {
        if let Ok(samples) = read_bytes(&whole[..end], b"", 0) {
            assert_eq!(samples, all[..samples.len()], "cut at {end}");
            assert!(
                whole[..end].ends_with(b"\"") || whole[..end].ends_with(b"\n"),
                "cut at {end}"
            );
        }
    }
    for start in 1..whole.len() {
        if let Ok(samples) = read_bytes(&whole[start..], b"", 0) {
            panic!("headless from {start}: {samples:?}");
        }
    }
}

/// The caution about steps of 0.008 ms: minima are lower edges, percentiles upper edges.
#[test]
fn recorded_latencies_lie_on_the_steps_that_the_caution_states() {
    for name in ["suite", "set-get", "threads-2", "pipeline-16"] {
        for sample in read(name, 0).unwrap() {
            let microseconds = (sample.value * 1000.0).round() as i64;
            match sample.metric.name.as_str() {
                "latency_min" => assert_eq!(microseconds % 8, 0, "{sample:?}"),
                "latency_p50" | "latency_p95" | "latency_p99" | "latency_max" => {
                    assert_eq!(microseconds % 8, 7, "{sample:?}");
                }
                _ => {}
            }
        }
    }
    assert!(
        RedisBenchmark
            .cautions(&[])
            .iter()
            .any(|c| c.contains("0.008 ms"))
    );
}

/// The cautions about the clock: whole milliseconds, or with threads ticks of 250 ms.
#[test]
fn recorded_rates_lie_on_the_steps_that_the_cautions_state() {
    let elapsed_ms = |name, requests: f64| -> BTreeMap<String, f64> {
        let samples = read(name, 0).unwrap();
        samples
            .iter()
            .filter(|s| s.metric.name == "rps")
            .map(|s| (s.benchmark.clone().unwrap(), requests * 1000.0 / s.value))
            .collect()
    };
    for (benchmark, ms) in elapsed_ms("suite", 1000.0) {
        assert!((ms - ms.round()).abs() < 1e-3, "{benchmark}: {ms} ms");
    }
    for (benchmark, ms) in elapsed_ms("threads-2", 20_000.0) {
        let late = ms % 250.0;
        assert!((0.0..10.0).contains(&late), "{benchmark}: {ms} ms");
    }
}
