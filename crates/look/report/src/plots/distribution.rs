//! Every run as a point over its value, with ministat's box below.

use perflab_compare::{Row, Side};
use perflab_plot::{Axis, Layer, Marks, Plot, Summary, Tone};

use super::axis_unit::{in_unit, titled};
use super::points::{Link, Value, points};
use super::sides::Sided;
use crate::number;

/// Columns in which points that would hide each other are stacked.
const COLUMNS: f64 = 110.0;

/// How far from the middle of its name a stack may reach, in places of names.
const REACH: f64 = 0.30;

/// Where the middle of the stacks lies, above that of their name: the box needs room below.
const RAISED: f64 = 0.08;

/// Both sides beside each other.
pub fn distribution(row: &Row, sides: &[Sided; 2], link: Link<'_>) -> Plot {
    let numbers: Vec<f64> = sides.iter().flat_map(Sided::numbers).collect();
    let (factor, unit) = in_unit(&numbers, &row.key.metric.unit);
    let title = titled(&row.key.metric.name, &unit);
    let (low, high) = numbers
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(*value), high.max(*value))
        });
    let column = |value: f64| {
        let share = (value - low) / (high - low);
        if share.is_finite() {
            (share * COLUMNS) as usize
        } else {
            0
        }
    };
    let stacks: Vec<Vec<(usize, usize)>> = sides
        .iter()
        .map(|side| stacked(side.values.iter().map(|(value, _)| column(*value))))
        .collect();
    let highest = stacks
        .iter()
        .flatten()
        .map(|(_, of)| *of)
        .max()
        .unwrap_or(1);
    let step = (2.0 * REACH / highest.max(1) as f64).min(0.06);
    let place = |value: Value<'_>| {
        let stack = stacks
            .get(value.series)
            .and_then(|all| all.get(value.index));
        let (place, of) = stack.copied().unwrap_or((0, 1));
        let from_middle = place as f64 - (of as f64 - 1.0) / 2.0;
        [
            value.value * factor,
            value.series as f64 - RAISED + from_middle * step,
        ]
    };
    let name = |_: &Sided, slow: bool| if slow { "slow runs" } else { "" }.to_owned();
    let mut layers = points(row, sides, link, place, name);
    for (series, (side, summary)) in sides.iter().zip([&row.base, &row.candidate]).enumerate() {
        layers.push(Layer::unnamed(
            Tone::Series(series as u8),
            Marks::Summaries(vec![box_of(row, side, summary, series, factor)]),
        ));
    }
    Plot {
        title: format!("{}: distribution", row.key.metric.name),
        description:
            "A point for each run over its value, for both sides; below them a bar from one \
                      standard deviation below the mean to one above, with the mean and the median."
                .to_owned(),
        x: Axis::around(title, numbers.iter().map(|value| value * factor)),
        y: Axis::names("", sides.iter().map(|side| side.variant.clone())),
        layers,
    }
}

/// As ministat draws it.
fn box_of(row: &Row, side: &Sided, of: &Side, series: usize, factor: f64) -> Summary {
    let sd = of.sd.unwrap_or(0.0);
    let write = |value: f64| number::value_with_unit(value, &row.key.metric.unit);
    Summary {
        y: series as f64,
        low: (of.mean - sd) * factor,
        median: of.median * factor,
        mean: of.mean * factor,
        high: (of.mean + sd) * factor,
        label: format!(
            "{}: mean {}, median {}, standard deviation {}",
            side.variant,
            write(of.mean),
            write(of.median),
            of.sd.map_or_else(|| number::NONE.to_owned(), write)
        ),
    }
}

/// For each item its place in the stack of its column, and the height of that stack.
fn stacked(columns: impl Iterator<Item = usize> + Clone) -> Vec<(usize, usize)> {
    let mut heights: std::collections::HashMap<usize, usize> = std::collections::HashMap::new();
    let places: Vec<(usize, usize)> = columns
        .map(|column| {
            let height = heights.entry(column).or_default();
            *height += 1;
            (column, *height - 1)
        })
        .collect();
    places
        .into_iter()
        .map(|(column, place)| (place, heights.get(&column).copied().unwrap_or(1)))
        .collect()
}
