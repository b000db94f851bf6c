//! Values in their order: against published numbers and SciPy.

use crate::support::{close, number, numbers, printed, vectors};
use perflab_stats::Error;
use perflab_stats::serial::{autocorrelation, ljung_box, runs_test, von_neumann_ratio};
use proptest::prelude::*;

const RISING: [f64; 12] = [
    10.1, 10.3, 10.2, 10.6, 10.5, 10.9, 10.7, 11.0, 10.8, 11.2, 11.1, 11.0,
];

#[test]
fn a_noisy_rise() {
    let r = autocorrelation(&RISING, 3).unwrap();
    for (found, expected) in r
        .into_iter()
        .zip([0.595_890_41, 0.561_643_84, 0.102_739_73])
    {
        printed(found, expected, 5e-9);
    }
    let found = ljung_box(&RISING, 3).unwrap();
    printed(found.q, 10.919_613_1, 5e-8);
    printed(found.p, 0.012_168_60, 5e-9);
    printed(von_neumann_ratio(&RISING).unwrap(), 0.5, 1e-12);
    let found = runs_test(&RISING).unwrap();
    assert_eq!(found.runs, 4);
    printed(found.z, -1.816_59, 5e-6);
    printed(found.p, 0.069_28, 5e-6);
}

#[test]
fn agrees_with_scipy() {
    for v in vectors("serial") {
        let y = numbers(&v["y"]);
        let expected = numbers(&v["r"]);
        let found = autocorrelation(&y, expected.len()).unwrap();
        for (found, expected) in found.into_iter().zip(&expected) {
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
        let found = ljung_box(&y, expected.len()).unwrap();
        close(found.q, number(&v["q"]), 1e-9);
        close(found.p, number(&v["q_p"]), 1e-9);
        close(von_neumann_ratio(&y).unwrap(), number(&v["ratio"]), 1e-9);
    }
}

#[test]
fn the_runs_test_has_the_mean_and_the_variance_of_all_orders() {
    // Three values above the median and four below it, and the median itself in the way.
    let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for mask in (0_u32..1 << 6).filter(|mask| mask.count_ones() == 3) {
        let mut values: Vec<f64> = (0..6).map(|i| f64::from(mask >> i & 1) * 2.0).collect();
        values.insert(4, 1.0);
        let z = runs_test(&values).unwrap().z;
        count += 1.0;
        sum += z;
        squares += z * z;
    }
    assert_eq!(count, 20.0);
    assert!((sum / count).abs() < 1e-12 && (squares / count - 1.0).abs() < 1e-12);
}

#[test]
fn too_few_or_equal_values() {
    assert!(autocorrelation(&RISING, 0).is_err() && autocorrelation(&RISING, 12).is_err());
    assert!(autocorrelation(&RISING, usize::MAX).is_err());
    assert!(autocorrelation(&RISING, 11).is_ok());
    assert!(ljung_box(&[1.0, f64::NAN], 1).is_err());
    assert_eq!(von_neumann_ratio(&[0.1; 5]), Err(Error::NoVariation));
    assert_eq!(ljung_box(&[0.1; 5], 2), Err(Error::NoVariation));
    assert!(runs_test(&[1.0, 1.0, 1.0, 1.0, 2.0]).is_err());
    assert!(runs_test(&[1.0, 2.0, 3.0]).is_err());
    // Nothing at lag 1: the test says nothing.
    let found = ljung_box(&[1.0, 0.0, -1.0, 0.0], 1).unwrap();
    assert_eq!((found.q, found.p), (0.0, 1.0));
}

proptest! {
    #[test]
    fn neighbours_are_as_alike_backwards(values in prop::collection::vec(0..12_i32, 3..40)) {
        prop_assume!(values.iter().any(|v| *v != values[0]));
        let there: Vec<f64> = values.iter().map(|&v| f64::from(v)).collect();
        let back: Vec<f64> = there.iter().rev().copied().collect();
        let [ratio, back] = [&there, &back].map(|v| von_neumann_ratio(v).unwrap());
        prop_assert!((ratio - back).abs() < 1e-12);
    }
}
