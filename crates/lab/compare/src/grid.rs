//! Whether values lie in steps: as a driver declares it, or as it is seen in the values themselves.

use perflab_experiment::Metric;
use perflab_stats::steps::Grid;
use perflab_stats::summary::median;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use crate::resolution::printed;
use crate::subject::Subject;

/// A value, and the step about it that its driver declares.
pub(crate) type Stepped = (f64, Option<f64>);

/// How exactly differences must be whole numbers of steps: values are printed with few digits.
const WHOLE: f64 = 0.1;

/// A smaller share of the values than this is no step that any run could show.
const VISIBLE: f64 = 1e-4;

/// So many values are sorted only if some in a sample of them are equal.
const MANY: usize = 4096;

/// The grid of all values of a subject.
pub(crate) fn grid(metric: &Metric, values: &[Stepped]) -> Option<Grid> {
    let declared: Option<Vec<(f64, f64)>> = values
        .iter()
        .map(|(value, step)| step.map(|step| (*value, step)))
        .collect();
    match declared {
        Some(declared) => of_declared(&declared),
        None => {
            let values: Vec<f64> = values.iter().map(|(value, _)| *value).collect();
            found_grid(metric, &values)
        }
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
/// scatter by far more than a step, or where they are counts, which are exact.
pub fn found_grid(metric: &Metric, values: &[f64]) -> Option<Grid> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    if sorted.len() >= MANY && !may_repeat(&sorted) {
        return None;
    }
    sorted.sort_unstable_by(f64::total_cmp);
    let median = sorted.get(sorted.len() / 2)?.abs();
    let mut different = sorted.clone();
    different.dedup_by(|b, a| is_equal(*a, *b));
    let is_count = !is_measured(&metric.unit) && sorted.iter().all(|value| value.fract() == 0.0);
    if sorted.len() < 2 || 2 * different.len() > sorted.len() || is_count {
        return None;
    }
    let step = match even(&different) {
        Some(step) => step,
        None => match reciprocal(&different) {
            Some(step) => return Some(Grid::Reciprocal(step)),
            // The last digit that is printed.
            None => printed(&sorted)?,
        },
    };
    // Of one value that all runs share, no more is known than its last digit.
    (different.len() == 1 || step > VISIBLE * median).then_some(Grid::Even(step))
}

fn is_equal(a: f64, b: f64) -> bool {
    (b - a).abs() <= 1e-9 * a.abs()
}

/// Whether half of the values may repeat another: some in a sample are equal. Where each value is there twice, a sample
/// has 32 pairs on average, so that none is found once in 10^13 times. Its places are drawn, as values may be in order.
fn may_repeat(values: &[f64]) -> bool {
    let mut random = ChaCha8Rng::seed_from_u64(0);
    let draws = 8 * values.len().isqrt();
    let mut places: Vec<u64> = (0..draws)
        .map(|_| random.next_u64() % values.len() as u64)
        .collect();
    places.sort_unstable();
    places.dedup();
    let mut sample: Vec<f64> = places.iter().map(|place| values[*place as usize]).collect();
    sample.sort_unstable_by(f64::total_cmp);
    sample.windows(2).any(|pair| is_equal(pair[0], pair[1]))
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
    let grid = found_grid(metric, values)?;
    let median = median(values).ok()?;
    Some(grid.step_at(median) / median)
}

/// Whether a unit is that of a time or of a rate, which no program counts exactly.
fn is_measured(unit: &str) -> bool {
    let is_time = |unit: &str| matches!(unit, "s" | "ms" | "us" | "µs" | "ns" | "min" | "h");
    is_time(unit) || unit.split_once('/').is_some_and(|(_, per)| is_time(per))
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
        found_grid(&Metric::new("value", unit, Better::Lower), values)
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
            grid(&metric, &[rate(20.0), rate(23.0)]),
            Grid::Reciprocal(1e-6),
        );
        let even = [(3.0, Some(0.5)), (4.5, Some(0.5))];
        assert_eq!(grid(&metric, &even), Some(Grid::Even(0.5)));
        // A wider one counts for all.
        let mixed = [(3.0, Some(0.5)), (4.5, Some(0.1))];
        assert_eq!(grid(&metric, &mixed), Some(Grid::Even(0.5)));
        // What one of two runs does not declare is looked for in the values.
        assert_eq!(grid(&metric, &[(3.0, Some(0.5)), (4.51, None)]), None);
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
        assert_eq!(found("1/s", &[47_619.05; 6]), Some(Grid::Even(0.01)));
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
