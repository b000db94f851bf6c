//! Plots with a vertical axis of numbers.

use unicode_width::UnicodeWidthStr;

use super::axis::horizontal;
use super::canvas::{Canvas, column, column_at};
use super::style::TextOptions;
use super::symbols::{rule, shade, symbol};
use crate::marks::{Layer, Marks, Which};
use crate::plot::Plot;
use crate::ticks::ticks;

/// Lines of a plot.
const LINES: usize = 16;

pub(super) fn numbers(plot: &Plot, style: &TextOptions, width: usize) -> String {
    let mut labels = vec![String::new(); LINES];
    for tick in ticks(&plot.y.scale, LINES / 3) {
        if let Some(line) = line_of(plot, tick.at) {
            labels[line] = style.show(&tick.label);
        }
    }
    let label_columns = labels.iter().map(|label| label.width()).max().unwrap_or(0);
    let columns = width.saturating_sub(label_columns + 2);
    let mut canvas = Canvas::new(columns, LINES);
    for layer in &plot.layers {
        draw(&mut canvas, plot, layer, style, columns);
    }
    let mut out = String::new();
    for (label, ink) in labels.iter().zip(&canvas.lines) {
        out += &style.labelled(&style.fit(label, label_columns, true), ink);
    }
    out + &horizontal(plot, style, label_columns + 2, columns)
}

fn line_of(plot: &Plot, value: f64) -> Option<usize> {
    column(&plot.y.scale, value, LINES).map(|from_below| LINES - 1 - from_below)
}

fn draw(canvas: &mut Canvas, plot: &Plot, layer: &Layer, style: &TextOptions, columns: usize) {
    let letter = symbol(layer, style);
    let x_of = |value: f64| column(&plot.x.scale, value, columns);
    let place = |x: f64, y: f64| Some((x_of(x)?, line_of(plot, y)?));
    match &layer.marks {
        Marks::Points { at, .. } => {
            for (x, y) in at.iter().filter_map(|point| place(point.x, point.y)) {
                canvas.meet(x, y, letter, layer.tone);
            }
        }
        Marks::Line(at) => {
            for pair in at.windows(2) {
                if let [from, to] = pair {
                    segment(canvas, plot, *from, *to, columns, |canvas, x, y| {
                        canvas.meet(x, y, letter, layer.tone);
                    });
                }
            }
        }
        Marks::Areas(at) => {
            for area in at {
                let (Some(x), Some(low), Some(high)) = (
                    x_of(area.x),
                    plot.y.scale.clamped(area.low),
                    plot.y.scale.clamped(area.high),
                ) else {
                    continue;
                };
                let line = |share: f64| LINES - 1 - column_at(share, LINES);
                for y in line(high)..=line(low) {
                    canvas.fill(x, y, shade(style), layer.tone);
                }
            }
        }
        Marks::Rule { axis: Which::X, at } => {
            for y in 0..LINES {
                if let Some(x) = x_of(*at) {
                    canvas.fill(x, y, rule(Which::X, style), layer.tone);
                }
            }
        }
        Marks::Rule { axis: Which::Y, at } => {
            if let Some(y) = line_of(plot, *at) {
                for x in 0..columns {
                    canvas.fill(x, y, rule(Which::Y, style), layer.tone);
                }
            }
        }
        // Stripes would hide more than they show, and the others stand beside names.
        Marks::Stripe { .. } | Marks::Intervals(_) | Marks::Summaries(_) | Marks::Cells(_) => {}
    }
}

/// A straight line, one place per column, or per line where it is steep.
fn segment(
    canvas: &mut Canvas,
    plot: &Plot,
    from: [f64; 2],
    to: [f64; 2],
    columns: usize,
    mut put: impl FnMut(&mut Canvas, usize, usize),
) {
    let steps = columns.max(LINES) * 2;
    let share = |[x, y]: [f64; 2]| Some((plot.x.scale.clamped(x)?, plot.y.scale.clamped(y)?));
    let (Some((x1, y1)), Some((x2, y2))) = (share(from), share(to)) else {
        return;
    };
    let needed = ((x2 - x1).abs() * columns as f64).max((y2 - y1).abs() * LINES as f64) * 2.0;
    let steps = (needed as usize).clamp(1, steps);
    for step in 0..=steps {
        let part = step as f64 / steps as f64;
        let x = column_at(x1 + (x2 - x1) * part, columns);
        let up = column_at(y1 + (y2 - y1) * part, LINES);
        put(canvas, x, LINES - 1 - up);
    }
}
