//! The shift function: against Harrell and Davis' estimates, brute force, and the laws it obeys.

use super::support::{close, harrell_davis, redis_like};
use crate::location::Scale;
use crate::multiplicity::holm;
use crate::shift_function::{Decile, shift_function};
use crate::{Error, Resampling};

const DRAWS: Resampling = Resampling {
    draws: 2000,
    seed: 1,
};

fn compared(a: &[f64], b: &[f64], scale: Scale) -> Vec<Decile> {
    shift_function(a, b, scale, [None; 2], 0.95, DRAWS).expect("two samples")
}

#[test]
fn deciles_are_harrell_and_davis_estimates() {
    let (a, b) = redis_like();
    let found = compared(&a, &b, Scale::Ratio);
    assert_eq!(found.len(), 9);
    for (number, decile) in (1..).zip(&found) {
        close(decile.quantile, f64::from(number) / 10.0, 1e-12);
        close(decile.a, harrell_davis(&a, decile.quantile), 1e-12);
        close(decile.b, harrell_davis(&b, decile.quantile), 1e-12);
        close(decile.difference, decile.b / decile.a - 1.0, 1e-12);
        assert!(decile.low <= decile.difference && decile.difference <= decile.high);
    }
    let p_values: Vec<f64> = found.iter().map(|decile| decile.p).collect();
    let adjusted: Vec<f64> = found.iter().map(|decile| decile.p_adjusted).collect();
    assert_eq!(holm(&p_values), Ok(adjusted));
    // The main modes differ, the slow runs do not.
    assert!(found[4].p_adjusted < 0.05 && found[8].p_adjusted < 0.05);
    assert!(found[0].p_adjusted > 0.05);
}

#[test]
fn the_interval_is_that_of_all_draws() {
    // Of values 0 and 1, drawn again twenty times each, every decile depends on the number of ones
    // alone: the distribution of the difference is that of two binomial numbers.
    let sample = |ones: usize| [vec![0.0; 20 - ones], vec![1.0; ones]].concat();
    let (a, b) = (sample(10), sample(15));
    let resampling = Resampling {
        draws: 40_000,
        seed: 3,
    };
    let found = shift_function(&a, &b, Scale::Shift, [None; 2], 0.95, resampling).unwrap();
    let chance = |ones: usize, share: f64| -> f64 {
        let ways: f64 = (0..ones)
            .map(|i| (20 - i) as f64 / (i + 1) as f64)
            .product();
        ways * share.powi(ones as i32) * (1.0 - share).powi(20 - ones as i32)
    };
    let median = |ones: usize| harrell_davis(&sample(ones), 0.5);
    let (mut below, mut equal) = (0.0, 0.0);
    for x in 0..=20 {
        for y in 0..=20 {
            let both = chance(x, 0.5) * chance(y, 0.75);
            match median(y) - median(x) {
                d if d.abs() < 1e-12 => equal += both,
                d if d < 0.0 => below += both,
                _ => {}
            }
        }
    }
    let expected: f64 = 2.0 * (below + 0.5 * equal);
    assert!(
        (found[4].p - expected).abs() < 0.005,
        "{} {expected}",
        found[4].p
    );
}

#[test]
fn sides_can_be_exchanged_and_values_moved() {
    let (a, b) = redis_like();
    let there = compared(&a, &b, Scale::Shift);
    let moved: Vec<f64> = b.iter().map(|value| value + 1000.0).collect();
    for (before, after) in there.iter().zip(compared(&a, &moved, Scale::Shift)) {
        close(after.difference, before.difference + 1000.0, 1e-9);
        close(after.low, before.low + 1000.0, 1e-9);
        close(after.high, before.high + 1000.0, 1e-9);
    }
    assert!(
        compared(&a, &a, Scale::Ratio)
            .iter()
            .all(|d| d.p_adjusted == 1.0)
    );
    assert_eq!(there, compared(&a, &b, Scale::Shift));
}

#[test]
fn what_cannot_be_compared() {
    let (a, b) = redis_like();
    let refused = |a: &[f64], b: &[f64], confidence, resampling| {
        shift_function(a, b, Scale::Ratio, [None; 2], confidence, resampling).is_err()
    };
    assert!(refused(&a[..19], &b, 0.95, DRAWS) && refused(&a, &b[..19], 0.95, DRAWS));
    assert!(refused(&a, &b, 1.0, DRAWS));
    assert!(refused(&a, &b, 0.95, Resampling { draws: 0, seed: 1 }));
    let error = shift_function(&[-1.0; 20], &b, Scale::Ratio, [None; 2], 0.95, DRAWS).unwrap_err();
    assert!(matches!(error, Error::NotPositive { .. }));
}
