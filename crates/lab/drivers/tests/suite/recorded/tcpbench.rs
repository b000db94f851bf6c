//! The driver on recorded outputs of the real tool.

use super::common::{Recorded, values};
use perflab_drivers::Tcpbench;

fn recorded() -> Recorded {
    Recorded::new(&Tcpbench, "1.01")
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn error(stdout: &[u8], stderr: &[u8], code: i32) -> String {
    recorded()
        .read_bytes(stdout, stderr, code)
        .expect_err("an output that is no good one")
        .to_string()
}

/// The samples that `awk '/^Conn/ { print $4 }'` prints, but for the first and the last.
const KEPT: [f64; 5] = [
    21719.602e6,
    20942.160e6,
    23190.551e6,
    23265.804e6,
    22930.260e6,
];

#[test]
fn the_mean_is_over_the_samples_between_the_first_and_the_last() {
    let samples = recorded()
        .read_bytes(&recorded().bytes("tcp"), b"", 0)
        .unwrap();
    assert_eq!(values(&samples), [(None, "sent", mean(&KEPT))]);
}

#[test]
fn of_several_connections_the_sum_is_taken() {
    let samples = recorded()
        .read_bytes(&recorded().bytes("tcp-2"), b"", 0)
        .unwrap();
    assert_eq!(
        values(&samples),
        [(None, "sent", mean(&[16195.723e6, 22385.000e6]))]
    );
}

#[test]
fn of_udp_packets_are_counted_too() {
    let samples = recorded()
        .read_bytes(&recorded().bytes("udp"), b"", 0)
        .unwrap();
    let rates = [673.316e6, 716.637e6, 1085.111e6, 1644.911e6, 887.967e6];
    let packets = [57176.0, 60855.0, 92146.0, 139683.0, 75404.0];
    assert_eq!(
        values(&samples),
        [
            (None, "sent", mean(&rates)),
            (None, "packets", mean(&packets))
        ]
    );
}

/// As the source of 3.02 prints it; not recorded.
#[test]
fn a_summary_at_the_end_changes_nothing() {
    let mut text = recorded().bytes("tcp");
    text.extend(
        b"--- 127.0.0.1 tcpbench statistics ---\n\
          9782990336 bytes sent over 3.499 seconds\n\
          bandwidth min/avg/max/std-dev = 20942.160/22357.362/23265.804/788.000 Mbps\n",
    );
    let samples = recorded().read_bytes(&text, b"", 0).unwrap();
    assert_eq!(values(&samples), [(None, "sent", mean(&KEPT))]);
}

#[test]
fn failures_are_refused() {
    for (name, code, words) in [
        (
            "interrupted",
            0,
            "stderr, line 1: expected a run to its end",
        ),
        ("server-killed", 1, "Connection reset by peer"),
        ("no-server", 1, "Connection refused"),
        ("udp-no-server", 1, "Connection refused"),
    ] {
        let stdout = recorded().bytes(name);
        let stderr = recorded().bytes(&format!("{name}.stderr"));
        let error = error(&stdout, &stderr, code);
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn another_text_is_refused() {
    let text = String::from_utf8(recorded().bytes("tcp")).unwrap();
    for (from, to, words) in [
        (
            "Mbps:    22270.157 Peak",
            "Mbps:          inf Peak",
            "line 3: expected a rate",
        ),
        (
            "Mbps:    22270.157 Peak",
            "Mbps:   -22270.157 Peak",
            "line 3: expected a rate",
        ),
        (
            "Conn:   1 Mbps:    20942.160",
            "Conn:   2 Mbps:    20942.160",
            "as many connections",
        ),
        ("  elapsed_ms", "elapsed: ms", "line 1: expected a sample"),
    ] {
        assert!(text.contains(from), "{from}");
        let error = error(text.replace(from, to).as_bytes(), b"", 0);
        assert!(error.contains(words), "{error}");
    }
    let header = text.lines().next().unwrap();
    assert!(error(format!("{header}\n").as_bytes(), b"", 0).contains("samples above 0 Mbps"));
    assert!(error(&text.as_bytes()[..text.len() - 1], b"", 0).contains("a whole line"));
}
