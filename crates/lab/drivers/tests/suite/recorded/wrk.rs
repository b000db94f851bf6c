//! The driver on recorded outputs of the real tool.

use super::common::{Recorded, values};
use perflab_drivers::Wrk;

const MIB: f64 = 1024.0 * 1024.0;

fn recorded() -> Recorded {
    Recorded::new(&Wrk, "4.1.0")
}

#[test]
fn every_value_is_the_one_printed() {
    let samples = recorded()
        .read_bytes(&recorded().bytes("good"), b"", 0)
        .unwrap();
    assert_eq!(
        values(&samples),
        [
            (None, "rps", 39593.80),
            (None, "transfer", 9.06 * MIB),
            (None, "latency_avg", 0.18117),
            (None, "latency_stdev", 0.45983),
            (None, "latency_max", 6.20),
            (None, "latency_p50", 0.081),
            (None, "latency_p75", 0.104),
            (None, "latency_p90", 0.133),
            (None, "latency_p99", 2.74),
        ]
    );
    recorded().cut("good");
}

#[test]
fn a_script_may_print_around_the_report() {
    let report = recorded().bytes("script");
    let samples = recorded().read_bytes(&report, b"", 0).unwrap();
    assert_eq!(
        values(&samples)[..2],
        [(None, "rps", 33541.69), (None, "transfer", 7.68 * MIB)]
    );
    let before = [b"from the script\n\n", &report[..]].concat();
    assert_eq!(recorded().read_bytes(&before, b"", 0), Ok(samples));
}

#[test]
fn what_was_not_answered_well_is_an_error() {
    for (name, words) in [
        ("non-2xx", "responses: 55545"),
        ("socket-errors", "read 13216"),
        ("interrupted", "the run was interrupted"),
    ] {
        let error = recorded().read(name, 0).expect_err(name).to_string();
        assert!(error.contains(words), "{error}");
    }
    let stderr = recorded().bytes("no-server.stderr");
    let error = recorded()
        .read_bytes(b"", &stderr, 1)
        .unwrap_err()
        .to_string();
    assert!(error.contains("unable to connect to"), "{error}");
}

#[test]
fn another_text_is_refused() {
    let text = String::from_utf8(recorded().bytes("good")).unwrap();
    for (from, to, words) in [
        (
            "Latency Distribution\n",
            "Latency Distribution (HdrHistogram - x)\n",
            "not of wrk2",
        ),
        ("81.00us", "81.00", "us, ms, s, m or h"),
        ("39593.80", "0.00", "more than 0"),
        ("9.06MB", "9.06", "MB"),
        ("Running 2s", "Running 3s", "the 3s asked for"),
        (
            "Running 2s test @",
            "Running",
            "expected a line `Running`, found the end",
        ),
    ] {
        recorded().refuses(&text, &text.replace(from, to), words);
    }
}
