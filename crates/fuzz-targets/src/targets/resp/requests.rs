//! A request is the same however it arrives, and reading it needs little memory.

use perflab_resp::{Limits, Next, ProtocolError, Requests};

use super::cuts;

pub fn check(input: &[u8]) {
    let strangers = Limits {
        authenticated: false,
        ..Limits::default()
    };
    let small = Limits {
        bulk: 20,
        elements: 3,
        authenticated: true,
    };
    for limits in [Limits::default(), strangers, small] {
        let [whole, pieces @ ..] = cuts(input);
        let expected = Connection::of(input, &limits, whole);
        for cut in pieces {
            assert_eq!(Connection::of(input, &limits, cut), expected);
        }
    }
}

/// What a connection that sends the input gets read.
#[derive(Debug, PartialEq)]
struct Connection {
    requests: Vec<Vec<Vec<u8>>>,
    /// The bytes of a request that is partly there.
    end: Result<usize, ProtocolError>,
}

impl Connection {
    fn of(input: &[u8], limits: &Limits, mut cut: impl FnMut() -> usize) -> Self {
        let mut reader = Requests::default();
        let mut requests = Vec::new();
        let (mut begin, mut arrived, mut needed) = (0, 0, 0);
        loop {
            let buffer = &input[begin..arrived];
            let next = reader.next(buffer, limits);
            assert!(reader.memory() <= 32 * input.len() + 256);
            if !matches!(next, Ok(Next::Partial { .. })) {
                assert!(arrived >= needed, "more was wanted than was needed");
            }
            match next {
                Ok(Next::Partial { wanted }) => {
                    assert!(wanted > 0);
                    needed = arrived.saturating_add(wanted);
                    if arrived == input.len() {
                        let end = Ok(buffer.len());
                        return Self { requests, end };
                    }
                    arrived = input.len().min(arrived.saturating_add(cut()));
                }
                Ok(Next::Request { length }) => {
                    assert!((1..=buffer.len()).contains(&length));
                    let arguments = reader.arguments(buffer);
                    requests.push(arguments.iter().map(<[u8]>::to_vec).collect());
                    begin += length;
                }
                Err(error) => {
                    let end = Err(error);
                    return Self { requests, end };
                }
            }
        }
    }
}
