//! The driver of fio on recorded outputs of the real tool.

use super::common::{Recorded, benchmarks, value};
use perflab_drivers::{Driver, Fio, Place, Stream};
use serde_json::Value;

fn recorded() -> Recorded {
    Recorded::new(&Fio, "3.33")
}

/// The report itself, as a person would look into it.
fn report(file: &str) -> Value {
    let text = recorded().text(file);
    let start = text.find('{').expect("a JSON document");
    serde_json::from_str(&text[start..]).expect("a JSON document")
}

#[test]
fn every_value_is_the_one_that_the_tool_printed() {
    let samples = recorded().read("read-write.json", 0).unwrap();
    assert_eq!(benchmarks(&samples), [Some("read"), Some("write"), None]);
    let report = report("read-write.json");
    let job = &report["jobs"][0];
    for direction in ["read", "write"] {
        let of = &job[direction];
        let benchmark = Some(direction);
        assert_eq!(
            value(&samples, benchmark, "iops"),
            of["iops"].as_f64().unwrap()
        );
        let bandwidth = value(&samples, benchmark, "bandwidth");
        assert_eq!(bandwidth, of["bw_bytes"].as_f64().unwrap());
        // As the tool would print it for people: KiB/s.
        assert_eq!((bandwidth / 1024.0).floor(), of["bw"].as_f64().unwrap());
        for (metric, key) in [("avg", "mean"), ("min", "min"), ("max", "max")] {
            for (kind, object) in [("latency", "lat_ns"), ("clat", "clat_ns")] {
                let ns = of[object][key].as_f64().unwrap();
                assert_eq!(
                    value(&samples, benchmark, &format!("{kind}_{metric}")),
                    ns / 1000.0
                );
            }
        }
        let percentiles = &of["clat_ns"]["percentile"];
        for (metric, key) in [
            ("clat_p50", "50.000000"),
            ("clat_p99", "99.000000"),
            ("clat_p99.9", "99.900000"),
            ("clat_p99.99", "99.990000"),
        ] {
            let ns = percentiles[key].as_f64().unwrap();
            assert_eq!(value(&samples, benchmark, metric), ns / 1000.0);
        }
    }
    assert_eq!(
        value(&samples, None, "cpu_system"),
        job["sys_cpu"].as_f64().unwrap()
    );
    assert_eq!(
        value(&samples, None, "cpu_user"),
        job["usr_cpu"].as_f64().unwrap()
    );
}

#[test]
fn what_is_read_by_default_is_what_the_driver_promises() {
    let promised = Fio.metrics();
    let samples = recorded().read("read-write.json", 0).unwrap();
    assert_eq!(*samples[0].metric, promised[0]);
    for sample in &samples {
        assert!(promised.contains(&sample.metric), "{sample:?}");
    }
    // A synchronous engine has no submission to be told apart.
    for metric in promised.iter().filter(|m| !m.name.starts_with("slat")) {
        assert!(samples.iter().any(|s| *s.metric == *metric), "{metric:?}");
    }
}

#[test]
fn each_kind_of_latency_has_the_percentiles_asked_for() {
    let samples = recorded().read("percentiles.json", 0).unwrap();
    for kind in ["latency", "clat", "slat"] {
        for what in ["avg", "p50", "p99", "p99.9"] {
            assert!(value(&samples, Some("read"), &format!("{kind}_{what}")) > 0.0);
        }
        assert!(!samples.iter().any(|s| s.metric.name == "clat_p95"));
    }
}

#[test]
fn a_note_may_stand_before_the_report() {
    let text = recorded().text("note.json");
    assert!(text.starts_with("note: both iodepth >= 1 and synchronous"));
    assert_eq!(
        benchmarks(&recorded().read("note.json", 0).unwrap()),
        [Some("read"), None]
    );
    // Lines are counted with it.
    let broken = text.replacen("\"jobs\" : [", "\"jobs\" : [ ?", 1);
    let error = recorded()
        .read_bytes(broken.as_bytes(), b"", 0)
        .unwrap_err();
    let line = text
        .lines()
        .position(|line| line.contains("\"jobs\""))
        .unwrap()
        + 1;
    assert_eq!(error.place, Place::Line(Stream::Stdout, line));
}

#[test]
fn several_jobs_are_told_apart_by_name_and_copies_need_a_group() {
    let samples = recorded().read("two-jobs.json", 0).unwrap();
    assert_eq!(
        benchmarks(&samples),
        [
            Some("one/read"),
            Some("one"),
            Some("two/write"),
            Some("two"),
            Some("three/read"),
            Some("three/write"),
            Some("three"),
        ]
    );
    let error = recorded().read("copies.json", 0).unwrap_err().to_string();
    assert!(
        error.contains("`one` again; add --group_reporting"),
        "{error}"
    );
    let group = recorded().read("group.json", 0).unwrap();
    assert_eq!(benchmarks(&group), [Some("read"), None]);
}

#[test]
fn mixed_and_synced_requests_have_parts_of_their_own() {
    let mixed = recorded().read("mixed.json", 0).unwrap();
    assert_eq!(benchmarks(&mixed), [Some("mixed"), None]);
    let synced = recorded().read("sync.json", 0).unwrap();
    assert_eq!(benchmarks(&synced), [Some("write"), Some("sync"), None]);
    assert!(value(&synced, Some("sync"), "latency_p99") > 0.0);
    assert!(
        !synced
            .iter()
            .any(|s| s.benchmark.as_deref() == Some("sync") && s.metric.name == "iops")
    );
}

#[test]
fn a_latency_that_was_switched_off_is_missing_and_never_zero() {
    let names = |file| -> Vec<String> {
        let samples = recorded().read(file, 0).unwrap();
        samples.into_iter().map(|s| s.metric.name.clone()).collect()
    };
    let without = names("gtod-reduce.json");
    assert_eq!(without[..2], ["iops", "bandwidth"]);
    assert!(
        !without.iter().any(|name| name.contains("lat")),
        "{without:?}"
    );
    let disabled = names("disable-clat.json");
    assert!(disabled.contains(&"latency_avg".to_owned()));
    assert!(!disabled.iter().any(|name| name.starts_with("clat")));
}

#[test]
fn failures_say_what_the_tool_said() {
    for (file, code, words) in [
        ("full.json", 1, "No space left on device"),
        ("full.json", 0, "`error` of job `a` to be 0, found 28"),
        ("trim.json", 1, "Inappropriate ioctl for device"),
        ("trim.json", 0, "found 25"),
        ("interrupted.json", 128, "terminating on signal"),
        ("interrupted.json", 0, "terminating on signal"),
        ("normal.txt", 0, "a line that begins a JSON document"),
        ("status-interval.json", 0, "one JSON document"),
    ] {
        let error = recorded().read(file, code).expect_err(file).to_string();
        assert!(error.contains(words), "{file}: {error}");
    }
    let stderr = recorded().bytes("bad-option.stderr");
    let error = recorded().read_bytes(b"", &stderr, 1).unwrap_err();
    assert!(error.to_string().contains("--nonsense"), "{error}");
    let error = recorded().read_bytes(b"", b"", 0).unwrap_err();
    assert!(error.to_string().contains("cut off"), "{error}");
}

#[test]
fn an_error_after_which_the_tool_was_told_to_continue_counts() {
    let text = recorded().text("read-write.json");
    let with =
        |field: &str| text.replacen("\"error\" : 0,", &format!("\"error\" : 0, {field},"), 1);
    let good = with("\"total_err\": 0");
    recorded().read_bytes(good.as_bytes(), b"", 0).unwrap();
    let bad = with("\"total_err\": 3");
    let error = recorded().read_bytes(bad.as_bytes(), b"", 0).unwrap_err();
    assert!(error.to_string().contains("`total_err` of job"), "{error}");
}

#[test]
fn a_value_that_cannot_be_is_refused() {
    let text = recorded().text("read-write.json");
    let iops = report("read-write.json")["jobs"][0]["read"]["iops"].to_string();
    let cases = [
        (format!("\"iops\" : {iops}"), "\"iops\" : 0.0", "above 0"),
        (format!("\"iops\" : {iops}"), "\"iops\" : -1", "at least 0"),
        (
            format!("\"iops\" : {iops}"),
            "\"iops\" : \"x\"",
            "a number at",
        ),
        (
            format!("\"iops\" : {iops}"),
            "\"iops\" : -nan",
            "one JSON document",
        ),
        (format!("\"iops\" : {iops}"), "\"ops\" : 1", "something at"),
        (
            "99.900000".to_owned(),
            "999.00000",
            "percentiles from 0 to 100",
        ),
    ];
    for (from, to, words) in cases {
        recorded().refuses(&text, &text.replacen(&from, to, 1), words);
    }
}

#[test]
fn a_cut_output_is_refused() {
    // What is left without the last line end is whole, and with the note a line less is, too.
    assert_eq!(recorded().cut("read-write.json"), 1);
}

/// The lie of short jobs: the tool counts whole milliseconds.
#[test]
fn rates_of_short_jobs_lie_on_steps() {
    let samples = recorded().read("tiny.json", 0).unwrap();
    let milliseconds = 1000.0 / value(&samples, Some("read"), "iops");
    assert!((milliseconds - milliseconds.round()).abs() < 1e-3);
}

/// The lie of percentiles: they are the middle of a bucket, so one may be above the maximum.
#[test]
fn percentiles_are_middles_of_buckets() {
    let samples = recorded().read("read-write.json", 0).unwrap();
    for sample in samples.iter().filter(|s| s.metric.name.contains("_p")) {
        let ns = (sample.value * 1000.0).round();
        if ns >= 128.0 {
            let step = 2f64.powf(ns.log2().floor()) / 64.0;
            assert_eq!((ns / (step / 2.0)).rem_euclid(2.0), 1.0, "{sample:?}");
        }
    }
}
