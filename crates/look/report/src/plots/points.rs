//! Values as points: a layer for each side, and for its slow runs, as far as there are any.

use perflab_compare::Measured;
use perflab_compare::Row;
use perflab_plot::{Layer, Marker, Marks, Point, Tone};

use super::sides::Sided;

/// Address of the page of a run, relative to the page with the plot.
pub type Link<'l> = &'l dyn Fn(u32) -> String;

/// A value, and which one it is of which side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value<'s> {
    pub(super) series: usize,
    pub(super) index: usize,
    pub(super) value: f64,
    pub(super) measured: Option<&'s Measured>,
}

/// The layers, given where a value is and what slow runs and others of a side are called.
pub(super) fn points(
    row: &Row,
    sides: &[Sided; 2],
    link: Link<'_>,
    place: impl Fn(Value<'_>) -> [f64; 2],
    name: impl Fn(&Sided, bool) -> String,
) -> Vec<Layer> {
    let mut layers = Vec::new();
    for (series, side) in sides.iter().enumerate() {
        for slow in [false, true] {
            let own = side.values.iter().zip(&side.is_slow).enumerate();
            let at: Vec<Point> = own
                .filter(|(_, (_, is_slow))| **is_slow == slow)
                .map(|(index, ((value, measured), _))| {
                    let [x, y] = place(Value {
                        series,
                        index,
                        value: *value,
                        measured: measured.as_ref(),
                    });
                    Point {
                        x,
                        y,
                        label: side.labels(row).get(index).cloned().unwrap_or_default(),
                        link: measured.map(|measured| link(measured.run)),
                    }
                })
                .collect();
            if at.is_empty() {
                continue;
            }
            layers.push(Layer {
                name: name(side, slow),
                tone: if slow {
                    Tone::Worse
                } else {
                    Tone::Series(series as u8)
                },
                marks: Marks::Points {
                    marker: Marker::of_series(series),
                    at,
                },
            });
        }
    }
    layers
}
