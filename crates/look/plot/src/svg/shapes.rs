//! Marks as elements of SVG. Those without a text of their own share one path, which browsers draw fast.

use std::fmt::{self, Write as _};

use super::frame::Frame;
use super::letters::text_width;
use super::{MOST_TEXTS, class, escaped, short};
use crate::marks::{Area, Cell, Interval, Marker, Marks, Point, Summary, Which};
use crate::shown::brief;

/// Half the height of an interval's ends.
const END: f64 = 5.0;

/// A marker as a path. Discs are lines of no length with round ends.
struct Outline {
    marker: Marker,
    x: f64,
    y: f64,
}

impl fmt::Display for Outline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let around = match self.marker {
            Marker::Disc | Marker::Ring => "h0",
            Marker::Cross => "m-3-3l6 6m0-6l-6 6",
            Marker::Plus => "m-4 0h8m-4-4v8",
            Marker::Triangle => "m0-4l4 7h-8z",
            Marker::Square => "m-3-3h6v6h-6z",
        };
        write!(f, "M{} {}{around}", short(self.x), short(self.y))
    }
}

fn outline(marker: Marker, x: f64, y: f64) -> Outline {
    Outline { marker, x, y }
}

fn shape_class(marker: Marker) -> &'static str {
    match marker {
        Marker::Disc => "disc",
        Marker::Ring => "ring",
        Marker::Cross | Marker::Plus => "strokes",
        Marker::Triangle | Marker::Square => "solid",
    }
}

pub(super) fn points(out: &mut String, frame: &Frame<'_>, marker: Marker, at: &[Point]) {
    let class = shape_class(marker);
    let places = at.iter().filter_map(|point| {
        let (x, y) = (frame.x(point.x)?, frame.y(point.y)?);
        Some((point, outline(marker, x, y)))
    });
    if at.len() <= MOST_TEXTS {
        for (point, path) in places {
            let _ = write!(out, "<path class=\"{class}\" d=\"{path}\">");
            title(out, &point.label);
            out.push_str("</path>");
        }
        return;
    }
    let _ = write!(out, "<path class=\"{class}\" d=\"");
    for (_, path) in places {
        let _ = write!(out, "{path}");
    }
    out.push_str("\"/>");
}

/// What is shown where the mouse is. Its lines stay lines.
fn title(out: &mut String, label: &str) {
    if !label.is_empty() {
        let label = brief(label);
        let lines: Vec<String> = label.lines().map(escaped).collect();
        let _ = write!(out, "<title>{}</title>", lines.join("\n"));
    }
}

pub(super) fn line(out: &mut String, frame: &Frame<'_>, at: &[[f64; 2]]) {
    out.push_str("<path class=\"line\" d=\"");
    let mut command = 'M';
    for [x, y] in at {
        match (frame.x(*x), frame.y(*y)) {
            (Some(x), Some(y)) => {
                let _ = write!(out, "{command}{} {}", short(x), short(y));
                command = 'L';
            }
            // A gap, beyond which the line begins again.
            _ => command = 'M',
        }
    }
    out.push_str("\"/>");
}

pub(super) fn areas(out: &mut String, frame: &Frame<'_>, at: &[Area]) {
    let place = |x: f64, y: f64| Some((frame.x(x)?, frame.y(y)?));
    let there = at.iter().filter_map(|area| place(area.x, area.high));
    let back = at.iter().rev().filter_map(|area| place(area.x, area.low));
    out.push_str("<path class=\"area\" d=\"");
    let mut command = 'M';
    for (x, y) in there.chain(back) {
        let _ = write!(out, "{command}{} {}", short(x), short(y));
        command = 'L';
    }
    if command == 'L' {
        out.push('Z');
    }
    out.push_str("\"/>");
}

pub(super) fn intervals(out: &mut String, frame: &Frame<'_>, at: &[Interval]) {
    for interval in at {
        let (Some(y), Some(middle)) = (frame.y(interval.y), frame.x(interval.middle)) else {
            continue;
        };
        // An end that is not known is beyond the edge, and has no bar.
        let end = |end: Option<f64>, edge: f64| match end.and_then(|end| frame.x(end)) {
            Some(x) => (x, true),
            None => (edge, false),
        };
        let (low, has_low) = end(interval.low, frame.left);
        let (high, has_high) = end(interval.high, frame.right());
        let bar = |x: f64, has: bool| {
            if has {
                format!("M{} {}v{}", short(x), short(y - END), short(2.0 * END))
            } else {
                String::new()
            }
        };
        let _ = write!(out, "<g class=\"interval {}\">", class(interval.tone));
        title(out, &interval.label);
        let _ = write!(
            out,
            "<path class=\"line\" d=\"M{} {}H{}{}{}\"/><path class=\"solid\" d=\"M{} {}m-4-4h8v8h-8z\"/></g>",
            short(low),
            short(y),
            short(high),
            bar(low, has_low),
            bar(high, has_high),
            short(middle),
            short(y),
        );
    }
}

pub(super) fn summaries(out: &mut String, frame: &Frame<'_>, at: &[Summary]) {
    let below = frame.cell().1 / 2.0 - 10.0;
    for summary in at {
        let places =
            [summary.low, summary.median, summary.mean, summary.high].map(|at| frame.x(at));
        let (Some(y), [Some(low), Some(median), Some(mean), Some(high)]) =
            (frame.y(summary.y), places)
        else {
            continue;
        };
        let y = y + below;
        let _ = write!(out, "<g class=\"summary\">");
        title(out, &summary.label);
        let _ = write!(
            out,
            "<path class=\"line\" d=\"M{low} {y}H{high}M{low} {top}v8M{high} {top}v8M{median} {top}v8\"/>\
             <path class=\"solid\" d=\"M{mean} {y}m-4 0l4-4l4 4l-4 4z\"/></g>",
            low = short(low),
            high = short(high),
            median = short(median),
            mean = short(mean),
            y = short(y),
            top = short(y - 4.0),
        );
    }
}

pub(super) fn cells(out: &mut String, frame: &Frame<'_>, at: &[Cell]) {
    let (width, height) = frame.cell();
    let is_wide = |value: &str| text_width(value) <= width;
    for cell in at {
        let (Some(x), Some(y)) = (frame.x(cell.x as f64), frame.y(cell.y as f64)) else {
            continue;
        };
        let _ = write!(
            out,
            "<g class=\"cell {}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill-opacity=\"{:.2}\">",
            class(cell.tone),
            short(x - width / 2.0 + 1.0),
            short(y - height / 2.0 + 1.0),
            short((width - 2.0).max(1.0)),
            short((height - 2.0).max(1.0)),
            cell.opacity(),
        );
        title(out, &cell.label);
        out.push_str("</rect>");
        if is_wide(&cell.value) {
            let _ = write!(
                out,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                short(x),
                short(y + 4.0),
                escaped(&cell.value)
            );
        }
        out.push_str("</g>");
    }
}

pub(super) fn stripe(out: &mut String, frame: &Frame<'_>, axis: Which, low: f64, high: f64) {
    let (across, up) = match axis {
        Which::X => (
            (frame.x(low), frame.x(high)),
            (Some(frame.top), Some(frame.bottom())),
        ),
        Which::Y => (
            (Some(frame.left), Some(frame.right())),
            (frame.y(low), frame.y(high)),
        ),
    };
    if let ((Some(x1), Some(x2)), (Some(y1), Some(y2))) = (across, up) {
        let _ = write!(
            out,
            "<rect class=\"stripe\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
            short(x1.min(x2)),
            short(y1.min(y2)),
            short((x2 - x1).abs()),
            short((y2 - y1).abs())
        );
    }
}

/// How marks look, for the legend.
pub(super) fn sample(out: &mut String, marks: &Marks, x: f64, y: f64) {
    let (class, path) = match marks {
        Marks::Points { marker, .. } => (shape_class(*marker), outline(*marker, x, y).to_string()),
        Marks::Line(_) | Marks::Rule { .. } | Marks::Summaries(_) => {
            ("line", format!("M{} {}h12", short(x - 6.0), short(y)))
        }
        Marks::Areas(_) | Marks::Stripe { .. } => (
            "area",
            format!("M{} {}h12v8h-12z", short(x - 6.0), short(y - 4.0)),
        ),
        Marks::Intervals(_) | Marks::Cells(_) => {
            ("solid", outline(Marker::Square, x, y).to_string())
        }
    };
    let _ = write!(out, "<path class=\"{class}\" d=\"{path}\"/>");
}
