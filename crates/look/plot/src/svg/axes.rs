//! The axes with their ticks and titles.

use std::fmt::Write as _;

use super::frame::{Frame, MOST_OF_A_LABEL, TICKS_UP, TITLE_LINE};
use super::letters::{cut, text_width};
use super::markup::{escaped, short};
use crate::axis::Scale;
use crate::marks::Which;
use crate::plot::Plot;
use crate::ticks::ticks;

/// Least room of a name below: some letters.
const LEAST_OF_A_NAME: f64 = 30.0;

pub(super) fn axes(out: &mut String, plot: &Plot, frame: &Frame<'_>) {
    let (left, right) = (short(frame.left), short(frame.right()));
    let (top, bottom) = (short(frame.top), short(frame.bottom()));
    out.push_str("<g class=\"axes\">");
    begin(out, Which::X, &plot.x.scale);
    let columns = ticks(&plot.x.scale, frame.ticks_across());
    let widest = columns.iter().map(|tick| text_width(&tick.label));
    let needed = widest.fold(0.0, f64::max).min(LEAST_OF_A_NAME);
    // Of names that are too many only some are there.
    let every = (needed / frame.width_of_a_name()).ceil().max(1.0);
    for tick in columns.into_iter().step_by(every as usize) {
        let Some(x) = frame.x(tick.at).map(short) else {
            continue;
        };
        let _ = write!(
            out,
            "<path class=\"grid\" d=\"M{x} {top}V{bottom}\"/>\
             <text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{label}</text>",
            y = short(frame.bottom() + 15.0),
            label = escaped(&cut(&tick.label, frame.width_of_a_name() * every)),
        );
    }
    out.push_str("</g>");
    begin(out, Which::Y, &plot.y.scale);
    for tick in ticks(&plot.y.scale, TICKS_UP) {
        let Some(y) = frame.y(tick.at) else {
            continue;
        };
        if plot.y.scale.as_names().is_none() {
            let y = short(y);
            let _ = write!(out, "<path class=\"grid\" d=\"M{left} {y}H{right}\"/>");
        }
        let shown = cut(&tick.label, MOST_OF_A_LABEL);
        let whole = if shown == tick.label {
            String::new()
        } else {
            format!("<title>{}</title>", escaped(&tick.label))
        };
        let _ = write!(
            out,
            "<text x=\"{x}\" y=\"{y}\" text-anchor=\"end\">{label}{whole}</text>",
            x = short(frame.left - 7.0),
            y = short(y + 4.0),
            label = escaped(&shown),
        );
    }
    out.push_str("</g>");
    if !plot.x.title.is_empty() {
        let _ = write!(
            out,
            "<text class=\"axis\" x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{title}</text>",
            x = short(f64::midpoint(frame.left, frame.right())),
            y = short(frame.bottom() + 15.0 + TITLE_LINE),
            title = escaped(&plot.x.title),
        );
    }
    if !plot.y.title.is_empty() {
        let _ = write!(
            out,
            "<text class=\"axis\" x=\"4\" y=\"{y}\">{title}</text>",
            y = short(frame.top - 8.0),
            title = escaped(&plot.y.title),
        );
    }
    let _ = write!(
        out,
        "<path class=\"frame\" d=\"M{left} {top}V{bottom}H{right}\"/></g>"
    );
}

/// The beginning of the ticks of an axis, with the ends of one of numbers, by which a script can tell what is where.
fn begin(out: &mut String, axis: Which, scale: &Scale) {
    let name = match axis {
        Which::X => "x",
        Which::Y => "y",
    };
    let _ = match scale {
        Scale::Numbers { low, high } => write!(
            out,
            "<g data-axis=\"{name}\" data-low=\"{low:e}\" data-high=\"{high:e}\">"
        ),
        Scale::Names(_) => write!(out, "<g data-axis=\"{name}\">"),
    };
}
