//! Integers: which texts are numbers.

use perflab_resp::integer::{parse, write};
use rand::Rng;

use crate::random;

/// Texts that Redis takes for the number beside them, or refuses.
pub const TEXTS: &[(&str, Option<i64>)] = &[
    ("0", Some(0)),
    ("1", Some(1)),
    ("-1", Some(-1)),
    ("10", Some(10)),
    ("99", Some(99)),
    ("100", Some(100)),
    ("1234567890", Some(1_234_567_890)),
    ("9223372036854775807", Some(i64::MAX)),
    ("-9223372036854775808", Some(i64::MIN)),
    ("9223372036854775808", None),
    ("-9223372036854775809", None),
    ("9999999999999999999", None),
    ("18446744073709551615", None),
    ("18446744073709551616", None),
    ("99999999999999999999999", None),
    ("", None),
    ("-", None),
    ("+1", None),
    ("-0", None),
    ("00", None),
    ("01", None),
    ("-01", None),
    (" 1", None),
    ("1 ", None),
    ("1\n", None),
    ("1.0", None),
    ("1e3", None),
    ("0x10", None),
    ("1a", None),
    ("--1", None),
    ("\u{661}", None),
];

#[test]
fn texts_are_taken_or_refused() {
    for (text, number) in TEXTS {
        assert_eq!(parse(text.as_bytes()), *number, "{text:?}");
    }
    assert_eq!(parse(b"1\0"), None);
}

#[test]
fn numbers_are_written_as_rust_writes_them() {
    let mut rng = random::generator(2);
    for _ in 0..100_000 {
        let number = rng.random::<i64>() >> rng.random_range(0..64);
        let mut text = b"before ".to_vec();
        write(number, &mut text);
        assert_eq!(text, format!("before {number}").into_bytes());
        assert_eq!(parse(&text[7..]), Some(number));
    }
}
