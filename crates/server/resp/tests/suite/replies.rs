//! Replies: the bytes of each kind in both protocols.

use perflab_resp::{Protocol, Replies};

/// What is written in RESP2 and in RESP3.
fn written(write: impl Fn(&mut Replies<'_>)) -> [String; 2] {
    [Protocol::Two, Protocol::Three].map(|protocol| {
        let mut out = Vec::new();
        write(&mut Replies::new(&mut out, protocol));
        String::from_utf8(out).unwrap()
    })
}

/// Checks the bytes in RESP2 and in RESP3, without the end of the line.
#[track_caller]
fn check(write: impl Fn(&mut Replies<'_>), two: &str, three: &str) {
    let expected = [two, three].map(|text| format!("{text}\r\n"));
    assert_eq!(written(write), expected);
}

#[test]
#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the path of a method is for replies of one lifetime, a closure for any"
)]
fn kinds_of_both_protocols() {
    check(|replies| replies.ok(), "+OK", "+OK");
    check(|replies| replies.simple("PONG"), "+PONG", "+PONG");
    check(|replies| replies.error("ERR no"), "-ERR no", "-ERR no");
    check(|replies| replies.integer(-12), ":-12", ":-12");
    check(|replies| replies.bulk("hi"), "$2\r\nhi", "$2\r\nhi");
    check(|replies| replies.bulk(b""), "$0\r\n", "$0\r\n");
    check(
        |replies| replies.bulk_integer(-12),
        "$3\r\n-12",
        "$3\r\n-12",
    );
    check(|replies| replies.array(3), "*3", "*3");
}

#[test]
#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the path of a method is for replies of one lifetime, a closure for any"
)]
fn kinds_that_only_one_protocol_has() {
    check(|replies| replies.null(), "$-1", "_");
    check(|replies| replies.null_array(), "*-1", "_");
    check(|replies| replies.map(2), "*4", "%2");
    check(|replies| replies.set(2), "*2", "~2");
    check(|replies| replies.push(2), "*2", ">2");
    check(|replies| replies.boolean(true), ":1", "#t");
    check(|replies| replies.boolean(false), ":0", "#f");
    check(|replies| replies.double(0.5), "$3\r\n0.5", ",0.5");
    check(|replies| replies.double(3.0), "$1\r\n3", ",3");
    check(|replies| replies.double(f64::INFINITY), "$3\r\ninf", ",inf");
    check(
        |replies| replies.double(f64::NEG_INFINITY),
        "$4\r\n-inf",
        ",-inf",
    );
    check(|replies| replies.big_number("-12"), "$3\r\n-12", "(-12");
    check(
        |replies| replies.verbatim(*b"txt", "hi"),
        "$2\r\nhi",
        "=6\r\ntxt:hi",
    );
}

#[test]
fn a_line_stays_one() {
    for (text, expected) in [
        ("ERR a\r\nb", "-ERR a  b"),
        ("ERR a\nb\rc", "-ERR a b c"),
        ("\r\nERR a\r\n", "-ERR a"),
        ("\n", "-"),
        ("", "-"),
    ] {
        check(|replies| replies.error(text), expected, expected);
    }
    check(|replies| replies.simple("a\r\n+b"), "+a  +b", "+a  +b");
}

/// The numbers of the table, those around powers of ten, and the largest.
#[test]
fn numbers_and_lengths_are_those_of_rust() {
    let around = (0..19).flat_map(|power| {
        let number = 10_i64.pow(power);
        [number - 1, number, number + 1]
    });
    let numbers = (0..1200).chain(around).chain([i64::MAX]);
    for number in numbers.flat_map(|number| [number, -number, -number - 1]) {
        let expected = format!(":{number}");
        check(|replies| replies.integer(number), &expected, &expected);
        let text = number.to_string();
        let expected = format!("${}\r\n{text}", text.len());
        check(|replies| replies.bulk_integer(number), &expected, &expected);
        if let Ok(length) = usize::try_from(number) {
            let expected = format!("*{length}");
            check(|replies| replies.array(length), &expected, &expected);
        }
    }
}

#[test]
fn strings_of_any_length() {
    for length in (0..300).chain([999, 1000, 99_999, 100_000]) {
        let text = "x".repeat(length);
        let expected = format!("${length}\r\n{text}");
        check(|replies| replies.bulk(&text), &expected, &expected);
    }
}

#[test]
fn replies_are_appended() {
    let mut out = b"before".to_vec();
    let mut replies = Replies::new(&mut out, Protocol::Three);
    assert_eq!(replies.protocol(), Protocol::Three);
    replies.map(1);
    replies.bulk("proto");
    replies.integer(3);
    assert_eq!(out, b"before%1\r\n$5\r\nproto\r\n:3\r\n");
}
