//! The driver on recorded outputs of the real tool.

use super::common::{Recorded, values};
use perflab_drivers::{Iperf3, Place, ReadError, Stream};
use perflab_experiment::Sample;

fn recorded() -> Recorded {
    Recorded::new(&Iperf3, "3.12")
}

fn stdout(name: &str) -> Vec<u8> {
    recorded().bytes(&format!("{name}.json"))
}

fn read(name: &str) -> Result<Vec<Sample>, ReadError> {
    recorded().read(&format!("{name}.json"), 0)
}

#[test]
fn the_sums_of_a_tcp_test_are_taken() {
    assert_eq!(
        values(&read("tcp").unwrap()),
        [
            (None, "received", TCP_RECEIVED),
            (None, "sent", TCP_SENT),
            (None, "retransmits", 1.0),
            (None, "cpu_local", 9.23744241195117),
            (None, "cpu_remote", 48.729025169796245),
        ]
    );
    assert_eq!(read("tcp-reverse").unwrap().len(), 5);
    assert_eq!(read("tcp-omit").unwrap().len(), 5);
}

const TCP_RECEIVED: f64 = 11829588709.435772;
const TCP_SENT: f64 = 11891631915.965178;

#[test]
fn of_several_streams_the_sum_and_the_slowest_are_taken() {
    assert_eq!(
        values(&read("tcp-2-streams").unwrap())[..4],
        [
            (None, "received", 12248526700.0952),
            (None, "sent", 12323600803.900778),
            (None, "slowest_stream", 5957024852.781305),
            (None, "retransmits", 0.0),
        ]
    );
}

#[test]
fn both_directions_are_parts() {
    assert_eq!(
        values(&read("tcp-bidir-2-streams").unwrap()),
        [
            (Some("forward"), "received", 7930352428.59897),
            (Some("forward"), "sent", 7994678844.261025),
            (Some("forward"), "slowest_stream", 3918281883.2499514),
            (Some("forward"), "retransmits", 0.0),
            (Some("reverse"), "received", 4168384982.1808),
            (Some("reverse"), "sent", 4275005201.1251616),
            (Some("reverse"), "slowest_stream", 1854931317.0704558),
            (Some("reverse"), "retransmits", 13.0),
            (None, "cpu_local", 30.643108357059116),
            (None, "cpu_remote", 28.103342072138286),
        ]
    );
    assert_eq!(read("udp-bidir").unwrap().len(), 10);
}

/// The tool's `sum` of a UDP test is what was sent, even where most of it was lost.
#[test]
fn of_udp_what_arrived_is_taken() {
    assert_eq!(
        values(&read("udp-lossy").unwrap())[..4],
        [
            (None, "received", 18572174752.09429),
            (None, "sent", 47899222525.32154),
            (None, "jitter", 0.679456561820413),
            (None, "lost", 61.20339830084958),
        ]
    );
    for name in ["udp", "udp-2-streams", "udp-reverse"] {
        assert_eq!(read(name).unwrap().len(), 6, "{name}");
    }
}

/// Version 3.12 ends with exit code 0 after most of these.
#[test]
fn an_error_in_the_document_is_one() {
    for (name, words) in [
        ("no-server", "Connection refused`; start the server first"),
        ("interrupted", "interrupt - the client has terminated"),
        ("server-killed", "Connection reset by peer"),
        ("server-ended", "the server has terminated"),
        ("busy", "give each workload its own"),
        ("sctp-missing", "Protocol not supported"),
    ] {
        let error = read(name).expect_err(name);
        assert_eq!(error.place, Place::Whole(Stream::Stdout), "{name}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn a_tool_that_wrote_no_document_is_quoted() {
    let stderr = recorded().bytes("bad-option.stderr");
    let error = recorded().read_bytes(b"", &stderr, 1).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("exit code 1 and `iperf3: unrecognized option"),
        "{error}"
    );
    assert!(recorded().read_bytes(&stdout("tcp"), b"", 1).is_err());
}

#[test]
fn a_cut_document_yields_nothing() {
    let whole = stdout("tcp");
    let end = whole.iter().rposition(|byte| *byte == b'}').unwrap();
    for cut in 0..=end {
        assert!(
            recorded().read_bytes(&whole[..cut], b"", 0).is_err(),
            "cut at {cut}"
        );
    }
}

#[test]
fn what_is_missing_or_cannot_be_is_refused() {
    let text = String::from_utf8(stdout("tcp")).unwrap();
    for (from, to, words) in [
        (
            "\"sum_received\"",
            "\"sum\"",
            "something at `/end/sum_received",
        ),
        (
            "\"num_streams\":\t1",
            "\"num_streams\":\t2",
            "2 streams in one direction",
        ),
        (
            "\"retransmits\":\t1",
            "\"retransmits\":\t-2",
            "not negative",
        ),
        ("11829588709.435772", "0", "nothing received"),
        ("11829588709.435772", "\"fast\"", "found the text `fast`"),
        ("\"host_total\"", "\"host\"", "host_total"),
    ] {
        recorded().refuses(&text, &text.replace(from, to), words);
    }
}

/// Before 3.11 both directions of `--bidir` had the same names, so that one hid the other.
#[test]
fn directions_that_cannot_be_told_apart_are_refused() {
    let text = String::from_utf8(stdout("tcp-bidir-2-streams")).unwrap();
    let old = text.replace("_bidir_reverse", "");
    let error = recorded().read_bytes(old.as_bytes(), b"", 0).unwrap_err();
    assert!(
        error.to_string().contains("2 streams in one direction"),
        "{error}"
    );
}
