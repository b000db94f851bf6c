//! What the tests share: reference numbers, sample data, comparison of numbers.

use crate::harrell_davis::{estimate, weights};
use crate::location::{LocationTest, NullCache, Scale, Side};
use crate::mean::MeanDifference;
use crate::summary::sorted;
use crate::{Error, Stratum, blocked_mean, location, robustness};
use serde_json::Value;

/// The reference numbers under one name, see `vectors/generate.py`.
pub fn vectors(name: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("../../tests/vectors/vectors.json"))
        .expect("the file is JSON");
    all[name].as_array().expect("a list").clone()
}

pub fn numbers(value: &Value) -> Vec<f64> {
    let items = value.as_array().expect("a list");
    items
        .iter()
        .map(|v| v.as_f64().expect("a number"))
        .collect()
}

pub fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// Blocks from the lists of lists `a` and `b`.
pub fn blocks(value: &Value) -> Vec<Stratum> {
    let side = |name: &str| value[name].as_array().expect("a list").clone();
    let pairs = side("a").into_iter().zip(side("b"));
    pairs
        .map(|(a, b)| Stratum::new(numbers(&a), numbers(&b)))
        .collect()
}

#[track_caller]
pub fn close(found: f64, expected: f64, tolerance: f64) {
    let error = (found - expected).abs();
    assert!(
        error <= tolerance * expected.abs() || error < 1e-300,
        "found {found}, expected {expected}"
    );
}

/// Agreement to the digits that a source prints, as half a unit of the last one.
#[track_caller]
pub fn printed(found: f64, expected: f64, half_unit: f64) {
    let error = (found - expected).abs();
    assert!(error <= half_unit, "found {found}, expected {expected}");
}

fn column(text: &str) -> Vec<f64> {
    text.split_whitespace()
        .map(|v| v.parse().expect("a number"))
        .collect()
}

/// Requests per second of a server whose runs sometimes fall into a slow mode.
pub fn redis_like() -> (Vec<f64>, Vec<f64>) {
    (
        column(include_str!("../../tests/data/redis-like-a.txt")),
        column(include_str!("../../tests/data/redis-like-b.txt")),
    )
}

/// The same in ten blocks of 3+3, in the order of the files.
pub fn redis_like_in_blocks() -> Vec<Stratum> {
    let (a, b) = redis_like();
    let blocks = a.chunks(3).zip(b.chunks(3));
    blocks.map(|(a, b)| Stratum::new(a, b)).collect()
}

/// The data of the old tool's manual page; they have ties.
pub const IGUANA: [f64; 7] = [50.0, 200.0, 150.0, 400.0, 750.0, 400.0, 150.0];
pub const CHAMELEON: [f64; 5] = [150.0, 400.0, 720.0, 500.0, 930.0];

/// Harrell and Davis' estimate of a quantile.
pub fn harrell_davis(values: &[f64], p: f64) -> f64 {
    estimate(&sorted(values), &weights(values.len(), p))
}

/// Welch's test of one block.
pub fn welch(a: &[f64], b: &[f64], confidence: f64) -> Result<MeanDifference, Error> {
    let blocked = blocked_mean::blocked_welch(&[Stratum::new(a, b)], confidence);
    blocked.map(|blocked| blocked.difference)
}

/// The p-value of Brunner and Munzel's test, which is the robustness check of one block.
pub fn brunner_munzel(a: &[f64], b: &[f64]) -> Option<f64> {
    robustness::robustness(&[Stratum::new(a, b)]).map(|check| check.p)
}

/// The test of one effect, with null distributions of its own.
pub fn location_test(
    strata: &[Stratum],
    scale: Scale,
    null_effect: f64,
    side: Side,
) -> Result<LocationTest, Error> {
    location::location_test(&mut NullCache::default(), strata, scale, null_effect, side)
}
