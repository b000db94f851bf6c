//! Verdicts of difference and of sameness in one family.

use crate::multiplicity::{Test, holm_tests, holm_weighted};
use proptest::prelude::*;

fn tests() -> impl Strategy<Value = Vec<Test>> {
    let p = || {
        prop_oneof![
            0.0..1.0_f64,
            0.0..0.05_f64,
            prop::sample::select(vec![0.0, 0.01, 1.0])
        ]
    };
    let weight = prop::sample::select(vec![1.0, 4.0, 0.5]);
    let test = (p(), prop::option::of(p()), weight).prop_map(|(difference, same, weight)| Test {
        difference,
        same,
        weight,
    });
    prop::collection::vec(test, 1..5)
}

/// The largest p-value of a weighted Bonferroni test over all sets that hold this hypothesis and at most one of every
/// other test.
fn closed(tests: &[Test], own: usize, p: f64) -> f64 {
    let mut sets = vec![vec![(p, tests[own].weight)]];
    for (_, other) in tests.iter().enumerate().filter(|(index, _)| *index != own) {
        let with = [Some(other.difference), other.same].into_iter().flatten();
        let longer: Vec<_> = with
            .flat_map(|p| {
                sets.iter()
                    .map(move |set| [set.as_slice(), &[(p, other.weight)]].concat())
            })
            .collect();
        sets.extend(longer);
    }
    let bonferroni = |set: &Vec<(f64, f64)>| {
        let weights: f64 = set.iter().map(|(_, weight)| weight).sum();
        set.iter()
            .map(|(p, weight)| p * weights / weight)
            .fold(1.0, f64::min)
    };
    sets.iter().map(bonferroni).fold(0.0, f64::max)
}

proptest! {
    #[test]
    fn the_short_cut_is_the_closed_test(tests in tests()) {
        for (index, adjusted) in holm_tests(&tests).unwrap().into_iter().enumerate() {
            let test = tests[index];
            let pairs = [(Some(test.difference), Some(adjusted.difference)), (test.same, adjusted.same)];
            for (p, adjusted) in pairs {
                let expected = p.map(|p| closed(&tests, index, p));
                prop_assert_eq!(adjusted.is_some(), expected.is_some());
                let error = adjusted.unwrap_or(0.0) - expected.unwrap_or(0.0);
                prop_assert!(error.abs() < 1e-12, "{adjusted:?} {expected:?}");
            }
        }
    }

    #[test]
    fn without_a_margin_it_is_holm_s(tests in tests()) {
        let tests: Vec<Test> = tests.into_iter().map(|test| Test { same: None, ..test }).collect();
        let plain: Vec<(f64, f64)> = tests.iter().map(|test| (test.difference, test.weight)).collect();
        let expected = holm_weighted(&plain).unwrap();
        for (adjusted, expected) in holm_tests(&tests).unwrap().iter().zip(expected) {
            prop_assert!((adjusted.difference - expected).abs() < 1e-12);
        }
    }
}

#[test]
fn what_is_no_p_value_or_no_weight_is_refused() {
    let test = |difference, same, weight| {
        [Test {
            difference,
            same,
            weight,
        }]
    };
    assert!(holm_tests(&test(1.5, None, 1.0)).is_err());
    assert!(holm_tests(&test(0.5, Some(f64::NAN), 1.0)).is_err());
    assert!(holm_tests(&test(0.5, None, 0.0)).is_err());
    assert_eq!(holm_tests(&[]), Ok(vec![]));
}
