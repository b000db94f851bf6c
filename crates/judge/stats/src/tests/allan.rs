//! The Allan deviation: against NIST's test suite, allantools (`vectors/allan.py`), and noise whose deviation is known.

use super::support::{close, numbers, printed};
use crate::Error;
use crate::allan::Series;
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use serde_json::Value;

pub fn cases() -> Vec<Value> {
    serde_json::from_str(include_str!("../../tests/vectors/allan.json")).expect("a list")
}

/// Values with mean 0 and variance 1, by the sum of twelve uniform ones.
pub fn white(count: usize, seed: u64) -> Vec<f64> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut uniform = || random.next_u32() as f64 / 2_f64.powi(32);
    (0..count)
        .map(|_| (0..12).map(|_| uniform()).sum::<f64>() - 6.0)
        .collect()
}

pub fn walk(count: usize, seed: u64) -> Vec<f64> {
    let mut at = 0.0;
    let steps = white(count, seed);
    let places = steps.iter().map(|step| {
        at += step;
        at
    });
    places.collect()
}

/// Flicker noise: white noise integrated half a time (Hosking, *Biometrika* 68 (1981) 165, with d = 1/2). Its spectrum is
/// `1 / (pi f)` at low frequencies, as far as the memory goes.
pub fn flicker(count: usize, seed: u64) -> Vec<f64> {
    const MEMORY: usize = 4096;
    let mut weights = vec![1.0];
    for lag in 1..MEMORY {
        weights.push(weights[lag - 1] * (lag as f64 - 0.5) / lag as f64);
    }
    let steps = white(count, seed);
    (0..count)
        .map(|at| {
            let past = steps[..=at].iter().rev();
            past.zip(&weights).map(|(step, weight)| step * weight).sum()
        })
        .collect()
}

/// A series of the speed 1 with so much noise.
pub fn series(noise: &[f64], size: f64) -> Series {
    let values: Vec<f64> = noise.iter().map(|value| 1.0 + size * value).collect();
    Series::new(&values).unwrap()
}

/// Riley, *Handbook of Frequency Stability Analysis*, NIST SP 1065, the 1000-point test suite: deviations of the values
/// themselves, not relative to their mean.
#[test]
fn the_test_suite_of_nist() {
    let mut state = 1_234_567_890_u64;
    let values: Vec<f64> = (0..1000)
        .map(|_| {
            let value = state as f64 / 2_147_483_647.0;
            state = 16_807 * state % 2_147_483_647;
            value
        })
        .collect();
    let mean = values.iter().sum::<f64>() / 1000.0;
    printed(mean, 4.897_745e-1, 5e-8);
    let found = Series::new(&values).unwrap();
    for (scale, expected, half_unit) in [
        (1, 2.922_319e-1, 5e-8),
        (10, 9.159_953e-2, 5e-9),
        (100, 3.241_343e-2, 5e-9),
    ] {
        printed(found.deviation(scale).unwrap() * mean, expected, half_unit);
    }
}

#[test]
fn agrees_with_allantools() {
    let mut compared = 0;
    for case in cases() {
        let found = Series::new(&numbers(&case["values"])).unwrap();
        for (scale, expected) in numbers(&case["scales"])
            .into_iter()
            .zip(numbers(&case["deviations"]))
        {
            close(found.deviation(scale as usize).unwrap(), expected, 1e-9);
            compared += 1;
        }
    }
    assert_eq!(compared, 28);
}

/// A name, noise, and its deviation at a scale.
type Known = (&'static str, Vec<f64>, fn(f64) -> f64);

/// White noise: `m^-1/2`. A random walk: the root of `(2 m^2 + 1) / (6 m)`, from the variance of weights 1, 2 ... m ... 2, 1.
/// Flicker noise with the spectrum `h / f`: the root of `2 ln(2) h` at all scales (IEEE Std 1139).
#[test]
fn noise_whose_deviation_is_known() {
    // Small, so that the walk does not move the mean that the deviation is relative to.
    let size = 1e-7;
    let known: [Known; 3] = [
        ("white", white(1 << 17, 1), |m| m.powf(-0.5)),
        ("walk", walk(1 << 17, 2), |m| {
            ((2.0 * m * m + 1.0) / (6.0 * m)).sqrt()
        }),
        ("flicker", flicker(1 << 14, 3), |_| {
            (2.0 * 2_f64.ln() / std::f64::consts::PI).sqrt()
        }),
    ];
    for (name, noise, expected) in known {
        let found = series(&noise, size);
        for scale in [8, 32, 128, 512] {
            let ratio = found.deviation(scale).unwrap() / size / expected(scale as f64);
            // Wider where the series has fewer pairs that do not overlap.
            let pairs = noise.len() as f64 / (2.0 * scale as f64);
            let tolerance = 0.01 + 3.0 / (2.0 * pairs).sqrt();
            assert!((ratio - 1.0).abs() < tolerance, "{name} {scale}: {ratio}");
        }
    }
}

#[test]
fn what_cannot_be_told_is_absent() {
    let found = Series::new(&[1.0, 2.0, 1.0, 2.0]).unwrap();
    assert_eq!(found.deviation(0), None);
    assert_eq!(found.deviation(3), None);
    assert_eq!(found.deviation(usize::MAX / 2), None);
    assert_eq!(found.deviation(2), Some(0.0));
    assert!(matches!(Series::new(&[1.0]), Err(Error::TooFew { .. })));
    for wrong in [[0.0, 0.0], [1.0, -1.0], [-1.0, -2.0]] {
        let refused = Series::new(&wrong);
        assert!(
            matches!(refused, Err(Error::OutOfRange { .. })),
            "{wrong:?}"
        );
    }
    let refused = Series::new(&[1.0, f64::INFINITY]);
    assert!(matches!(refused, Err(Error::NotFinite { .. })));
}

proptest! {
    /// The definition, term by term, of values in any unit.
    #[test]
    fn is_half_the_mean_square_of_neighbouring_means(
        values in prop::collection::vec(0.1_f64..10.0, 2..60),
        scale in 1_usize..30,
        unit in 1e-9_f64..1e9,
    ) {
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let squares: Vec<f64> = values
            .windows(2 * scale)
            .map(|pair| ((mean(&pair[scale..]) - mean(&pair[..scale])) / mean(&values)).powi(2))
            .collect();
        let expected = (!squares.is_empty()).then(|| (0.5 * mean(&squares)).sqrt());
        let scaled: Vec<f64> = values.iter().map(|value| value * unit).collect();
        let found = Series::new(&scaled).unwrap().deviation(scale);
        prop_assert_eq!(found.is_some(), expected.is_some());
        if let (Some(found), Some(expected)) = (found, expected) {
            prop_assert!((found - expected).abs() < 1e-9, "{} {}", found, expected);
        }
    }
}
