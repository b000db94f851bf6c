//! Whether values lie in steps: as a driver declares it, or as it is seen in the values themselves.

use perflab_experiment::Metric;
use perflab_stats::steps::Grid;
use perflab_stats::summary::median;

use crate::measured::{is_measured, is_rate};
use crate::repeats::{Repeated, repeated};
use crate::resolution::{VISIBLE, printed};
use crate::subject::Subject;

/// A value, and the step about it that its driver declares.
pub(crate) type Stepped = (f64, Option<f64>);

/// How exactly differences must be whole numbers of steps: values are printed with few digits.
const WHOLE: f64 = 0.1;

/// Steps that differ by a smaller share are the same.
const SAME: f64 = 0.01;

/// The grid of all values of a subject, group by group: as it is declared, or found where any value has no step.
pub(crate) fn grid(metric: &Metric, groups: &[Vec<Stepped>]) -> Option<Grid> {
    let all = groups.iter().flatten();
    let declared: Option<Vec<(f64, f64)>> = all
        .map(|(value, step)| step.map(|step| (*value, step)))
        .collect();
    if let Some(declared) = declared {
        return of_declared(&declared);
    }
    let values = |group: &Vec<Stepped>| group.iter().map(|(value, _)| *value).collect();
    found_grid(metric, &groups.iter().map(values).collect::<Vec<_>>())
}

/// The same of values of which no steps are declared.
pub fn found_grid(metric: &Metric, groups: &[Vec<f64>]) -> Option<Grid> {
    let all = groups.concat();
    if are_counts(metric, all.iter().copied()) {
        return None;
    }
    let own: Vec<_> = groups.iter().map(|group| of_equal(metric, group)).collect();
    of_groups(of_equal(metric, &all), own, || median(&all).ok())
}

/// The grid of groups, from that of all values together and those of each group alone.
///
/// Where groups lie on different grids, as those of two versions of a tool that print more or fewer digits, two runs keep
/// their order only if they are further apart than half a step of each together. So the steps of the two coarsest are
/// added.
fn of_groups(
    of_all: Option<Grid>,
    mut own: Vec<Option<Grid>>,
    middle: impl FnOnce() -> Option<f64>,
) -> Option<Grid> {
    if own.iter().all(Option::is_none) {
        return of_all;
    }
    let middle = middle()?;
    let step = |grid: Option<Grid>| grid.map_or(0.0, |grid| grid.step_at(middle));
    own.sort_by(|a, b| step(*b).total_cmp(&step(*a)));
    let coarsest = own.first().copied().flatten();
    if step(coarsest) <= step(of_all) * (1.0 + SAME) {
        return of_all;
    }
    let next = step(own.get(1).copied().flatten()).max(step(of_all));
    let together = 1.0 + next / step(coarsest);
    match coarsest? {
        Grid::Even(step) => Some(Grid::Even(step * together)),
        Grid::Reciprocal(step) => Some(Grid::Reciprocal(step * together)),
    }
}

/// The grid that declared steps are of: as wide everywhere, or that of the reciprocals.
fn of_declared(values: &[(f64, f64)]) -> Option<Grid> {
    let range = |of: fn(f64, f64) -> f64| {
        let all = values.iter().map(|(value, step)| of(*value, *step));
        all.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), one| {
            (low.min(one), high.max(one))
        })
    };
    let (least, most) = range(|_, step| step);
    let (low, high) = range(|value, step| step / (value * value));
    let is_reciprocal = most > least * (1.0 + 1e-6) && high <= low * (1.0 + 1e-6);
    match is_reciprocal {
        true => Some(Grid::Reciprocal(high)),
        false => (most > 0.0).then_some(Grid::Even(most)),
    }
}

/// The grid that values show by being equal: nothing where fewer than half of them repeat another, as then they
/// scatter by far more than a step.
fn of_equal(metric: &Metric, values: &[f64]) -> Option<Grid> {
    let Repeated { sorted, different } = repeated(values)?;
    let median = sorted.get(sorted.len() / 2)?.abs();
    if let [only] = different[..] {
        return of_one(metric, only);
    }
    let step = match even(&different) {
        Some(step) => step,
        None => match reciprocal(&different) {
            Some(step) => return Some(Grid::Reciprocal(step)),
            // The last digit that is printed.
            None => printed(&sorted)?,
        },
    };
    (step > VISIBLE * median).then_some(Grid::Even(step))
}

/// Whether the values of all groups are exact: whole numbers whose unit is none of a time or a rate. A fraction on one
/// side says that those of the other are no counts either.
pub(crate) fn are_counts(metric: &Metric, mut values: impl Iterator<Item = f64>) -> bool {
    !is_measured(&metric.unit) && values.all(|value| value.fract() == 0.0)
}

/// The grid of one value that all runs share, of which no more is known than its digits: 20 000 us may come from a clock
/// of milliseconds as well as 20 ms. The digits of a rate do not tell, as the number that was divided is not known: the
/// time may be a single step of the clock.
fn of_one(metric: &Metric, value: f64) -> Option<Grid> {
    if is_rate(&metric.unit) && value > 0.0 {
        return Some(Grid::Reciprocal(value.recip()));
    }
    let mut step = printed(&[value])?;
    while step >= 1.0 && value != 0.0 && value % (1000.0 * step) == 0.0 {
        step *= 1000.0;
    }
    Some(Grid::Even(step))
}

/// The grid of quotients: their steps are those of both values that they are made of, together.
pub(crate) fn of_quotients(
    metric: &Metric,
    sides: &[Vec<f64>; 2],
    quotients: &Subject,
) -> Option<Grid> {
    let steps = sides
        .iter()
        .filter_map(|values| relative_step(metric, values));
    let all = quotients
        .groups
        .iter()
        .flat_map(|group| &group.observations);
    let values: Vec<f64> = all.map(|one| one.value).collect();
    let step = steps.sum::<f64>() * median(&values).ok()?;
    (step > 0.0).then_some(Grid::Even(step))
}

/// The step about the median of values, relative to it; absent where they are fine.
fn relative_step(metric: &Metric, values: &[f64]) -> Option<f64> {
    let grid = found_grid(metric, &[values.to_vec()])?;
    let median = median(values).ok()?;
    Some(grid.step_at(median) / median)
}

/// The step of values, in ascending order, whose differences are all whole numbers of it. Of two values any difference
/// is one, so that they must be multiples of it themselves.
fn even(different: &[f64]) -> Option<f64> {
    let step = least_gap(different)?;
    let first = different.first()?;
    let is_whole = |steps: f64| (steps - steps.round()).abs() < WHOLE;
    let differ_by_whole = different
        .iter()
        .all(|value| is_whole((value - first) / step));
    let are_multiples = different.len() > 2 || is_whole(first / step);
    (differ_by_whole && are_multiples).then_some(step)
}

/// The same of the reciprocals, which must be multiples of it: a number of requests in a whole number of milliseconds.
fn reciprocal(different: &[f64]) -> Option<f64> {
    if different.first().is_none_or(|least| *least <= 0.0) {
        return None;
    }
    let reciprocals: Vec<f64> = different.iter().rev().map(|value| value.recip()).collect();
    let step = even(&reciprocals)?;
    let is_multiple = |value: &f64| {
        let steps = value / step;
        // The digits of the least difference are fewer than those of the values.
        (steps - steps.round()).abs() < WHOLE.max(1e-3 * steps)
    };
    reciprocals.iter().all(is_multiple).then_some(step)
}

fn least_gap(ascending: &[f64]) -> Option<f64> {
    let gaps = ascending.windows(2).filter_map(|pair| match pair {
        [low, high] => Some(high - low),
        _ => None,
    });
    gaps.reduce(f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use perflab_experiment::Better;

    fn found(unit: &str, values: &[f64]) -> Option<Grid> {
        let metric = Metric::new("value", unit, Better::Lower);
        found_grid(&metric, &[values.to_vec()])
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
        let metric = Metric::new("rps", "1/s", Better::Higher);
        let rate = |ms: f64| {
            let value = 1e6 / ms;
            (value, Some(value * value * 1e-6))
        };
        near(
            grid(&metric, &[vec![rate(20.0), rate(23.0)]]),
            Grid::Reciprocal(1e-6),
        );
        let even = [(3.0, Some(0.5)), (4.5, Some(0.5))];
        assert_eq!(grid(&metric, &[even.to_vec()]), Some(Grid::Even(0.5)));
        // A side that always shows the same has the clock of the other.
        let steady = vec![vec![rate(20.0); 3], vec![rate(20.0), rate(21.0)]];
        near(grid(&metric, &steady), Grid::Reciprocal(1e-6));
        // A wider one counts for all.
        let mixed = [(3.0, Some(0.5)), (4.5, Some(0.1))];
        assert_eq!(grid(&metric, &[mixed.to_vec()]), Some(Grid::Even(0.5)));
        // What one of two runs does not declare is looked for in the values.
        let one = vec![(3.0, Some(0.5)), (4.51, None)];
        assert_eq!(grid(&metric, &[one]), None);
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
    fn sides_on_different_grids_have_the_steps_of_both() {
        let metric = Metric::new("value", "ms", Better::Lower);
        let coarse: Vec<f64> = whole(20).collect();
        let fine = |step: f64| -> Vec<f64> {
            let steps = whole(20).map(|steps| 10.0 + (steps - 10.0) * step);
            steps.collect()
        };
        let of = |groups: [&[f64]; 2]| found_grid(&metric, &groups.map(<[f64]>::to_vec));
        near(of([&coarse, &fine(1.0)]), Grid::Even(1.0));
        near(of([&coarse, &fine(0.25)]), Grid::Even(1.25));
        near(of([&fine(0.1), &coarse]), Grid::Even(1.1));
        // All runs of one show the same.
        near(of([&[20.0; 20], &fine(0.1)]), Grid::Even(1.1));
        // One of them scatters by far more than its digits.
        let scattered: Vec<f64> = (0..20)
            .map(|run| 10.0 + f64::from(run * 37 % 101) / 100.0)
            .collect();
        near(of([&coarse, &scattered]), Grid::Even(1.0));
        // Rates of whole and of half milliseconds.
        let rates = |step: f64| -> Vec<f64> { whole(20).map(|ms| 1e3 / (ms * step)).collect() };
        let metric = Metric::new("rps", "1/s", Better::Higher);
        let groups = [rates(1.0), rates(0.5)];
        near(found_grid(&metric, &groups), Grid::Reciprocal(1.5e-3));
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
}
