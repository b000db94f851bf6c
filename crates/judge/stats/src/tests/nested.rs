//! Nested values: against published numbers, NumPy and SciPy, and the laws of variances.

use super::allan::white;
use super::support::{close, number, numbers, printed, vectors};
use crate::Error;
use crate::nested::nested;
use proptest::prelude::*;

#[test]
fn three_levels() {
    let values = [3.0, 4.0, 3.0, 1.2, 3.1, 3.0, 0.2, 1.0, 1.5, 1.0, 2.0, 3.0];
    let found = nested(&values, &[2, 2, 3]).unwrap();
    let expected = [
        (2, 1.027_222_2, 0.774_722_2),
        (2, 0.505, 0.262_777_8),
        (3, 0.726_666_7, 0.726_666_7),
    ];
    for (level, (repetitions, variance, own)) in found.levels.iter().zip(expected) {
        assert_eq!(level.repetitions, repetitions);
        printed(level.variance, variance, 5e-8);
        printed(level.own_variance, own, 5e-8);
    }
    let best = found.optimal_repetitions(&[100.0, 20.0, 3.0]).unwrap();
    printed(best[0].unwrap(), 1.302_29, 5e-6);
    printed(best[1].unwrap(), 4.293_66, 5e-6);
    // Rounded up, as libkalibera's tests have them.
    assert_eq!([0, 1].map(|i| best[i].unwrap().ceil()), [2.0, 5.0]);
}

/// The worked examples of Kalibera and Jones, ISMM 2013, to the digit that is printed, as they stand in
/// <https://github.com/softdevteam/libkalibera> at 46d972a, `python/tests/test_data.py`.
#[test]
fn the_worked_examples_of_the_paper() {
    let values = [
        9.0, 5.0, 8.0, 3.0, 10.0, 6.0, 7.0, 11.0, 1.0, 12.0, 2.0, 4.0,
    ];
    let examples: [(&[usize], &[f64], &[f64]); 2] = [
        (&[3, 2, 2], &[3.6, 2.6, 16.5], &[2.3, -5.7, 16.5]),
        (&[3, 4], &[3.6, 12.7], &[0.4, 12.7]),
    ];
    for (repetitions, variances, own) in examples {
        let found = nested(&values, repetitions).unwrap();
        close(found.mean, 6.5, 1e-15);
        for (level, (variance, own)) in found.levels.iter().zip(variances.iter().zip(own)) {
            printed(level.variance, *variance, 0.05 + 1e-9);
            printed(level.own_variance, *own, 0.05 + 1e-9);
        }
    }
    // The middle level varies less than what it holds, so that nothing is gained by repeating it.
    let three = nested(&values, &[3, 2, 2]).unwrap();
    let best = three.optimal_repetitions(&[100.0, 20.0, 3.0]).unwrap();
    assert_eq!(best, [Some(1.0), None]);
}

#[test]
fn runs_of_four_iterations() {
    let values = [
        102.1, 101.8, 102.4, 102.0, 99.7, 100.2, 99.9, 100.3, 101.1, 100.6, 101.0, 100.8, 98.9,
        99.3, 99.1, 98.8, 100.9, 101.3, 101.1, 100.7,
    ];
    let found = nested(&values, &[5, 4]).unwrap();
    let icc = found.intraclass_correlation().unwrap();
    printed(icc, 0.9551, 5e-5);
    printed(found.design_effect().unwrap(), 3.865, 5e-4);
    close(found.design_effect().unwrap(), 1.0 + 3.0 * icc, 1e-12);
    // As if the twenty values were runs.
    let pooled = nested(&values, &[20]).unwrap();
    assert_eq!(pooled.design_effect(), Ok(1.0));
}

#[test]
fn agrees_with_numpy_and_the_analysis_of_variance() {
    for v in vectors("nested") {
        let repetitions: Vec<usize> = numbers(&v["repetitions"])
            .iter()
            .map(|r| *r as usize)
            .collect();
        let found = nested(&numbers(&v["values"]), &repetitions).unwrap();
        close(found.mean, number(&v["mean"]), 1e-12);
        for (level, s) in found.levels.iter().zip(numbers(&v["s"])) {
            close(level.variance, s, 1e-9);
        }
        if let Some(f) = v["f"].as_f64() {
            let [runs, iterations] = [0, 1].map(|i| found.levels[i]);
            let ratio = iterations.repetitions as f64 * runs.variance / iterations.variance;
            close(ratio, f, 1e-9);
        }
        if repetitions.len() > 1 {
            let share = found.share_from_below(0.95).unwrap();
            let found = [share.share, share.low, share.high];
            for (found, expected) in found.iter().zip(numbers(&v["from_below"])) {
                close(*found, expected, 1e-9);
            }
        }
    }
}

#[test]
fn the_share_from_below_is_in_its_interval_as_often_as_promised() {
    const UNITS: usize = 20;
    const REPETITIONS: usize = 5;
    let normal = white(UNITS * (1 + REPETITIONS) * 2000, 1);
    for effect in [0.0, 0.3, 1.0] {
        let expected = 0.2 / (effect * effect + 0.2);
        let held = normal.chunks(UNITS * (1 + REPETITIONS)).filter(|values| {
            let units = values.chunks(1 + REPETITIONS);
            let values =
                units.flat_map(|unit| unit[1..].iter().map(move |own| effect * unit[0] + own));
            let found = nested(&values.collect::<Vec<_>>(), &[UNITS, REPETITIONS]).unwrap();
            let share = found.share_from_below(0.95).unwrap();
            share.low <= expected && expected <= share.high
        });
        let held = held.count();
        // Within 3 standard errors of 95 %; of 97.5 % without an effect, as no lower end is above 1, the true share.
        let promised = if effect == 0.0 { 1950 } else { 1900 };
        assert!(held.abs_diff(promised) < 30, "{effect}: {held}");
    }
}

#[test]
fn a_level_that_adds_nothing() {
    // Both runs have the same mean: what the iterations leave is more than all there is.
    let found = nested(&[1.0, 2.0, 3.0, 3.0, 2.0, 1.0], &[2, 3]).unwrap();
    assert!(found.levels[0].own_variance < 0.0);
    assert_eq!(found.intraclass_correlation(), Ok(0.0));
    assert_eq!(found.optimal_repetitions(&[10.0, 1.0]), Ok(vec![None]));
    // Iterations that do not vary need not be repeated.
    let found = nested(&[1.0, 1.0, 5.0, 5.0, 3.0, 3.0], &[3, 2]).unwrap();
    assert_eq!(found.optimal_repetitions(&[10.0, 1.0]), Ok(vec![Some(1.0)]));
    assert_eq!(found.design_effect(), Ok(2.0));
}

#[test]
fn designs_that_are_none() {
    let values = [1.0, 2.0, 3.0, 4.0];
    assert!(nested(&values, &[]).is_err());
    assert!(nested(&values, &[4, 1]).is_err() && nested(&values, &[0, 2]).is_err());
    let error = nested(&values, &[3, 2]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "expected 6 values, as many as the design has, found 4; every unit of a level must have \
         the same number of repetitions"
    );
    assert!(nested(&values, &[usize::MAX, usize::MAX]).is_err());
    assert!(nested(&[1.0, f64::NAN], &[2]).is_err());
    let found = nested(&values, &[2, 2]).unwrap();
    assert!(found.optimal_repetitions(&[1.0]).is_err());
    assert!(found.optimal_repetitions(&[1.0, 0.0]).is_err());
    let equal = nested(&[0.1; 6], &[3, 2]).unwrap();
    assert_eq!(equal.intraclass_correlation(), Err(Error::NoVariation));
    assert_eq!(equal.share_from_below(0.95), Err(Error::NoVariation));
    assert!(found.share_from_below(1.0).is_err());
    let single = nested(&values, &[4]).unwrap();
    assert!(single.share_from_below(0.95).is_err());
}

proptest! {
    #[test]
    fn two_levels_share_out_the_sum_of_squares(
        values in prop::collection::vec(-100.0..100.0_f64, 12),
        runs in prop_oneof![Just(2_usize), Just(3), Just(4), Just(6)],
    ) {
        let within = 12 / runs;
        let found = nested(&values, &[runs, within]).unwrap();
        let [between, inside] = [0, 1].map(|i| found.levels[i].variance);
        let parts = within as f64 * (runs - 1) as f64 * between + (runs * (within - 1)) as f64 * inside;
        let all = nested(&values, &[12]).unwrap().levels[0].variance * 11.0;
        prop_assert!((parts - all).abs() <= 1e-9 * all);
        let effect = found.design_effect().unwrap();
        prop_assert!(effect >= 1.0 - 1e-12 && effect <= within as f64 + 1e-9);
    }
}
