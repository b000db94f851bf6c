//! Claims of difference and of sameness in one family.

use crate::multiplicity::{Claim, holm_claims, holm_weighted};
use proptest::prelude::*;

fn claims() -> impl Strategy<Value = Vec<Claim>> {
    let p = || {
        prop_oneof![
            0.0..1.0_f64,
            0.0..0.05_f64,
            prop::sample::select(vec![0.0, 0.01, 1.0])
        ]
    };
    let weight = prop::sample::select(vec![1.0, 4.0, 0.5]);
    let claim = (p(), prop::option::of(p()), weight).prop_map(|(difference, same, weight)| Claim {
        difference,
        same,
        weight,
    });
    prop::collection::vec(claim, 1..5)
}

/// The largest p-value of a weighted Bonferroni test over all sets that hold this hypothesis and at most one of every
/// other claim.
fn closed(claims: &[Claim], own: usize, p: f64) -> f64 {
    let mut sets = vec![vec![(p, claims[own].weight)]];
    for (_, other) in claims.iter().enumerate().filter(|(index, _)| *index != own) {
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
    fn the_short_cut_is_the_closed_test(claims in claims()) {
        for (index, adjusted) in holm_claims(&claims).unwrap().into_iter().enumerate() {
            let claim = claims[index];
            let pairs = [(Some(claim.difference), Some(adjusted.difference)), (claim.same, adjusted.same)];
            for (p, adjusted) in pairs {
                let expected = p.map(|p| closed(&claims, index, p));
                prop_assert_eq!(adjusted.is_some(), expected.is_some());
                let error = adjusted.unwrap_or(0.0) - expected.unwrap_or(0.0);
                prop_assert!(error.abs() < 1e-12, "{adjusted:?} {expected:?}");
            }
        }
    }

    #[test]
    fn without_a_margin_it_is_holm_s(claims in claims()) {
        let claims: Vec<Claim> = claims.into_iter().map(|claim| Claim { same: None, ..claim }).collect();
        let plain: Vec<(f64, f64)> = claims.iter().map(|claim| (claim.difference, claim.weight)).collect();
        let expected = holm_weighted(&plain).unwrap();
        for (adjusted, expected) in holm_claims(&claims).unwrap().iter().zip(expected) {
            prop_assert!((adjusted.difference - expected).abs() < 1e-12);
        }
    }
}

#[test]
fn what_is_no_p_value_or_no_weight_is_refused() {
    let claim = |difference, same, weight| {
        [Claim {
            difference,
            same,
            weight,
        }]
    };
    assert!(holm_claims(&claim(1.5, None, 1.0)).is_err());
    assert!(holm_claims(&claim(0.5, Some(f64::NAN), 1.0)).is_err());
    assert!(holm_claims(&claim(0.5, None, 0.0)).is_err());
    assert_eq!(holm_claims(&[]), Ok(vec![]));
}
