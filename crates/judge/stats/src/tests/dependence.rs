//! Neighbours that are alike: against SciPy.

use super::support::{close, number, numbers, vectors};
use crate::Error;
use crate::dependence::von_neumann_ratio;
use proptest::prelude::*;

#[test]
fn agrees_with_scipy() {
    for v in vectors("serial") {
        let found = von_neumann_ratio(&numbers(&v["y"])).unwrap();
        close(found, number(&v["ratio"]), 1e-9);
    }
}

#[test]
fn equal_values_have_no_ratio() {
    assert_eq!(von_neumann_ratio(&[0.1; 5]), Err(Error::NoVariation));
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
