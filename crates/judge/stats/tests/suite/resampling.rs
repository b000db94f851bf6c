//! Permutations, the bootstrap and the dip: against SciPy, published numbers and each other.

use crate::support::{CHAMELEON, IGUANA, close, number, numbers, printed, redis_like, vectors};
use perflab_stats::bootstrap::bootstrap;
use perflab_stats::dip::{dip, dip_test};
use perflab_stats::permutation::{permutation_of_means, permutation_of_medians};
use perflab_stats::summary::{mean, median};
use perflab_stats::{Error, Resampling};
use proptest::prelude::*;
use serde_json::Value;

const UNUSED: Resampling = Resampling { draws: 1, seed: 0 };

type Statistic = fn(&[f64]) -> Result<f64, Error>;

fn statistic(v: &Value) -> Statistic {
    match v["statistic"].as_str() {
        Some("mean") => mean,
        Some("median") => median,
        other => panic!("{other:?}"),
    }
}

#[test]
fn permutations_of_iguana_and_chameleon() {
    let means = permutation_of_means(&IGUANA, &CHAMELEON, UNUSED).unwrap();
    assert_eq!((means.extreme, means.tried, means.exact), (144, 792, true));
    printed(means.p, 0.181_818, 5e-7);
    let medians = permutation_of_medians(&IGUANA, &CHAMELEON, UNUSED).unwrap();
    assert_eq!(
        (medians.extreme, medians.tried, medians.exact),
        (136, 792, true)
    );
    printed(medians.p, 0.171_717, 5e-7);
}

#[test]
fn permutations_agree_with_scipy() {
    for v in vectors("permutation") {
        let (a, b) = (numbers(&v["a"]), numbers(&v["b"]));
        let found = match v["statistic"].as_str() {
            Some("mean") => permutation_of_means(&a, &b, UNUSED),
            _ => permutation_of_medians(&a, &b, UNUSED),
        }
        .unwrap();
        assert_eq!(found.tried as u64, v["tried"].as_u64().unwrap());
        close(found.p, number(&v["p"]), 1e-12);
    }
}

#[test]
fn random_permutations_come_close_and_never_reach_zero() {
    let (a, b) = redis_like();
    let resampling = Resampling {
        draws: 4000,
        seed: 3,
    };
    let found = permutation_of_means(&a, &b, resampling).unwrap();
    assert_eq!((found.tried, found.exact), (4001, false));
    assert_eq!(found, permutation_of_means(&a, &b, resampling).unwrap());
    // Student's p, which this test approaches.
    assert!((found.p - 0.701).abs() < 0.03, "{}", found.p);
    let far: Vec<f64> = a.iter().map(|v| v + 1e6).collect();
    let nine = Resampling { draws: 9, seed: 1 };
    assert_eq!(permutation_of_means(&a, &far, nine).unwrap().p, 0.1);
    assert_eq!(permutation_of_medians(&a, &far, nine).unwrap().p, 0.1);
}

#[test]
fn permutations_at_the_edges() {
    assert!(permutation_of_means(&[], &[1.0], UNUSED).is_err());
    assert!(permutation_of_medians(&[1.0], &[f64::NAN], UNUSED).is_err());
    for draws in [0, usize::MAX] {
        let resampling = Resampling { draws, seed: 0 };
        assert!(permutation_of_means(&[1.0], &[2.0], resampling).is_err());
        assert!(bootstrap(&[1.0, 2.0], mean, 0.95, resampling).is_err());
        assert!(dip_test(&[1.0, 2.0], resampling).is_err());
    }
    assert_eq!(
        permutation_of_means(&[0.1; 3], &[0.1; 4], UNUSED)
            .unwrap()
            .p,
        1.0
    );
    assert_eq!(
        permutation_of_medians(&[0.1], &[0.2], UNUSED).unwrap().p,
        1.0
    );
}

#[test]
fn all_resamples_of_six_values() {
    let x = [10.0, 11.0, 12.0, 14.0, 15.0, 21.0];
    let found = bootstrap(&x, mean, 0.95, UNUSED).unwrap();
    assert_eq!((found.resamples, found.exact), (46_656, true));
    printed(found.percentile.0, 11.333_333, 5e-7);
    printed(found.percentile.1, 17.0, 1e-12);
    let bca = found.bca.unwrap();
    printed(bca.bias, 0.071_947_067_1, 5e-11);
    printed(bca.acceleration, 0.067_730_045_9, 5e-11);
    printed(bca.levels.0, 0.054_576_5, 5e-8);
    printed(bca.levels.1, 0.992_411_3, 5e-8);
    printed(bca.low, 11.666_667, 5e-7);
    printed(bca.high, 17.833_333, 5e-7);
    let of_median = bootstrap(&x, median, 0.95, UNUSED).unwrap();
    assert_eq!(of_median.bca.unwrap().acceleration, 0.0);
}

#[test]
fn intervals_by_all_resamples_agree_with_scipy() {
    for v in vectors("bootstrap") {
        let x = numbers(&v["x"]);
        let found = bootstrap(&x, statistic(&v), number(&v["confidence"]), UNUSED).unwrap();
        let (percentile, bca) = (numbers(&v["percentile"]), numbers(&v["bca"]));
        close(found.percentile.0, percentile[0], 1e-9);
        close(found.percentile.1, percentile[1], 1e-9);
        close(found.bca.unwrap().low, bca[0], 1e-9);
        close(found.bca.unwrap().high, bca[1], 1e-9);
    }
}

#[test]
fn random_resamples_come_close_to_the_normal_interval() {
    let x: Vec<f64> = (0..50).map(|i| f64::from(i * i % 53)).collect();
    let resampling = Resampling {
        draws: 4000,
        seed: 11,
    };
    let found = bootstrap(&x, mean, 0.9, resampling).unwrap();
    assert_eq!((found.resamples, found.exact), (4000, false));
    assert_eq!(found, bootstrap(&x, mean, 0.9, resampling).unwrap());
    let centre = mean(&x).unwrap();
    let spread = x.iter().map(|v| (v - centre).powi(2)).sum::<f64>().sqrt() / 50.0;
    let bca = found.bca.unwrap();
    for (low, high) in [found.percentile, (bca.low, bca.high)] {
        assert!(
            (low - centre + 1.645 * spread).abs() < 0.15 * spread,
            "{low}"
        );
        assert!(
            (high - centre - 1.645 * spread).abs() < 0.15 * spread,
            "{high}"
        );
    }
}

#[test]
fn the_bootstrap_refuses_what_it_cannot_answer() {
    assert_eq!(
        bootstrap(&[0.1; 12], mean, 0.95, UNUSED),
        Err(Error::NoVariation)
    );
    assert!(bootstrap(&[1.0], mean, 0.95, UNUSED).is_err());
    assert!(bootstrap(&[1.0, 2.0], mean, 1.0, UNUSED).is_err());
    assert!(bootstrap(&[1.0, 2.0], |_| Ok(f64::NAN), 0.95, UNUSED).is_err());
    // No random resample of so many values has all of them: the estimate lies above them all.
    let x: Vec<f64> = (0..200).map(f64::from).collect();
    let different = |values: &[f64]| Ok(values.chunk_by(|x, y| x == y).count() as f64);
    let resampling = Resampling {
        draws: 100,
        seed: 0,
    };
    let found = bootstrap(&x, different, 0.95, resampling).unwrap();
    assert_eq!((found.estimate, found.bca), (200.0, None));
}

#[test]
fn the_dip_is_the_distance_to_the_nearest_single_mode() {
    for v in vectors("dip") {
        let found = dip(&numbers(&v["x"])).unwrap();
        // The oracle is a linear programme, solved to a tolerance.
        close(found, number(&v["dip"]), 1e-9);
    }
}

#[test]
fn the_dip_does_not_see_a_minority_of_slow_runs() {
    let (a, b) = redis_like();
    let resampling = Resampling {
        draws: 4000,
        seed: 1,
    };
    let found = dip_test(&a, resampling).unwrap();
    printed(found.dip, 0.062_946_4, 5e-8);
    // Four standard errors of a simulation of this size, and of one like it.
    printed(found.p, 0.457, 0.045);
    let found = dip_test(&b, resampling).unwrap();
    printed(found.dip, 0.071_417_0, 5e-8);
    printed(found.p, 0.250, 0.04);
}

#[test]
fn the_dip_sees_two_halves() {
    let halves: Vec<f64> = (0..30).map(|i| f64::from(i + 100 * (i / 15))).collect();
    let resampling = Resampling {
        draws: 999,
        seed: 1,
    };
    let found = dip_test(&halves, resampling).unwrap();
    assert_eq!(found.p, 0.001);
    assert!(found.dip > 0.15 && found.dip <= 0.25);
}

#[test]
fn dips_at_the_edges() {
    assert_eq!(dip(&[5.0]), Ok(0.5));
    assert_eq!(dip(&[5.0; 4]), Ok(0.5));
    assert_eq!(dip(&[1.0, 1e75]), Ok(0.25));
    assert_eq!(dip(&[1.0, 2.0, 3.0, 4.0]), Ok(0.125));
    assert!(dip(&[]).is_err() && dip(&[f64::INFINITY]).is_err());
}

proptest! {
    #[test]
    fn dips_keep_their_bounds_and_turn_with_the_values(
        values in prop::collection::vec(prop_oneof![-50.0..50.0_f64, (0..6_i32).prop_map(f64::from)], 1..60),
    ) {
        let found = dip(&values).unwrap();
        let half_step = 0.5 / values.len() as f64;
        prop_assert!(found >= half_step && found <= 0.5);
        let turned: Vec<f64> = values.iter().map(|v| 7.0 - 3.0 * v).collect();
        prop_assert!((dip(&turned).unwrap() - found).abs() < 1e-9);
    }

    #[test]
    fn permutations_do_not_mind_the_sides_or_the_level(
        a in prop::collection::vec(-9..9_i32, 1..6),
        b in prop::collection::vec(-9..9_i32, 1..6),
        level in -1000..1000_i32,
    ) {
        let shifted = |side: &[i32]| side.iter().map(|v| f64::from(v + level)).collect::<Vec<_>>();
        let plain = |side: &[i32]| side.iter().map(|&v| f64::from(v)).collect::<Vec<_>>();
        for test in [permutation_of_means, permutation_of_medians] {
            let found = test(&plain(&a), &plain(&b), UNUSED).unwrap();
            prop_assert_eq!(found, test(&plain(&b), &plain(&a), UNUSED).unwrap());
            prop_assert_eq!(found, test(&shifted(&a), &shifted(&b), UNUSED).unwrap());
        }
    }

    #[test]
    fn a_bootstrap_moves_with_the_values(
        values in prop::collection::vec(0..40_i32, 2..8),
        factor in 1..9_i32,
    ) {
        prop_assume!(values.iter().any(|v| *v != values[0]));
        let plain: Vec<f64> = values.iter().map(|&v| f64::from(v)).collect();
        let scaled: Vec<f64> = plain.iter().map(|v| 1000.0 - f64::from(factor) * v).collect();
        let found = bootstrap(&plain, mean, 0.9, UNUSED).unwrap();
        let turned = bootstrap(&scaled, mean, 0.9, UNUSED).unwrap();
        let turn = |v: f64| 1000.0 - f64::from(factor) * v;
        prop_assert!((turned.percentile.0 - turn(found.percentile.1)).abs() < 1e-9);
        prop_assert!(found.percentile.0 <= found.estimate && found.estimate <= found.percentile.1);
        let (there, back) = (found.bca.unwrap(), turned.bca.unwrap());
        prop_assert!((there.bias + back.bias).abs() < 1e-9);
        prop_assert!((there.acceleration + back.acceleration).abs() < 1e-9);
    }
}
