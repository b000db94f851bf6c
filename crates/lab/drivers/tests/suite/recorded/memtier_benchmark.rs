//! The driver of memtier_benchmark on recorded outputs of the real tool.

use super::common::{Recorded, benchmarks, value};
use perflab_drivers::{Driver, MemtierBenchmark};
use serde_json::Value;

fn recorded() -> Recorded {
    Recorded::new(&MemtierBenchmark, "2.2.0-28-g2f74d61")
}

fn stats(file: &str) -> Value {
    let report: Value = serde_json::from_str(&recorded().text(file)).expect("a JSON document");
    report["ALL STATS"].clone()
}

const PRINTED: [(&str, &str); 6] = [
    ("ops", "Ops/sec"),
    ("hits", "Hits/sec"),
    ("misses", "Misses/sec"),
    ("throughput", "KB/sec"),
    ("latency_min", "Min Latency"),
    ("latency_max", "Max Latency"),
];

#[test]
fn every_value_is_the_one_that_the_tool_printed() {
    let samples = recorded().read("plain.json", 0).unwrap();
    let stats = stats("plain.json");
    assert_eq!(
        benchmarks(&samples),
        [Some("Totals"), Some("Sets"), Some("Gets")]
    );
    assert_eq!(*samples[0].metric, MemtierBenchmark.metrics()[0]);
    for benchmark in ["Totals", "Gets"] {
        for (metric, key) in PRINTED {
            let printed = stats[benchmark][key].as_f64().unwrap();
            let read = value(&samples, Some(benchmark), metric);
            // The sum of the benchmarks is rounded otherwise.
            assert!(
                (read - printed).abs() < 0.0101,
                "{benchmark} {metric}: {read}"
            );
        }
        for (metric, key) in [
            ("latency_p50", "p50.00"),
            ("latency_p99", "p99.00"),
            ("latency_p99.9", "p99.90"),
            ("latency_p99.99", "p99.99"),
        ] {
            let printed = &stats[benchmark]["Percentile Latencies"][key];
            assert_eq!(
                value(&samples, Some(benchmark), metric),
                printed.as_f64().unwrap()
            );
        }
    }
    assert_eq!(
        value(&samples, Some("Gets"), "latency_avg"),
        stats["Gets"]["Average Latency"].as_f64().unwrap()
    );
    // What does not look up has no hits.
    assert!(
        !samples
            .iter()
            .any(|s| s.benchmark.as_deref() == Some("Sets") && s.metric.name == "hits")
    );
    let promised = MemtierBenchmark.metrics();
    assert!(samples.iter().all(|s| promised.contains(&s.metric)));
}

/// The lie about the totals: an average of 0, which lies below the minimum.
#[test]
fn the_average_of_the_totals_is_made_from_the_parts() {
    for file in ["plain.json", "rate.json", "command.json"] {
        let (samples, stats) = (recorded().read(file, 0).unwrap(), stats(file));
        assert_eq!(stats["Totals"]["Average Latency"], 0.0, "{file}");
        let average = value(&samples, Some("Totals"), "latency_avg");
        let exact = ["Sets", "Gets", "Lpushs"].map(|benchmark| {
            let of = |key: &str| stats[benchmark][key].as_f64().unwrap_or(0.0);
            of("Count") * of("Average Latency")
        });
        let exact = exact.iter().sum::<f64>() / stats["Totals"]["Count"].as_f64().unwrap();
        assert!((average - exact).abs() < 1e-4, "{file}: {average} {exact}");
        assert!(average > value(&samples, Some("Totals"), "latency_min"));
    }
}

/// The lie about commands: a throughput of the totals that is twice that of the benchmarks.
#[test]
fn the_throughput_of_the_totals_is_that_of_the_parts() {
    let samples = recorded().read("command.json", 0).unwrap();
    assert_eq!(
        benchmarks(&samples),
        [Some("Totals"), Some("Lpushs"), Some("Gets")]
    );
    let sum = ["Lpushs", "Gets"]
        .map(|benchmark| value(&samples, Some(benchmark), "throughput"))
        .iter()
        .sum::<f64>();
    assert_eq!(value(&samples, Some("Totals"), "throughput"), sum);
    let printed = stats("command.json")["Totals"]["KB/sec"].as_f64().unwrap();
    assert!((1.9..2.1).contains(&(printed / sum)), "{printed} {sum}");
}

/// The lie about rates: a cap, here of 2 connections at 200 each.
#[test]
fn a_limited_rate_is_about_the_one_asked_for() {
    let samples = recorded().read("rate.json", 0).unwrap();
    let rate = value(&samples, Some("Totals"), "ops");
    assert!((380.0..420.0).contains(&rate), "{rate}");
}

#[test]
fn recorded_latencies_lie_on_the_steps_that_the_caution_states() {
    for sample in recorded().read("plain.json", 0).unwrap() {
        let microseconds = (sample.value * 1000.0).round() as i64;
        // Percentiles of 8 ms and more lie in coarser steps.
        if sample.metric.name == "latency_min" {
            assert_eq!(microseconds % 8, 0, "{sample:?}");
        } else if sample.metric.name.starts_with("latency_p") {
            assert_eq!(microseconds % 8, 7, "{sample:?}");
        }
    }
    let cautions = MemtierBenchmark.cautions(&[]).join("\n");
    assert!(cautions.contains("0.008 ms"), "{cautions}");
}

#[test]
fn failures_say_what_the_tool_said() {
    for (file, words) in [
        ("no-server.json", "Connection refused"),
        ("wrong-type.json", "WRONGTYPE"),
        ("wrong-password.json", "without any password configured"),
        ("interrupted.json", "an interrupted one"),
        ("line.json", "--command-stats-breakdown=line"),
        ("runs.json", "something at `/ALL STATS`"),
    ] {
        let error = recorded().read(file, 0).expect_err(file).to_string();
        assert!(error.contains(words), "{file}: {error}");
    }
    // Without the tool's complaint a report of zeros is one none the less.
    let report = recorded().bytes("no-server.json");
    let error = recorded().read_bytes(&report, b"", 0).unwrap_err();
    assert!(
        error.to_string().contains("start the server first"),
        "{error}"
    );
    let stderr = recorded().bytes("bad-option.stderr");
    let error = recorded().read_bytes(b"", &stderr, 2).unwrap_err();
    assert!(error.to_string().contains("--nonsense"), "{error}");
}

#[test]
fn what_old_versions_print_as_nan_matters_where_it_is_asked_for() {
    let text = recorded().text("plain.json");
    let waits = text.find("\"Waits\"").unwrap();
    let (before, behind) = text.split_at(waits);
    let behind = behind.replacen("\"Average Latency\": 0.000", "\"Average Latency\": -nan", 1);
    let odd = format!("{before}{behind}");
    assert_ne!(odd, text);
    assert_eq!(
        recorded().read_bytes(odd.as_bytes(), b"", 0),
        recorded().read("plain.json", 0)
    );
    let bad = text.replacen("\"Average Latency\": 0.219", "\"Average Latency\": nan", 1);
    assert_ne!(bad, text);
    let error = recorded().read_bytes(bad.as_bytes(), b"", 0).unwrap_err();
    assert!(
        error.to_string().contains("of `Gets`, found null"),
        "{error}"
    );
}

#[test]
fn a_value_that_cannot_be_is_refused() {
    let text = recorded().text("plain.json");
    for (from, to, words) in [
        ("\"Format version\": 2", "\"Format version\": 3", "2 at"),
        ("\"p99.99\"", "\"p990.99\"", "percentiles from p0"),
        (
            "\"Connection Errors\": 0",
            "\"Connection Errors\": 2",
            "no connection errors",
        ),
        (
            "\"Min Latency\": 0.032",
            "\"Min Latency\": -1",
            "at least 0",
        ),
        ("\"Ops/sec\": 1680.24", "\"Ops/sec\": 1600.24", "make up"),
        // More than what three rates can be rounded by.
        ("\"Ops/sec\": 1680.24", "\"Ops/sec\": 1680.19", "make up"),
        ("\"Totals\"", "\"Total\"", "an object at"),
    ] {
        recorded().refuses(&text, &text.replace(from, to), words);
    }
}

#[test]
fn a_cut_output_is_refused() {
    // What is left without the last line end is whole.
    assert_eq!(recorded().cut("plain.json"), 1);
}
