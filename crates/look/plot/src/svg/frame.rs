//! Where things are in the drawing, in its own units.

use super::legend::{self, Entry};
use super::letters::{cut, text_width};
use crate::marks::Marks;
use crate::plot::Plot;
use crate::ticks::ticks;

/// Width of the whole drawing.
const WIDTH: f64 = 720.0;

/// Height of what is drawn on a vertical axis of numbers.
const TALL: f64 = 260.0;

/// Height of a name with an interval, of one with points, and of one with cells.
const ROW: [f64; 3] = [26.0, 74.0, 34.0];

/// Height of the line for an axis' title.
pub(super) const TITLE_LINE: f64 = 18.0;

/// How many numbers find room on the left.
pub(super) const TICKS_UP: usize = 7;

/// Room that a name on the left may take.
pub(super) const MOST_OF_A_LABEL: f64 = 250.0;

/// Least room on the right, and about the room for a number below.
const RIGHT: f64 = 16.0;
const BELOW: f64 = 80.0;

/// The drawing and the place of the axes in it.
#[derive(Debug)]
pub(super) struct Frame<'p> {
    plot: &'p Plot,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) left: f64,
    pub(super) top: f64,
    inner: (f64, f64),
    pub(super) legend: Vec<Entry<'p>>,
}

impl<'p> Frame<'p> {
    pub(super) fn of(plot: &'p Plot) -> Self {
        let has = |wanted: fn(&Marks) -> bool| plot.layers.iter().any(|layer| wanted(&layer.marks));
        let inner_height = match plot.y.scale.as_names() {
            Some(names) => {
                let row =
                    if has(|marks| matches!(marks, Marks::Points { .. } | Marks::Summaries(_))) {
                        ROW[1]
                    } else if has(|marks| matches!(marks, Marks::Cells(_))) {
                        ROW[2]
                    } else {
                        ROW[0]
                    };
                row * names.len().max(1) as f64
            }
            None => TALL,
        };
        let labels = ticks(&plot.y.scale, TICKS_UP).into_iter();
        let widest = labels
            .map(|tick| text_width(&cut(&tick.label, MOST_OF_A_LABEL)))
            .fold(0.0, f64::max);
        let left = (widest + 14.0).max(30.0);
        let inner_width = WIDTH - left - right(plot, WIDTH - left);
        let legend = legend::entries(&plot.layers, left, left + inner_width);
        let legend_lines = legend.last().map_or(0, |entry| entry.line + 1);
        let mut top = 12.0 + legend::LINE * legend_lines as f64;
        if !plot.y.title.is_empty() {
            top += 14.0;
        }
        let below = 24.0
            + if plot.x.title.is_empty() {
                0.0
            } else {
                TITLE_LINE
            };
        Self {
            plot,
            width: WIDTH,
            height: (top + inner_height + below).ceil(),
            left,
            top,
            inner: (inner_width, inner_height),
            legend,
        }
    }

    pub(super) fn right(&self) -> f64 {
        self.left + self.inner.0
    }

    pub(super) fn bottom(&self) -> f64 {
        self.top + self.inner.1
    }

    /// How many numbers find room below.
    pub(super) fn ticks_across(&self) -> usize {
        (self.inner.0 / BELOW) as usize
    }

    /// Room that each name below may take.
    pub(super) fn width_of_a_name(&self) -> f64 {
        let names = self.plot.x.scale.as_names().map_or(1, <[String]>::len);
        self.inner.0 / names.max(1) as f64
    }

    /// Width and height of the place of a name on each axis.
    pub(super) fn cell(&self) -> (f64, f64) {
        let count = |names: Option<&[String]>| names.map_or(1, <[String]>::len).max(1) as f64;
        (
            self.inner.0 / count(self.plot.x.scale.as_names()),
            self.inner.1 / count(self.plot.y.scale.as_names()),
        )
    }

    /// Where a value is across; at the edge if it is beyond.
    pub(super) fn x(&self, value: f64) -> Option<f64> {
        let share = self.plot.x.scale.clamped(value)?;
        Some(self.left + share * self.inner.0)
    }

    /// Where a value is from the top.
    pub(super) fn y(&self, value: f64) -> Option<f64> {
        let share = self.plot.y.scale.clamped(value)?;
        let from_top = if self.plot.y.scale.as_names().is_some() {
            share
        } else {
            1.0 - share
        };
        Some(self.top + from_top * self.inner.1)
    }
}

/// Room on the right: half of the last number below may be there.
fn right(plot: &Plot, inner_width: f64) -> f64 {
    if plot.x.scale.as_names().is_some() {
        return RIGHT;
    }
    let last = ticks(&plot.x.scale, (inner_width / BELOW) as usize).pop();
    let half = last.map_or(0.0, |tick| text_width(&tick.label) / 2.0);
    half.max(RIGHT)
}
