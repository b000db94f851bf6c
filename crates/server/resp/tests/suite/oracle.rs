//! Random requests, read by two parsers that were written apart, and cut into random pieces.

use perflab_resp::{Limits, Next, Requests};
use rand::Rng;

use crate::naive::{self, Found};
use crate::random;

/// What is found in an input that arrives in pieces.
pub fn find(input: &[u8], limits: &Limits, mut piece: impl FnMut() -> usize) -> Found {
    let mut reader = Requests::default();
    let mut requests = Vec::new();
    let (mut begin, mut arrived) = (0, 0);
    let error = loop {
        let buffer = &input[begin..arrived];
        match reader.next(buffer, limits) {
            Ok(Next::Partial { .. }) if arrived == input.len() => break None,
            Ok(Next::Partial { .. }) => {
                arrived = input.len().min(arrived.saturating_add(piece()));
            }
            Ok(Next::Request { length }) => {
                let arguments = reader.arguments(buffer);
                if !arguments.is_empty() {
                    requests.push(arguments.iter().map(<[u8]>::to_vec).collect());
                }
                begin += length;
            }
            Err(error) => break Some(error),
        }
    };
    Found { requests, error }
}

#[test]
fn random_requests_are_read_as_by_the_naive_parser() {
    let mut rng = random::generator(1);
    let strangers = Limits {
        authenticated: false,
        ..Limits::default()
    };
    let small = Limits {
        bulk: 10,
        elements: 1,
        authenticated: true,
    };
    let mut whole = 0;
    let mut closed = 0;
    for round in 0..20_000 {
        let limits = [Limits::default(), strangers, small][round % 3];
        let input = random::requests(&mut rng);
        let expected = naive::find(&input, &limits);
        whole += expected.requests.len();
        closed += usize::from(expected.error.is_some());
        let told = input.escape_ascii();
        assert_eq!(find(&input, &limits, || usize::MAX), expected, "{told}");
        assert_eq!(find(&input, &limits, || 1), expected, "{told}");
        let pieces = || rng.random_range(1..20);
        assert_eq!(find(&input, &limits, pieces), expected, "{told}");
    }
    // Otherwise nothing was tested.
    assert!(
        whole > 10_000 && closed > 2_000,
        "{whole} requests, {closed} errors"
    );
}

#[test]
fn long_lines_are_read_as_by_the_naive_parser() {
    for length in Limits::LINE - 5..Limits::LINE + 5 {
        for begin in ["", "*", "*1\r\n$"] {
            for end in ["", "\r", "\n", "\r\n", "\0\r\n", "\r\nxx"] {
                let digits = "1".repeat(length);
                let input = format!("{begin}{digits}{end}").into_bytes();
                let limits = Limits::default();
                let expected = naive::find(&input, &limits);
                let told = format!("{begin:?}, {length} digits, {end:?}");
                assert_eq!(find(&input, &limits, || usize::MAX), expected, "{told}");
                assert_eq!(find(&input, &limits, || 1000), expected, "{told}");
            }
        }
    }
}
