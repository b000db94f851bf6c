//! Plots with names on the left: a line or some for each.

use unicode_width::UnicodeWidthStr;

use super::axis::horizontal;
use super::canvas::{Canvas, column, column_at};
use super::style::TextOptions;
use super::symbols::{rule, shade, symbol};
use crate::marks::{Cell, Interval, Layer, Marks, Summary, Tone, Which};
use crate::plot::Plot;

/// Columns that names may take: a third of the width, at most this.
const MOST_LABEL: usize = 40;

/// Lines of points for each name.
const STACK: usize = 5;

pub(super) fn rows(plot: &Plot, names: &[String], style: &TextOptions, width: usize) -> String {
    let has = |wanted: fn(&Marks) -> bool| plot.layers.iter().any(|layer| wanted(&layer.marks));
    let has_points = has(|marks| matches!(marks, Marks::Points { .. }));
    let has_summaries = has(|marks| matches!(marks, Marks::Summaries(_)));
    let height = match (has_points, has_summaries) {
        (true, true) => STACK + 1,
        (true, false) => STACK,
        (false, _) => 1,
    };
    let names: Vec<String> = names.iter().map(|name| style.show(name)).collect();
    let most = MOST_LABEL.min(width / 3);
    let longest = names.iter().map(|name| name.width()).max().unwrap_or(0);
    let label_columns = longest.min(most);
    let columns = width.saturating_sub(label_columns + 2);
    let mut canvas = Canvas::new(columns, names.len() * height);
    let mut each = 1;
    for layer in &plot.layers {
        match &layer.marks {
            Marks::Points { .. } | Marks::Line(_) | Marks::Areas(_) => {}
            Marks::Stripe {
                axis: Which::X,
                low,
                high,
            } => {
                stripe(&mut canvas, plot, (*low, *high), style, columns, layer.tone);
            }
            Marks::Rule { axis: Which::X, at } => {
                if let Some(x) = column(&plot.x.scale, *at, columns) {
                    for y in 0..canvas.lines.len() {
                        canvas.put(x, y, rule(Which::X, style), layer.tone);
                    }
                }
            }
            Marks::Stripe { .. } | Marks::Rule { .. } => {}
            Marks::Intervals(at) => {
                for interval in at {
                    draw_interval(&mut canvas, plot, interval, style, columns, height);
                }
            }
            Marks::Summaries(at) => {
                for summary in at {
                    draw_summary(&mut canvas, plot, summary, layer, style, columns, height);
                }
            }
            Marks::Cells(at) => {
                for cell in at {
                    draw_cell(&mut canvas, plot, cell, style, columns);
                }
            }
        }
    }
    if has_points {
        each = stacks(&mut canvas, plot, names.len(), style, columns, height);
    }
    let mut out = String::new();
    for (index, ink) in canvas.lines.iter().enumerate() {
        // The name stands in the middle of its lines.
        let name = match (index % height == height / 2, names.get(index / height)) {
            (true, Some(name)) => name.as_str(),
            _ => "",
        };
        out += &style.labelled(&style.fit(name, label_columns, false), ink);
    }
    out += &horizontal(plot, style, label_columns + 2, columns);
    if each > 1 {
        out += &format!("a mark stands for up to {each} values\n");
    }
    out
}

/// The line of a name's first row, if the value is one of its.
fn first_line(canvas: &Canvas, y: f64, height: usize) -> Option<usize> {
    if !y.is_finite() || y < -0.5 {
        return None;
    }
    let line = (y.round() as usize).checked_mul(height)?;
    (line < canvas.lines.len()).then_some(line)
}

fn stripe(
    canvas: &mut Canvas,
    plot: &Plot,
    (low, high): (f64, f64),
    style: &TextOptions,
    columns: usize,
    tone: Tone,
) {
    let share = |value: f64| plot.x.scale.clamped(value);
    let (Some(low), Some(high)) = (share(low), share(high)) else {
        return;
    };
    let (from, to) = (low * columns as f64, high * columns as f64);
    for x in from as usize..(to.ceil() as usize).min(columns) {
        for y in 0..canvas.lines.len() {
            canvas.fill(x, y, shade(style), tone);
        }
    }
}

fn draw_interval(
    canvas: &mut Canvas,
    plot: &Plot,
    interval: &Interval,
    style: &TextOptions,
    columns: usize,
    height: usize,
) {
    let Some(line) = first_line(canvas, interval.y, height) else {
        return;
    };
    let (dash, bars, open, middle) = if style.ascii {
        ('-', ['|', '|'], ['<', '>'], 'o')
    } else {
        ('─', ['├', '┤'], ['◄', '►'], '●')
    };
    // What is beyond the axis, or has no end, points there.
    let end = |value: Option<f64>, edge: usize, side: usize| match value
        .and_then(|value| column(&plot.x.scale, value, columns))
    {
        Some(x) => (x, bars[side]),
        None => (edge, open[side]),
    };
    let (low, low_mark) = end(interval.low, 0, 0);
    let (high, high_mark) = end(interval.high, columns.saturating_sub(1), 1);
    for x in low..=high {
        canvas.put(x, line, dash, interval.tone);
    }
    canvas.put(low, line, low_mark, interval.tone);
    canvas.put(high, line, high_mark, interval.tone);
    if let Some(x) = column(&plot.x.scale, interval.middle, columns) {
        canvas.put(x, line, middle, interval.tone);
    }
}

fn draw_summary(
    canvas: &mut Canvas,
    plot: &Plot,
    summary: &Summary,
    layer: &Layer,
    style: &TextOptions,
    columns: usize,
    height: usize,
) {
    let Some(line) = first_line(canvas, summary.y, height).map(|line| line + height - 1) else {
        return;
    };
    let x_of = |value: f64| Some(column_at(plot.x.scale.clamped(value)?, columns));
    let places = [summary.low, summary.median, summary.mean, summary.high].map(x_of);
    let [Some(low), Some(median), Some(mean), Some(high)] = places else {
        return;
    };
    for x in low..=high {
        canvas.put(x, line, if style.ascii { '_' } else { '─' }, layer.tone);
    }
    for (x, mark) in [(low, '|'), (high, '|'), (median, 'M'), (mean, 'A')] {
        canvas.put(x, line, mark, layer.tone);
    }
}

fn draw_cell(canvas: &mut Canvas, plot: &Plot, cell: &Cell, style: &TextOptions, columns: usize) {
    let Some(middle) = column(&plot.x.scale, cell.x as f64, columns) else {
        return;
    };
    let value = style.show(&cell.value);
    let start = middle.saturating_sub(value.width() / 2);
    for (x, letter) in (start..).zip(value.chars()) {
        canvas.put(x, cell.y, letter, cell.tone);
    }
}

/// Points as stacks over the axis, for each name; says for how many values a mark stands.
fn stacks(
    canvas: &mut Canvas,
    plot: &Plot,
    names: usize,
    style: &TextOptions,
    columns: usize,
    height: usize,
) -> usize {
    // Of each name and column: which series has how many.
    let mut counts: Vec<Vec<Vec<(char, Tone, usize)>>> = vec![vec![Vec::new(); columns]; names];
    for layer in &plot.layers {
        let Marks::Points { at, .. } = &layer.marks else {
            continue;
        };
        let letter = symbol(layer, style);
        for point in at {
            let (Some(line), Some(x)) = (
                first_line(canvas, point.y, height),
                column(&plot.x.scale, point.x, columns),
            ) else {
                continue;
            };
            let place = &mut counts[line / height][x];
            match place
                .iter_mut()
                .find(|(of, tone, _)| (*of, *tone) == (letter, layer.tone))
            {
                Some((_, _, count)) => *count += 1,
                None => place.push((letter, layer.tone, 1)),
            }
        }
    }
    let mut each = 1;
    for place in counts.iter().flatten() {
        let own = || place.iter().map(|(_, _, count)| *count);
        let most = own().max().unwrap_or(0);
        // Every series of a place rounds up, so that none of them vanishes.
        while each < most && own().map(|count| count.div_ceil(each)).sum::<usize>() > STACK {
            each += 1;
        }
    }
    for (name, places) in counts.iter().enumerate() {
        for (x, place) in places.iter().enumerate() {
            let mut up = 0;
            for (letter, tone, count) in place {
                for _ in 0..count.div_ceil(each) {
                    if up < STACK {
                        canvas.put(x, name * height + STACK - 1 - up, *letter, *tone);
                        up += 1;
                    }
                }
            }
        }
    }
    each
}
