//! What share of the runs is at most how slow: both sides as lines.

use perflab_compare::Row;
use perflab_plot::{Axis, Layer, Marks, Plot, Tone};

use super::axis_unit::{in_unit, titled};
use super::sides::Sided;

/// More places than a line has on a screen tell nothing.
const MOST: usize = 400;

/// The quantile functions of both sides.
pub fn quantiles(row: &Row, sides: &[Sided; 2]) -> Plot {
    let numbers: Vec<f64> = sides.iter().flat_map(Sided::numbers).collect();
    let (factor, unit) = in_unit(&numbers, &row.key.metric.unit);
    let title = titled(&row.key.metric.name, &unit);
    let layers = sides.iter().enumerate().map(|(series, side)| {
        let mut sorted = side.numbers();
        sorted.sort_by(f64::total_cmp);
        Layer {
            name: side.variant.clone(),
            tone: Tone::Series(series as u8),
            marks: Marks::Line(
                thinned(&sorted)
                    .map(|(share, value)| [share * 100.0, value * factor])
                    .collect(),
            ),
        }
    });
    Plot {
        title: format!("{}: quantiles", row.key.metric.name),
        description:
            "For each side the values from the smallest to the largest, over the share of runs \
                      that are at most so large. Where the lines lie apart, the sides differ."
                .to_owned(),
        x: Axis::between("share of runs (%)", 0.0, 100.0),
        y: Axis::around(title, numbers.iter().map(|value| value * factor)),
        layers: layers.collect(),
    }
}

/// Values and the share of all that are below the middle of each: all of them, or as many as one can see, the ends
/// among them.
fn thinned(sorted: &[f64]) -> impl Iterator<Item = (f64, f64)> {
    let count = sorted.len();
    let shown = count.min(MOST);
    (0..shown).filter_map(move |place| {
        let index = if shown < 2 {
            0
        } else {
            place * (count - 1) / (shown - 1)
        };
        let value = *sorted.get(index)?;
        Some(((index as f64 + 0.5) / count as f64, value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_both_ends() {
        let sorted: Vec<f64> = (0..10_001).map(f64::from).collect();
        let thinned: Vec<(f64, f64)> = thinned(&sorted).collect();
        assert_eq!(thinned.len(), MOST);
        assert_eq!(thinned[0].1, 0.0);
        assert_eq!(thinned[MOST - 1].1, 10_000.0);
    }

    #[test]
    fn a_single_value_is_in_the_middle() {
        assert_eq!(thinned(&[3.0]).collect::<Vec<_>>(), [(0.5, 3.0)]);
        assert_eq!(thinned(&[]).count(), 0);
    }
}
