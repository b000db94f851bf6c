//! Values in steps: nothing is claimed that rounding may have made, and nothing is lost where it averages out.

use crate::better::Better;
use crate::distribution::normal_upper_quantile;
use crate::location::Scale;
use crate::observation::Observation;
use crate::planning::{Pilot, beyond_steps};
use crate::resampling::Resampling;
use crate::shift_function::shift_function;
use crate::steps::{Grid, Rounding};
use crate::verdict::{Cache, Comparison, Sides, Terms, compare};

const MS: Grid = Grid::Even(1.0);

fn runs(values: &[f64]) -> Vec<Observation> {
    let observe = |(unit, value): (usize, &f64)| Observation {
        block: 1,
        unit: unit as u32,
        value: *value,
    };
    values.iter().enumerate().map(observe).collect()
}

fn sides(a: &[f64], b: &[f64], grid: Option<Grid>) -> Sides {
    let (a, b) = (runs(a), runs(b));
    Sides::of(&a, &b).unwrap().on_grids(&a, &b, [grid; 2])
}

fn judged(sides: Sides, margin: Option<f64>) -> Comparison {
    let terms = Terms {
        better: Better::Lower,
        confidence: 0.95,
        margin,
        in_turns: false,
    };
    compare(sides, &terms, &mut Cache::default()).unwrap()
}

fn compared(a: &[f64], b: &[f64], grid: Option<Grid>, margin: Option<f64>) -> Comparison {
    judged(sides(a, b, grid), margin)
}

/// Normal runs with this mean and deviation, as the clock shows them: one at each quantile.
fn shown(mean: f64, sd: f64, runs: u32) -> Vec<f64> {
    let quantile = |run| normal_upper_quantile((f64::from(run) + 0.5) / f64::from(runs));
    (0..runs)
        .map(|run| (mean + sd * quantile(run)).round())
        .collect()
}

#[test]
fn runs_that_are_rounded_alike_may_differ_by_a_step() {
    let found = compared(&[20.0; 8], &[20.0; 8], Some(MS), Some(0.01));
    for answer in [found.typical, found.mean] {
        let (low, high) = (answer.low.ln_1p(), answer.high.ln_1p());
        assert!(
            (low + 0.05).abs() < 1e-9 && (high - 0.05).abs() < 1e-9,
            "{answer:?}"
        );
        assert_eq!((answer.difference, answer.p), (0.0, 1.0));
        assert!(answer.p_same.unwrap() > 0.05);
    }
    let wide = compared(&[20.0; 8], &[20.0; 8], Some(MS), Some(0.06));
    assert!(wide.typical.p_same.unwrap() < 0.01 && wide.mean.p_same.unwrap() < 0.01);
    // Counts are exact.
    let exact = compared(&[20.0; 8], &[20.0; 8], None, Some(0.01));
    assert_eq!((exact.typical.low, exact.typical.high), (0.0, 0.0));
    assert!(exact.typical.p_same.unwrap() < 0.01);
}

#[test]
fn rounding_keeps_the_order_so_that_a_step_between_all_runs_is_a_difference() {
    let found = compared(&[20.0; 8], &[21.0; 8], Some(MS), None);
    // All arrangements of 8 and 8: 2 of 12870.
    assert!(
        (found.typical.p - 2.0 / 12870.0).abs() < 1e-9,
        "{:?}",
        found.typical
    );
    // From nothing, if both are at the border between, to two steps.
    assert_eq!(found.typical.low, 0.0);
    assert!(found.typical.high.ln_1p() > (21.0_f64 / 20.0).ln() + 0.048);
    // What is equal counts for neither: here less than half of the pairs differ.
    let some = [[20.0; 5], [21.0; 5]].concat();
    let found = compared(&[20.0; 30], &some.repeat(3), Some(MS), None);
    assert!(found.typical.p > 0.4, "{:?}", found.typical);
    assert!(compared(&[20.0; 30], &some.repeat(3), None, None).typical.p < 0.01);
}

#[test]
fn equal_means_that_are_rounded_unequally_are_not_proven_to_differ() {
    // 20.45 on both sides: the steady one always shows 20, the other averages out.
    let (steady, loose) = (shown(20.45, 0.01, 100), shown(20.45, 1.0, 100));
    assert_eq!(steady, [20.0; 100]);
    assert!(compared(&steady, &loose, None, None).mean.p < 0.001);
    let found = compared(&steady, &loose, Some(MS), None);
    assert!(
        found.mean.p > 0.5 && found.mean.low < 0.0 && found.mean.high > 0.0,
        "{:?}",
        found.mean
    );
    assert!(found.typical.low < 0.0 && found.typical.high > 0.0);
    // A whole step more is one.
    let found = compared(&steady, &shown(21.45, 1.0, 100), Some(MS), None);
    assert!(found.mean.p < 0.001 && found.typical.p < 0.001);
}

#[test]
fn nothing_is_lost_where_runs_scatter_by_more_than_a_step() {
    let (a, b) = (shown(200.3, 2.0, 40), shown(201.0, 2.5, 40));
    let [stepped, plain] = [Some(MS), None].map(|grid| compared(&a, &b, grid, Some(0.01)));
    assert_eq!(stepped.mean, plain.mean);
    assert_eq!(stepped.typical.p, plain.typical.p);
    assert!(stepped.rounding.is_any() && stepped.rounding.typical == 0.0);
    // Only the ends, which lie on whole milliseconds, are spread over half of one.
    let (low, high) = (
        plain.typical.low - stepped.typical.low,
        stepped.typical.high - plain.typical.high,
    );
    assert!(
        (0.0..0.0026).contains(&low) && (0.0..0.0026).contains(&high),
        "{low} {high}"
    );
    assert!(low + high > 0.0005);
}

#[test]
fn the_pooled_row_allows_for_what_its_rows_do() {
    let rounding = sides(&[20.0; 8], &[20.0; 8], Some(MS)).rounding();
    let pool = |rounding: &[Rounding]| {
        let side = runs(&[20.0; 8]);
        let both: [&[Observation]; 2] = [&side, &side];
        let sides = Sides::pooled(&both, &both).unwrap().unwrap();
        judged(sides.rounded(rounding), None)
    };
    // One of two rows may be off by a step.
    let found = pool(&[rounding, Rounding::default()]);
    for answer in [found.typical, found.mean] {
        assert!((answer.high.ln_1p() - 0.025).abs() < 1e-9, "{answer:?}");
        assert!((answer.low.ln_1p() + 0.025).abs() < 1e-9, "{answer:?}");
    }
    assert_eq!(pool(&[]).typical.high, 0.0);
}

#[test]
fn a_plan_counts_with_what_is_hidden() {
    let [steady, loose] = [0.3, 2.0].map(|sd| shown(100.2, sd, 40));
    let pilot = Pilot::of(&sides(&steady, &steady, Some(MS)), false).unwrap();
    let [typical, mean] = pilot.hidden;
    assert!(
        (0.009..0.021).contains(&typical) && (0.005..0.021).contains(&mean),
        "{pilot:?}"
    );
    assert!(pilot.typical.estimate > 0.001);
    let constant = Pilot::of(&sides(&[20.0; 8], &[20.0; 8], Some(MS)), false).unwrap();
    assert!((constant.mean.estimate - 0.05 / 12.0_f64.sqrt()).abs() < 1e-9);
    assert!(beyond_steps(0.005, typical).is_err());
    let left = beyond_steps(0.03, typical).unwrap();
    assert!((left - (1.03 / (1.0 + typical) - 1.0)).abs() < 1e-12);
    let pilot = Pilot::of(&sides(&loose, &loose, Some(MS)), false).unwrap();
    assert_eq!(
        (pilot.hidden, beyond_steps(0.03, 0.0)),
        ([0.0; 2], Ok(0.03))
    );
    assert!((0.015..0.03).contains(&pilot.typical.estimate), "{pilot:?}");
}

#[test]
fn each_side_has_the_steps_of_its_own_grid() {
    let coarse = Some(Grid::Even(1000.0));
    let fine = shown(120.0, 0.7, 20);
    let of = |grids, b: &[f64]| {
        let (a, b) = (runs(&fine), runs(b));
        judged(Sides::of(&a, &b).unwrap().on_grids(&a, &b, grids), None)
    };
    // A time limit that all runs of one side reach, in seconds, beside milliseconds.
    let found = of([Some(MS), coarse], &[5000.0; 20]);
    assert!(found.typical.p < 1e-6 && found.mean.p < 1e-6, "{found:?}");
    assert!(
        found.typical.low > 30.0 && found.typical.high < 60.0,
        "{:?}",
        found.typical
    );
    // What is not further apart than half a step of each is in any order.
    let near = of([None, Some(Grid::Even(10.0))], &[124.0; 20]);
    assert!(near.typical.p > 0.05, "{:?}", near.typical);
    let same = of([Some(MS), Some(Grid::Even(1.0))], &fine);
    assert_eq!(same.rounding, of([Some(MS); 2], &fine).rounding);
}

#[test]
fn deciles_of_equal_values_are_known_to_their_step() {
    let draws = Resampling {
        draws: 200,
        seed: 1,
    };
    let of = |grid| {
        shift_function(
            &[20.0; 30],
            &[20.0; 30],
            Scale::Ratio,
            [grid; 2],
            0.95,
            draws,
        )
    };
    for decile in of(Some(MS)).unwrap() {
        assert!(decile.low < -0.045 && decile.high > 0.045, "{decile:?}");
        assert_eq!(decile.p, 1.0);
    }
    assert!(of(None).unwrap().iter().all(|decile| decile.low == 0.0));
}

/// Slow runs are far from the others, and a step is a smaller share of them.
#[test]
fn slow_runs_hide_no_step_of_the_others() {
    let side = [[100.0; 12].as_slice(), &[100.0; 12], &[500.0; 6]].concat();
    for margin in [0.004, 0.006, 0.0095] {
        let found = compared(&side, &side, Some(MS), Some(margin));
        let low = found.typical.low.ln_1p();
        assert!((low + 0.01).abs() < 1e-4, "{:?}", found.typical);
        assert!(found.typical.p_same.unwrap() > 0.05, "{margin}");
    }
    let fast = compared(&[100.0; 30], &[100.0; 30], Some(MS), Some(0.011));
    let found = compared(&side, &side, Some(MS), Some(0.011));
    assert!(fast.typical.p_same.unwrap() <= 0.05);
    assert!(found.typical.p_same.unwrap() <= 0.05, "{:?}", found.typical);
    // Levels of 99.55 and 100.45 ms, as the clock shows them.
    assert!(found.typical.low < -0.009 && found.typical.high > 0.009);
}

/// The ends of the interval are found with checks that the p-value of sameness lacks.
#[test]
fn what_is_the_same_has_its_interval_within_the_margin() {
    let base = [46.3, 51.1, 46.6, 50.2];
    let candidate = [
        51.1, 49.2, 49.8, 56.9, 49.5, 60.0, 56.5, 46.0, 45.7, 42.7, 61.4, 51.2, 49.9, 50.9, 49.7,
        52.5, 47.6, 53.5, 61.1, 45.8, 44.7, 51.0, 48.5, 55.8, 48.0, 46.6, 46.4, 56.4, 47.1, 48.7,
        42.7, 55.8, 50.3,
    ];
    let mut are_same = 0;
    for percent in 5..=20 {
        let margin = f64::from(percent) / 100.0;
        let found = compared(&base, &candidate, None, Some(margin));
        for answer in [found.typical, found.mean] {
            if answer.p_same.unwrap() <= 0.05 {
                are_same += 1;
                assert!(
                    answer.low > 1.0 / (1.0 + margin) - 1.0,
                    "{margin} {answer:?}"
                );
                assert!(answer.high < margin, "{margin} {answer:?}");
            }
        }
    }
    assert!(are_same > 0);
}
