//! Samples and other numbers at and beyond the edge of what can be answered.

use super::support::{harrell_davis, location_test, welch};
use crate::blocked_mean::{blocked_additive, blocked_welch};
use crate::boschloo::{LARGEST_UNCONDITIONAL, boschloo};
use crate::bounds::Bounds;
use crate::detectable::{runs_needed, t_test_power};
use crate::location::{Scale, Side, hodges_lehmann, min_blocks};
use crate::mean::student;
use crate::modes::{Mode, SplitSource, common_split, slow_mode};
use crate::multiplicity::holm;
use crate::proportion::{Proportion, fisher_exact};
use crate::quantile::quantile;
use crate::{Better, Error, Stratum};

#[test]
fn nothing_to_compare() {
    let empty = [Stratum::default(), Stratum::new([1.0], [])];
    for scale in [Scale::Ratio, Scale::Shift] {
        assert_eq!(
            hodges_lehmann(&empty, scale, 0.95),
            Err(Error::NoPairs { blocks: 2 })
        );
    }
    assert_eq!(
        blocked_welch(&empty, 0.95),
        Err(Error::NoPairs { blocks: 2 })
    );
    assert!(welch(&[1.0], &[1.0, 2.0], 0.95).is_err());
    assert!(student(&[1.0], &[1.0], 0.95).is_err());
    assert!(student(&[1.0], &[1.0, 2.0], 0.95).is_ok());
    assert!(min_blocks(0, 0.95).is_err());
    assert!(quantile(&[], 0.5).is_err());
}

#[test]
fn settings_out_of_range() {
    let strata = [Stratum::new([1.0, 2.0], [3.0, 4.0])];
    for confidence in [0.0, 1.0, 95.0, -0.1, f64::NAN] {
        assert!(hodges_lehmann(&strata, Scale::Ratio, confidence).is_err());
        assert!(welch(&[1.0, 2.0], &[3.0, 4.0], confidence).is_err());
        assert!(min_blocks(3, confidence).is_err());
    }
    for effect in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(location_test(&strata, Scale::Ratio, effect, Side::Less).is_err());
    }
    assert!(Bounds::new(Scale::Ratio, -0.5, 2.0).is_err());
    assert!(holm(&[0.5, 1.5]).is_err());
    assert_eq!(holm(&[]), Ok(vec![]));
    assert!(quantile(&[1.0], 1.1).is_err());
    assert!(runs_needed(0.0, 0.95, 0.8).is_err() && runs_needed(1e-9, 0.95, 0.8).is_err());
    assert!(t_test_power(1, 1, 1.0, 0.95).is_err());
    assert!(Proportion::new(2, 1).is_err() && Proportion::new(0, 0).is_err());
}

#[test]
fn ratios_of_values_that_have_none() {
    let strata = [Stratum::new([1.0, 0.0], [3.0, 4.0])];
    let error = hodges_lehmann(&strata, Scale::Ratio, 0.95).unwrap_err();
    assert_eq!(
        error.to_string(),
        "block 1, baseline, value 2: expected a number between 1e-75 and 1e75, since ratios are \
         compared, found 0; compare differences instead"
    );
    assert!(hodges_lehmann(&strata, Scale::Shift, 0.95).is_ok());
}

#[test]
fn values_at_the_ends_of_the_range() {
    let strata = [
        Stratum::new([1e-75; 4], [1e75; 4]),
        Stratum::new([1e75; 4], [1e-75; 4]),
    ];
    let found = hodges_lehmann(&strata, Scale::Ratio, 0.95).unwrap();
    assert!(found.effect.is_finite() && found.low > 0.0 && found.high.is_finite());
    let found = blocked_welch(&[Stratum::new([1e75, -1e75], [1e75, 0.0])], 0.95).unwrap();
    assert!(found.difference.p.is_finite() && found.difference.df.is_finite());
    assert!(found.ratio.is_none());
}

#[test]
fn a_design_too_small_for_an_interval_says_so() {
    let strata = [Stratum::new([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])];
    let found = hodges_lehmann(&strata, Scale::Ratio, 0.95).unwrap();
    assert_eq!((found.k, found.low, found.high), (None, 0.0, f64::INFINITY));
    assert_eq!((found.p, found.exact), (0.1, true));
    let found = hodges_lehmann(&strata, Scale::Shift, 0.95).unwrap();
    assert_eq!((found.low, found.high), (f64::NEG_INFINITY, f64::INFINITY));
}

#[test]
fn equal_values_everywhere() {
    let strata = vec![Stratum::new([5.0; 3], [5.0; 3]); 10];
    let found = hodges_lehmann(&strata, Scale::Ratio, 0.95).unwrap();
    assert_eq!(
        (found.effect, found.low, found.high, found.p),
        (1.0, 1.0, 1.0, 1.0)
    );
    assert_eq!(blocked_welch(&strata, 0.95), Err(Error::NoVariation));
    let large = [Stratum::new([5.0; 500], [5.0; 500])];
    let found = hodges_lehmann(&large, Scale::Ratio, 0.95).unwrap();
    assert_eq!((found.effect, found.p, found.exact), (1.0, 1.0, false));
}

#[test]
fn rounding_is_no_variation() {
    // Differences of 0.2 up to their last bits would otherwise prove anything.
    let strata: Vec<Stratum> = (0..10)
        .map(|i| f64::from(i) * 0.1)
        .map(|v| Stratum::new([v], [v + 0.2]))
        .collect();
    assert_eq!(blocked_additive(&strata, 0.95), Err(Error::NoVariation));
    assert_eq!(welch(&[0.1; 3], &[0.3; 3], 0.95), Err(Error::NoVariation));
    assert!(welch(&[0.1; 3], &[0.3, 0.4, 0.3], 0.95).is_ok());
}

#[test]
fn too_few_runs_within_blocks_for_a_deviation() {
    let pairs = [Stratum::new([1.0], [2.0]), Stratum::new([1.5, 1.6], [2.0])];
    assert_eq!(
        blocked_welch(&pairs, 0.95),
        Err(Error::NoReplicates {
            side: "candidate",
            blocks: 2
        })
    );
    assert!(blocked_additive(&pairs, 0.95).is_ok());
    assert!(matches!(
        blocked_additive(&pairs[..1], 0.95),
        Err(Error::TooFew {
            needed: 3,
            found: 2,
            ..
        })
    ));
}

#[test]
fn many_trials_fall_back_to_fisher() {
    let half = LARGEST_UNCONDITIONAL / 2;
    let share = |k, n| Proportion::new(k, n).unwrap();
    assert!(boschloo(share(10, half), share(25, half)).unconditional);
    let (a, b) = (share(10, half), share(25, half + 1));
    let found = boschloo(a, b);
    assert!(!found.unconditional);
    assert_eq!(found.p, fisher_exact(a, b));
}

#[test]
fn a_coarse_clock_makes_no_modes() {
    let ticks = |counts: &[(f64, usize)]| -> Vec<f64> {
        let values = counts.iter();
        values
            .flat_map(|&(v, n)| std::iter::repeat_n(v, n))
            .collect()
    };
    let find = |counts: &[(f64, usize)]| slow_mode(&ticks(counts), Better::Lower).unwrap();
    assert_eq!(find(&[(10.0, 20), (11.0, 6), (12.0, 4)]), None);
    assert_eq!(find(&[(10.0, 20), (11.0, 10)]), None);
    assert_eq!(find(&[(10.0, 30)]), None);
    // Far beyond the resolution, though, it is one.
    let found = find(&[(10.0, 20), (11.0, 5), (30.0, 5)]).unwrap();
    assert_eq!(
        (found.slow, found.fast, found.gap, found.split),
        (5, 25, 19.0, 20.5)
    );
}

#[test]
fn one_outlier_is_no_mode() {
    let mut values: Vec<f64> = (0..30).map(|i| 100.0 + f64::from(i)).collect();
    values[3] = 1000.0;
    assert_eq!(slow_mode(&values, Better::Lower).unwrap(), None);
    values[7] = 1001.0;
    let found = slow_mode(&values, Better::Lower).unwrap().unwrap();
    assert_eq!((found.slow, found.fast), (2, 28));
    // Of a hundred runs it takes five.
    let mut values: Vec<f64> = (0..100).map(|i| 100.0 + f64::from(i % 10)).collect();
    values[..4].fill(1000.0);
    assert_eq!(slow_mode(&values, Better::Lower).unwrap(), None);
    values[4] = 1000.0;
    assert!(slow_mode(&values, Better::Lower).unwrap().is_some());
    for few in 1..4 {
        assert_eq!(slow_mode(&values[..few], Better::Lower).unwrap(), None);
    }
}

#[test]
fn the_worse_side_is_the_slow_one() {
    let values = [10.0, 10.1, 10.2, 10.3, 10.4, 10.5, 10.6, 20.0, 20.1];
    let time = slow_mode(&values, Better::Lower).unwrap().unwrap();
    assert_eq!((time.slow, time.fast, time.main()), (2, 7, Mode::Fast));
    assert_eq!(
        (time.mode_of(10.0), time.mode_of(20.0)),
        (Mode::Fast, Mode::Slow)
    );
    let rate = slow_mode(&values, Better::Higher).unwrap().unwrap();
    assert_eq!((rate.slow, rate.fast, rate.main()), (7, 2, Mode::Slow));
}

#[test]
fn a_split_carries_over_to_the_sample_without_a_gap() {
    // The baseline's main mode is around 10, its split at 15.3, half as much again.
    let a = [10.0, 10.1, 10.2, 10.3, 10.4, 10.5, 10.6, 20.0, 20.1];
    // One slow run is no mode of its own.
    let b = [20.0, 20.1, 20.2, 20.3, 20.4, 20.5, 20.6, 20.7, 41.0];
    let found = common_split(&a, &b, Better::Lower).unwrap().unwrap();
    assert_eq!((found.a.slow, found.b.slow), (2, 1));
    assert_eq!(found.source, SplitSource::Baseline);
    assert!((found.b.split - 20.4 / 10.3 * 15.3).abs() < 1e-9);
    let back = common_split(&b, &a, Better::Lower).unwrap().unwrap();
    assert_eq!((back.a, back.b), (found.b, found.a));
    assert_eq!(back.source, SplitSource::Candidate);
    assert_eq!(common_split(&b, &b, Better::Lower).unwrap(), None);
    // Where a relative distance means nothing, the absolute one is taken.
    let around_zero: Vec<f64> = b.iter().map(|v| v - 20.4).collect();
    let found = common_split(&a, &around_zero, Better::Lower)
        .unwrap()
        .unwrap();
    assert!((found.b.split - 5.0).abs() < 1e-9);
}

#[test]
fn quantiles_from_all_values_at_the_edges() {
    assert_eq!(harrell_davis(&[7.0], 0.3), 7.0);
    assert_eq!(harrell_davis(&[0.1; 9], 0.99), 0.1);
    // The median of mirrored values is their middle, however large they are.
    let mirrored = [1e9 - 3.0, 1e9 - 1.0, 1e9 + 1.0, 1e9 + 3.0];
    assert!((harrell_davis(&mirrored, 0.5) - 1e9).abs() < 1e-6);
}
