use super::*;
use perflab_experiment::Better;

fn found(unit: &str, values: &[f64]) -> Option<Grid> {
    let metric = Metric::new("value", unit, Better::Lower);
    found_grid(&metric, values)
}

/// Whole numbers that repeat, about twelve.
fn whole(runs: u32) -> impl Iterator<Item = f64> {
    (0..runs).map(|run| f64::from(10 + run * 7 % 5))
}

fn near(grid: Option<Grid>, expected: Grid) {
    let is_near = match (grid, expected) {
        (Some(Grid::Even(found)), Grid::Even(step))
        | (Some(Grid::Reciprocal(found)), Grid::Reciprocal(step)) => {
            (found / step - 1.0).abs() < 1e-3
        }
        _ => false,
    };
    assert!(is_near, "{grid:?} {expected:?}");
}

#[test]
fn declared_steps_are_even_or_those_of_reciprocals() {
    let rate = |ms: f64| {
        let value = 1e6 / ms;
        (value, Some(value * value * 1e-6))
    };
    let of = |variants: [Vec<Stepped>; 2]| steps(["a", "b"].into_iter().zip(variants).collect());
    let grids = |found: Steps| match found {
        Steps::Declared(grids) => ["a", "b"].map(|variant| grids.get(variant).copied()),
        other => panic!("{other:?}"),
    };
    // A side that always shows the same has the clock of the other.
    match of([vec![rate(20.0), rate(23.0)], vec![rate(20.0); 3]]) {
        Steps::Known(grid) => near(grid, Grid::Reciprocal(1e-6)),
        other => panic!("{other:?}"),
    }
    // A wider one counts for all of its variant, and for no other.
    let mixed = vec![(3.0, Some(0.5)), (4.5, Some(0.1))];
    let fine = vec![(3.0, Some(0.1)), (4.5, Some(0.1))];
    assert_eq!(
        grids(of([mixed, fine])),
        [Some(Grid::Even(0.5)), Some(Grid::Even(0.1))]
    );
    // What one of two runs does not declare is looked for in the values.
    let one = vec![(3.0, Some(0.5)), (4.51, None)];
    assert_eq!(of([one.clone(), one]), Steps::Sought);
}

#[test]
fn steps_of_many_values_are_found_whatever_their_order() {
    for repeats in [2, 5] {
        let shuffled = (0..20_000).map(|run| f64::from(run * 7919 % 20_000 / repeats));
        let mut values: Vec<f64> = shuffled.map(|steps| 1000.0 + steps).collect();
        near(found("ms", &values), Grid::Even(1.0));
        values.sort_unstable_by(f64::total_cmp);
        near(found("ms", &values), Grid::Even(1.0));
    }
    let fine: Vec<f64> = (0..20_000)
        .map(|run| (f64::from(run) * 0.7).sin() + 2.0)
        .collect();
    assert_eq!(found("ms", &fine), None);
}

#[test]
fn values_and_rates_of_whole_steps_are_found() {
    let ms: Vec<f64> = whole(20).collect();
    near(found("ms", &ms), Grid::Even(1.0));
    let seconds: Vec<f64> = whole(20).map(|ms| ms / 100.0).collect();
    near(found("s", &seconds), Grid::Even(0.01));
    // As redis-benchmark prints them.
    let printed = |ms: f64| (1e8 / ms).round() / 100.0;
    let rates: Vec<f64> = whole(20).map(printed).collect();
    near(found("1/s", &rates), Grid::Reciprocal(1e-6));
    // 20 and 21 ms: a step of either kind has the same size there.
    let two = [20.0, 20.0, 21.0, 21.0].map(printed);
    let Some(found) = found("1/s", &two) else {
        panic!("no steps")
    };
    assert!(
        (found.step_at(48_800.0) / 2380.0 - 1.0).abs() < 0.01,
        "{found:?}"
    );
}

#[test]
fn a_time_that_never_varies_is_not_exact() {
    assert_eq!(found("s", &[0.39; 6]), Some(Grid::Even(0.01)));
    assert_eq!(found("ms", &[20.0; 6]), Some(Grid::Even(1.0)));
    assert_eq!(found("s", &[0.0; 6]), Some(Grid::Even(1.0)));
    // A clock of milliseconds, whatever the unit that its times are printed in.
    assert_eq!(found("us", &[20_000.0; 6]), Some(Grid::Even(1000.0)));
    assert_eq!(found("us", &[20_500.0; 6]), Some(Grid::Even(1.0)));
    near(found("1/s", &[50_000.0; 6]), Grid::Reciprocal(2e-5));
}

#[test]
fn each_side_has_the_coarser_of_its_own_grid_and_that_of_both() {
    let metric = Metric::new("value", "ms", Better::Lower);
    let coarse: Vec<f64> = whole(20).collect();
    let fine = |step: f64| -> Vec<f64> {
        let steps = whole(20).map(|steps| 10.0 + (steps - 10.0) * step);
        steps.collect()
    };
    let of = |sides: [&[f64]; 2], expected: [Option<Grid>; 2]| {
        let found = found_grids(&metric, &sides.map(<[f64]>::to_vec));
        for (found, expected) in found.into_iter().zip(expected) {
            match expected {
                Some(expected) => near(found, expected),
                None => assert_eq!(found, None, "{sides:?}"),
            }
        }
    };
    let ms = |step| Some(Grid::Even(step));
    of([&coarse, &fine(1.0)], [ms(1.0), ms(1.0)]);
    of([&coarse, &fine(0.25)], [ms(1.0), ms(0.25)]);
    of([&fine(0.1), &coarse], [ms(0.1), ms(1.0)]);
    // One of them scatters by far more than its digits.
    let scattered: Vec<f64> = (0..20)
        .map(|run| 10.0 + f64::from(run * 37 % 101) / 100.0)
        .collect();
    of([&coarse, &scattered], [ms(1.0), None]);
    // All runs of one show the same: a clock that is coarser, a time limit, or nothing at all.
    of([&[20.0; 20], &fine(0.1)], [ms(1.0), ms(0.1)]);
    of([&[5000.0; 20], &coarse], [ms(1000.0), ms(1.0)]);
    of([&[5.0; 20], &scattered], [ms(1.0), None]);
    of([&[0.0; 20], &scattered], [None, None]);
    // All runs of either do: their difference is no step.
    of([&[1.53; 10], &[1.62; 10]], [ms(0.01), ms(0.01)]);
    of([&[5000.0; 10], &[119.0; 10]], [ms(1000.0), ms(1.0)]);
    // Buckets that are no multiples of their width.
    of(
        [&[0.391, 0.391, 0.399, 0.399], &[0.391; 4]],
        [ms(0.008), ms(0.008)],
    );
    of([&[0.37], &[0.41]], [None, None]);
    // Rates of whole and of half milliseconds.
    let rates = |step: f64| -> Vec<f64> { whole(20).map(|ms| 1e3 / (ms * step)).collect() };
    let metric = Metric::new("rps", "1/s", Better::Higher);
    let [whole, half] = found_grids(&metric, &[rates(1.0), rates(0.5)]);
    near(whole, Grid::Reciprocal(1e-3));
    near(half, Grid::Reciprocal(0.5e-3));
    let [always, varied] = found_grids(&metric, &[vec![50_000.0; 20], scattered]);
    near(always, Grid::Reciprocal(2e-5));
    assert_eq!(varied, None);
}

#[test]
fn counts_and_what_does_not_repeat_lie_in_no_steps() {
    assert_eq!(found("", &[1201.0; 6]), None);
    let counts: Vec<f64> = whole(20).collect();
    assert_eq!(found("", &counts), None);
    assert_eq!(found("bytes", &counts), None);
    // Printed with one digit, and scattered by far more.
    let scattered: Vec<f64> = (0..20)
        .map(|run| 100.0 + f64::from(run * 37 % 101) / 10.0)
        .collect();
    assert_eq!(found("ms", &scattered), None);
    // What a deterministic program computes.
    let exact = [
        1.234_567_890_1,
        1.234_567_890_1,
        1.334_123_456_7,
        1.334_123_456_7,
    ];
    assert_eq!(found("s", &exact), None);
    assert_eq!(found("s", &[]), None);
    assert_eq!(found("s", &[0.5]), None);
}
