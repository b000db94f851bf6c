//! Marks as elements of SVG. Points without a text of their own share one path, which browsers draw fast. Those with
//! texts share what they have in common: most of a page of many values are its points.

use std::fmt::Write as _;

use super::frame::Frame;
use super::letters::text_width;
use super::markup::{class, escaped, fine, short};
use super::outline::{Outline, class_of};
use crate::marks::{Area, Cell, Interval, Marker, Point, Summary, Which};
use crate::untrusted_text::brief;

/// Half the height of an interval's ends.
const END: f64 = 5.0;

pub(super) fn points(out: &mut String, frame: &Frame<'_>, marker: Marker, at: &[Point]) {
    let class = class_of(marker);
    let places = at.iter().filter_map(|point| {
        let (x, y) = (frame.x(point.x)?, frame.y(point.y)?);
        Some((point, Outline::new(marker, x, y)))
    });
    if at.iter().any(|point| !point.label.is_empty()) {
        let mut before = None;
        for (point, path) in places {
            if before != Some(&point.link) {
                out.push_str(if before.is_some() { "</g><g" } else { "<g" });
                let _ = write!(out, " class=\"{class}\"");
                link(out, point.link.as_deref());
                out.push('>');
                before = Some(&point.link);
            }
            let _ = write!(out, "<path d=\"{path}\">");
            title(out, &point.label);
            out.push_str("</path>");
        }
        if before.is_some() {
            out.push_str("</g>");
        }
        return;
    }
    let _ = write!(out, "<path class=\"{class}\" d=\"");
    for (_, path) in places.clone() {
        let _ = write!(out, "{path}");
    }
    out.push('"');
    if at.iter().any(|point| point.link.is_some()) {
        out.push_str(" data-links=\"");
        for (index, (point, _)) in places.enumerate() {
            let between = if index > 0 { " " } else { "" };
            let link = escaped(point.link.as_deref().unwrap_or_default());
            let _ = write!(out, "{between}{link}");
        }
        out.push('"');
    }
    out.push_str("/>");
}

/// What to open for more, for a script.
fn link(out: &mut String, link: Option<&str>) {
    if let Some(link) = link {
        let _ = write!(out, " data-link=\"{}\"", escaped(link));
    }
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
                let _ = write!(out, "{command}{} {}", fine(x), fine(y));
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
        let _ = write!(out, "{command}{} {}", fine(x), fine(y));
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
                format!("M{} {}m0-{END}v{}", fine(x), fine(y), 2.0 * END)
            } else {
                String::new()
            }
        };
        let _ = write!(out, "<g class=\"interval {}\"", class(interval.tone));
        link(out, interval.link.as_deref());
        out.push('>');
        title(out, &interval.label);
        let _ = write!(
            out,
            "<path class=\"line\" d=\"M{} {}H{}{}{}\"/><path class=\"solid\" d=\"M{} {}m-4-4h8v8h-8z\"/></g>",
            fine(low),
            fine(y),
            fine(high),
            bar(low, has_low),
            bar(high, has_high),
            fine(middle),
            fine(y),
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
            "<path class=\"line\" d=\"M{low} {y}H{high}M{low} {y}m0-4v8M{high} {y}m0-4v8M{median} {y}m0-4v8\"/>\
             <path class=\"solid\" d=\"M{mean} {y}m-4 0l4-4l4 4l-4 4z\"/></g>",
            low = fine(low),
            high = fine(high),
            median = fine(median),
            mean = fine(mean),
            y = fine(y),
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
        let _ = write!(out, "<g class=\"cell {}\"", class(cell.tone));
        link(out, cell.link.as_deref());
        let _ = write!(
            out,
            "><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill-opacity=\"{:.2}\">",
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

pub(super) fn rule(out: &mut String, frame: &Frame<'_>, axis: Which, at: f64) {
    let path = match axis {
        Which::X => frame.x(at).map(|x| {
            let (top, bottom) = (short(frame.top), short(frame.bottom()));
            format!("M{} {top}V{bottom}", fine(x))
        }),
        Which::Y => frame.y(at).map(|y| {
            let (left, right) = (short(frame.left), short(frame.right()));
            format!("M{left} {}H{right}", fine(y))
        }),
    };
    if let Some(path) = path {
        let _ = write!(out, "<path class=\"rule\" d=\"{path}\"/>");
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
        let (x1, x2, y1, y2) = (fine(x1), fine(x2), fine(y1), fine(y2));
        let _ = write!(
            out,
            "<path class=\"stripe\" d=\"M{x1} {y1}H{x2}V{y2}H{x1}Z\"/>"
        );
    }
}
