//! Single values far from their neighbours, which would pass for changes.

use std::ops::Range;

use crate::quantile::quantile_of_sorted;
use crate::summary::{median_of_sorted, sorted};

/// Neighbours that a value is held against: half of them before it, half behind it, as far as there are any.
const WINDOW: usize = 200;

/// Indices of the values that are further from the median of their window than three times the
/// distance of its 10 % and 90 % quantiles.
///
/// At both ends of the series the window is cut short or moved inwards. The values with which the
/// series begins are no spikes, however far away they are, until one is near: they are the warm-up
/// that is looked for.
pub(super) fn spikes(values: &[f64]) -> Vec<usize> {
    let alone = |index: usize| {
        let sorted = sorted(&values[window(index, values.len())]);
        let [low, high] = [0.1, 0.9].map(|p| quantile_of_sorted(&sorted, p));
        (values[index] - median_of_sorted(&sorted)).abs() > 3.0 * (high - low)
    };
    (0..values.len())
        .skip_while(|index| alone(*index))
        .filter(|index| alone(*index))
        .collect()
}

fn window(index: usize, n: usize) -> Range<usize> {
    let half = WINDOW / 2;
    if index < half {
        0..n.min(WINDOW)
    } else {
        index - half..n.min(index + half)
    }
}
