//! Every run as a point, in the order in which they ran.

use perflab_compare::Measured;
use perflab_compare::Row;
use perflab_experiment::counted;
use perflab_plot::{Axis, Layer, Marks, Plot, Tone, Which};

use super::axis_unit::{in_unit, titled};
use super::points::{Link, Value, points};
use super::sides::Sided;

/// With more blocks than that their stripes hide the points.
const MOST_BLOCKS: usize = 80;

/// Values in order of execution, the blocks as stripes behind them.
pub fn runs(row: &Row, sides: &[Sided; 2], link: Link<'_>) -> Plot {
    let numbers: Vec<f64> = sides.iter().flat_map(Sided::numbers).collect();
    let (factor, unit) = in_unit(&numbers, &row.key.metric.unit);
    let y_title = titled(&row.key.metric.name, &unit);
    let has_runs = sides
        .iter()
        .flat_map(|side| &side.values)
        .all(|(_, measured)| measured.is_some());
    let mut layers = Vec::new();
    if has_runs {
        layers.extend(blocks(sides));
    }
    let x = |index: usize, measured: Option<&Measured>| match measured {
        Some(measured) => f64::from(measured.run),
        None => index as f64 + 1.0,
    };
    let place = |value: Value<'_>| [x(value.index, value.measured), value.value * factor];
    let name = |side: &Sided, slow: bool| {
        if slow {
            format!("{}, slow runs", side.variant)
        } else {
            side.variant.clone()
        }
    };
    layers.extend(points(row, sides, link, place, name));
    let places = sides.iter().flat_map(|side| {
        let all = side.values.iter().enumerate();
        all.map(|(index, (_, measured))| x(index, measured.as_ref()))
    });
    Plot {
        title: format!("{}: every run in order", row.key.metric.name),
        description: format!(
            "{} of {} and {} of {}, each at the place of its run in the order of execution.",
            counted(sides[0].values.len(), "value"),
            sides[0].variant,
            sides[1].values.len(),
            sides[1].variant
        ),
        x: Axis::around(if has_runs { "run" } else { "value" }, places),
        y: Axis::around(y_title, numbers.iter().map(|value| value * factor)),
        layers,
    }
}

/// Every other block, from its first run to its last.
fn blocks(sides: &[Sided; 2]) -> Vec<Layer> {
    let mut ranges: std::collections::BTreeMap<u32, (u32, u32)> = std::collections::BTreeMap::new();
    let all = sides.iter().flat_map(|side| &side.values);
    for measured in all.filter_map(|(_, measured)| measured.as_ref()) {
        ranges.insert(measured.block, measured.block_runs);
    }
    if ranges.len() < 2 || ranges.len() > MOST_BLOCKS {
        return Vec::new();
    }
    ranges
        .values()
        .step_by(2)
        .enumerate()
        .map(|(index, (first, last))| Layer {
            name: if index == 0 {
                "every other block".to_owned()
            } else {
                String::new()
            },
            tone: Tone::Quiet,
            marks: Marks::Stripe {
                axis: Which::X,
                low: f64::from(*first) - 0.5,
                high: f64::from(*last) + 0.5,
            },
        })
        .collect()
}
