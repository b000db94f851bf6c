//! Numbers that Redis takes and prints as we do.

use perflab_resp::{Value, double};
use rand::Rng;

use super::server::Redis;
use crate::random::request;
use crate::{doubles, integers, random};

/// What Redis gives for the score of a member that was added with this text; `None` if it refuses the text.
fn scores(redis: &mut Redis, texts: &[String]) -> Vec<Option<Value>> {
    let mut input = Vec::new();
    for text in texts {
        input.extend(request(&[b"DEL", b"key"]));
        input.extend(request(&[b"ZADD", b"key", text.as_bytes(), b"member"]));
        input.extend(request(&[b"ZSCORE", b"key", b"member"]));
    }
    let replies = redis.control(&input, 3 * texts.len());
    replies
        .chunks(3)
        .map(|three| match &three[1] {
            Value::Error(text) => {
                assert_eq!(text, b"ERR value is not a valid float");
                None
            }
            added => {
                assert_eq!(*added, Value::Integer(1));
                Some(three[2].clone())
            }
        })
        .collect()
}

#[test]
fn redis_prints_doubles_as_we_do() {
    let mut redis = Redis::start();
    let mut rng = random::generator(6);
    let numbers: Vec<f64> = (0..10_000)
        .map(|number| match number % 4 {
            0 => f64::from_bits(rng.random()),
            1 => rng.random_range(-1000.0..1000.0),
            2 => f64::from(rng.random_range(-1_000_000_i32..1_000_000)) / 1000.0,
            _ => (rng.random::<i64>() >> rng.random_range(0..64)) as f64,
        })
        .filter(|number| !number.is_nan())
        .chain([
            0.0,
            -0.0,
            f64::MAX,
            f64::MIN_POSITIVE,
            5e-324,
            f64::INFINITY,
            f64::NEG_INFINITY,
        ])
        .collect();
    for numbers in numbers.chunks(500) {
        let texts: Vec<String> = numbers.iter().map(|number| format!("{number:e}")).collect();
        for (number, score) in numbers.iter().zip(scores(&mut redis, &texts)) {
            let expected = Value::Bulk(double::text(*number).as_bytes().to_vec());
            assert_eq!(score, Some(expected), "{number:e}");
        }
    }

    let hello = redis.control(&request(&[b"HELLO", b"3"]), 1);
    assert!(matches!(hello[0], Value::Map(_)), "{hello:?}");
    for numbers in numbers.chunks(500).take(4) {
        let texts: Vec<String> = numbers.iter().map(|number| format!("{number:e}")).collect();
        for (number, score) in numbers.iter().zip(scores(&mut redis, &texts)) {
            assert_eq!(score, Some(Value::Double(*number)), "{number:e}");
        }
    }
}

#[test]
fn redis_takes_the_same_texts_for_doubles() {
    let mut redis = Redis::start();
    let texts: Vec<String> = doubles::TEXTS
        .iter()
        .map(|(text, _)| (*text).to_owned())
        .collect();
    for (score, (text, number)) in scores(&mut redis, &texts).into_iter().zip(doubles::TEXTS) {
        let expected = number.map(|number| Value::Bulk(double::text(number).as_bytes().to_vec()));
        assert_eq!(score, expected, "{text:?}");
    }
}

/// Texts of bytes that numbers have, so that many are numbers.
#[test]
fn redis_takes_the_same_random_texts_for_doubles() {
    let mut redis = Redis::start();
    let mut rng = random::generator(7);
    let texts: Vec<String> = (0..5000)
        .map(|_| {
            let length = rng.random_range(1..8);
            let bytes = b"00123.579eE+-xXpPaAfFinINF ";
            (0..length)
                .map(|_| char::from(bytes[rng.random_range(0..bytes.len())]))
                .collect()
        })
        // These would be options of the command.
        .filter(|text: &String| !["nx", "xx"].contains(&text.to_lowercase().as_str()))
        .collect();
    let mut taken = 0;
    for texts in texts.chunks(500) {
        for (text, score) in texts.iter().zip(scores(&mut redis, texts)) {
            let number = double::parse(text.as_bytes());
            taken += usize::from(number.is_some());
            let expected =
                number.map(|number| Value::Bulk(double::text(number).as_bytes().to_vec()));
            assert_eq!(score, expected, "{text:?}");
        }
    }
    assert!(taken > 300, "{taken}");
}

#[test]
fn redis_takes_the_same_texts_for_integers() {
    let mut redis = Redis::start();
    for (text, number) in integers::TEXTS {
        let mut input = request(&[b"DEL", b"key"]);
        input.extend(request(&[b"INCRBY", b"key", text.as_bytes()]));
        let replies = redis.control(&input, 2);
        let expected = number.map_or_else(
            || Value::Error(b"ERR value is not an integer or out of range".to_vec()),
            Value::Integer,
        );
        assert_eq!(replies[1], expected, "{text:?}");
    }
}
