//! What is done for each request allocates nothing.

use std::hint::black_box;

use perflab_resp::{Answers, Limits, Next, Protocol, Replies, Requests, double};

use crate::counted::allocations;

const REQUEST: &[u8] = b"*3\r\n$3\r\nSET\r\n$5\r\nkey:1\r\n$10\r\n0123456789\r\n";
const WORDS: &[u8] = b"SET \"key 1\" 'value' plain\r\n";

fn read(requests: &mut Requests, input: &[u8], pieces: usize) {
    let limits = Limits::default();
    let mut arrived = 0;
    loop {
        arrived = input.len().min(arrived + pieces);
        if let Ok(Next::Request { length }) = requests.next(&input[..arrived], &limits) {
            assert_eq!(length, input.len());
            assert!(requests.arguments(input).len() >= 3);
            return;
        }
        assert!(arrived < input.len(), "the request must be taken");
    }
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(black_box(Box::new(1)))), 1);
}

#[test]
fn requests() {
    let mut requests = Requests::default();
    for input in [REQUEST, WORDS] {
        read(&mut requests, input, usize::MAX / 2);
    }
    let count = allocations(|| {
        for round in 0..1000 {
            read(&mut requests, REQUEST, 1 + round % 50);
            read(&mut requests, WORDS, 1 + round % 50);
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn replies() {
    let mut out = Vec::with_capacity(100_000);
    let count = allocations(|| {
        for protocol in [Protocol::Two, Protocol::Three] {
            for number in 0..500_u16 {
                let mut replies = Replies::new(&mut out, protocol);
                replies.array(7);
                replies.ok();
                replies.integer(i64::from(number) * 1_000_000);
                replies.bulk(b"value");
                replies.null();
                replies.double(f64::from(number) / 7.0);
                replies.bulk_integer(i64::from(number));
                replies.error("ERR no");
            }
            out.clear();
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn answers() {
    let input = b"*3\r\n%1\r\n+key\r\n,1.5\r\n$5\r\nvalue\r\n:1\r\n";
    let mut answers = Answers::default();
    let count = allocations(|| {
        for _ in 0..100 {
            for arrived in 0..input.len() {
                assert_eq!(answers.skip(&input[..arrived]), Ok(None));
            }
            assert!(matches!(answers.skip(input), Ok(Some(_))));
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn numbers() {
    let count = allocations(|| {
        for number in [0.1, 1e300, -5e-324, 2.0_f64.powi(60)] {
            let text = double::text(number);
            assert_eq!(double::parse(text.as_bytes()), Some(number));
        }
    });
    assert_eq!(count, 0);
}
