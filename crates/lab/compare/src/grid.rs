//! Whether values lie in steps: as a driver declares it, or as it is seen in the values themselves.

use indexmap::IndexMap;
use perflab_experiment::Metric;
use perflab_stats::steps::{Grid, Grids};
use perflab_stats::summary::median;

use crate::measured::{is_measured, is_rate};
use crate::repeats::{Repeated, is_equal, least_gap, repeated};
use crate::resolution::{VISIBLE, printed};
use crate::subject::{Steps, Subject};

/// A value, and the step about it that its driver declares.
pub(crate) type Stepped = (f64, Option<f64>);

/// How exactly differences must be whole numbers of steps: values are printed with few digits.
const WHOLE: f64 = 0.1;

/// What is known of the steps of a subject, by variant: as they are declared, unless any value has no step.
pub(crate) fn steps(variants: IndexMap<&str, Vec<Stepped>>) -> Steps {
    let declared = variants.into_iter();
    let declared = declared.map(|(variant, values)| Some((variant, all_declared(&values)?)));
    let Some(declared): Option<Vec<_>> = declared.collect() else {
        return Steps::Sought;
    };
    // One that always shows the same does not tell which kind its grid is of.
    let all: Vec<(f64, f64)> = declared
        .iter()
        .flat_map(|(_, values)| values)
        .copied()
        .collect();
    if let Some(grid @ Grid::Reciprocal(_)) = of_declared(&all) {
        return Steps::Known(Some(grid));
    }
    let grids = declared.into_iter();
    let grids =
        grids.filter_map(|(variant, values)| Some((variant.to_owned(), of_declared(&values)?)));
    Steps::Declared(grids.collect())
}

/// The values with their steps, if a step is declared for each.
fn all_declared(values: &[Stepped]) -> Option<Vec<(f64, f64)>> {
    let with_step = |&(value, step): &Stepped| step.map(|step| (value, step));
    values.iter().map(with_step).collect()
}

/// The grid of values of which no steps are declared, as they show it.
fn found_grid(metric: &Metric, values: &[f64]) -> Option<Grid> {
    match are_counts(metric, values.iter().copied()) {
        true => None,
        false => alone(metric, values, &distinct(values)),
    }
}

/// The grid that values show by themselves, if they are no counts. `different`: those of them that differ.
fn alone(metric: &Metric, values: &[f64], different: &[f64]) -> Option<Grid> {
    match different {
        // One run says nothing of steps.
        [_] if values.len() == 1 => None,
        [only] => of_one(metric, *only),
        _ => of_equal(values, &[different.to_vec()]),
    }
}

/// The grids of two sides of which no steps are declared, as their values show them.
///
/// Both are measured alike, so a side whose runs vary tells of the other as well. But each may also have a coarser grid
/// of its own, as two versions of a tool that print more or fewer digits.
pub(crate) fn found_grids(metric: &Metric, sides: &[Vec<f64>; 2]) -> Grids {
    let all = sides.concat();
    let are_constant = sides.each_ref().map(|side| is_constant(side));
    // Values that repeat are rare among many that are fine, and to sort those takes long.
    let may_have_steps = are_constant.contains(&true)
        || sides
            .iter()
            .chain([&all])
            .any(|values| repeated(values).is_some());
    if !may_have_steps || are_counts(metric, all.iter().copied()) {
        return [None; 2];
    }
    let different = sides.each_ref().map(|side| distinct(side));
    let of_all = match are_constant {
        // Their distance is no step.
        [true, true] => None,
        _ => of_equal(&all, &different),
    };
    [0, 1].map(|side| {
        let own = match (different[side].as_slice(), are_constant[1 - side]) {
            // Nothing at all has no digits, where the other side has some.
            ([0.0], false) => None,
            (different, _) => alone(metric, &sides[side], different),
        };
        let middle = median(&sides[side]).ok()?;
        let step = |grid: Option<Grid>| grid.map_or(0.0, |grid| grid.step_at(middle));
        match step(own) > step(of_all) {
            true => own,
            false => of_all,
        }
    })
}

/// Whether all values are the same.
fn is_constant(values: &[f64]) -> bool {
    let first = values.first();
    first.is_some_and(|first| values.iter().all(|value| is_equal(*first, *value)))
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
/// scatter by far more than a step. `groups`: the different ones of each side, as the distance of two sides is no step.
fn of_equal(values: &[f64], groups: &[Vec<f64>]) -> Option<Grid> {
    let Repeated { sorted, different } = repeated(values)?;
    let median = sorted.get(sorted.len() / 2)?.abs();
    let printed = printed(&sorted)?;
    let step = match even(&different, groups, printed > VISIBLE * median) {
        Some(step) => step,
        None => match reciprocal(&different, groups) {
            Some(step) => return Some(Grid::Reciprocal(step)),
            // The last digit that is printed.
            None => printed,
        },
    };
    (step > VISIBLE * median).then_some(Grid::Even(step))
}

/// In ascending order, without those that are equal.
fn distinct(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.dedup_by(|b, a| is_equal(*a, *b));
    sorted
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
    sides: &[Vec<Stepped>; 2],
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
fn relative_step(metric: &Metric, values: &[Stepped]) -> Option<f64> {
    let plain: Vec<f64> = values.iter().map(|(value, _)| *value).collect();
    let grid = match all_declared(values) {
        Some(declared) => of_declared(&declared),
        None => found_grid(metric, &plain),
    }?;
    let median = median(&plain).ok()?;
    Some(grid.step_at(median) / median)
}

/// The step of values, in ascending order, whose differences are all whole numbers of it: the least distance of two of
/// one side. Of two values any difference is one: so they must be multiples of it themselves, unless they are printed
/// so coarsely that nothing else explains why there are no others.
fn even(different: &[f64], groups: &[Vec<f64>], is_coarse: bool) -> Option<f64> {
    let gaps = groups.iter().filter_map(|group| least_gap(group));
    let step = gaps.reduce(f64::min)?;
    let first = different.first()?;
    let is_whole = |steps: f64| (steps - steps.round()).abs() < WHOLE;
    let differ_by_whole = different
        .iter()
        .all(|value| is_whole((value - first) / step));
    let are_multiples = is_coarse || different.len() > 2 || is_whole(first / step);
    (differ_by_whole && are_multiples).then_some(step)
}

/// The same of the reciprocals, which must be multiples of it: a number of requests in a whole number of milliseconds.
fn reciprocal(different: &[f64], groups: &[Vec<f64>]) -> Option<f64> {
    if different.first().is_none_or(|least| *least <= 0.0) {
        return None;
    }
    let turned =
        |values: &[f64]| -> Vec<f64> { values.iter().rev().map(|value| value.recip()).collect() };
    let reciprocals = turned(different);
    let groups: Vec<Vec<f64>> = groups.iter().map(|group| turned(group)).collect();
    let step = even(&reciprocals, &groups, false)?;
    let is_multiple = |value: &f64| {
        let steps = value / step;
        // The digits of the least difference are fewer than those of the values.
        (steps - steps.round()).abs() < WHOLE.max(1e-3 * steps)
    };
    reciprocals.iter().all(is_multiple).then_some(step)
}

#[cfg(test)]
mod tests;
