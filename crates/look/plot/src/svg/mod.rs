//! A plot as SVG, to stand in a page: it needs no script, follows the page's colours, and is described in words.
//!
//! Colours come from the page: each mark has a class, `s0` to `s5` for series and the names of the other tones.

mod frame;
mod legend;
mod letters;
mod shapes;

use std::fmt::{self, Write as _};

use crate::Plot;
use crate::marks::{Layer, Marks, Tone, Which};
use crate::shown::brief;
use crate::ticks::ticks;
use frame::{Frame, MOST_OF_A_LABEL, TICKS_UP, TITLE_LINE};
use letters::cut;

/// Marks of a layer that get a text of their own, to be shown where the mouse is. More make pages slow.
const MOST_TEXTS: usize = 500;

/// The plot as an element `svg`; `id` begins the ids in it, and must be no other's on the page.
pub fn svg(plot: &Plot, id: &str) -> String {
    let frame = Frame::of(plot);
    let mut out = format!(
        "<svg class=\"plot\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\
         <title id=\"{id}-t\">{title}</title><desc id=\"{id}-d\">{description}</desc>",
        width = frame.width,
        height = frame.height,
        id = escaped(id),
        title = escaped(&plot.title),
        description = escaped(&plot.description),
    );
    let behind = |layer: &&Layer| matches!(layer.marks, Marks::Stripe { .. });
    for layer in plot.layers.iter().filter(behind) {
        draw(&mut out, &frame, layer);
    }
    axes(&mut out, plot, &frame);
    for layer in plot.layers.iter().filter(|layer| !behind(layer)) {
        draw(&mut out, &frame, layer);
    }
    legend(&mut out, &frame);
    out.push_str("</svg>");
    out
}

/// Text as it may stand in an element or an attribute; one that is very long is cut.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in brief(text).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // What XML knows no reference for, and what turns the order of letters.
            _ if crate::shown::steers(character) => escaped.extend(character.escape_default()),
            _ => escaped.push(character),
        }
    }
    escaped
}

/// A coordinate: tenths are finer than a screen.
pub(crate) fn short(value: f64) -> Short {
    Short(value)
}

/// Drawings of many points consist of these, so they are written without a text of their own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Short(f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (self.0 * 10.0).round_ties_even();
        // Beyond that no drawing reaches, and a cast would be wrong.
        if !tenths.is_finite() || tenths.abs() >= 1e15 {
            return write!(f, "{:.1}", self.0);
        }
        let is_negative = tenths < 0.0;
        let tenths = tenths.abs() as u64;
        // From the last digit to the first.
        let mut text = [b'.'; 20];
        let mut from = text.len();
        let mut put = |byte: u64| {
            from -= 1;
            text[from] = byte as u8;
        };
        let digit = |number: u64| u64::from(b'0') + number % 10;
        if !tenths.is_multiple_of(10) {
            put(digit(tenths));
            put(u64::from(b'.'));
        }
        let mut whole = tenths / 10;
        loop {
            put(digit(whole));
            whole /= 10;
            if whole == 0 {
                break;
            }
        }
        if is_negative {
            put(u64::from(b'-'));
        }
        f.write_str(std::str::from_utf8(&text[from..]).unwrap_or_default())
    }
}

pub(crate) fn class(tone: Tone) -> String {
    match tone {
        Tone::Series(series) => format!("s{}", series % 6),
        Tone::Better => "better".to_owned(),
        Tone::Worse => "worse".to_owned(),
        Tone::Same => "same".to_owned(),
        Tone::Open => "open".to_owned(),
        Tone::Quiet => "quiet".to_owned(),
    }
}

fn axes(out: &mut String, plot: &Plot, frame: &Frame<'_>) {
    let (left, right) = (short(frame.left), short(frame.right()));
    let (top, bottom) = (short(frame.top), short(frame.bottom()));
    out.push_str("<g class=\"axes\">");
    for tick in ticks(&plot.x.scale, frame.ticks_across()) {
        let Some(x) = frame.x(tick.at).map(short) else {
            continue;
        };
        let _ = write!(
            out,
            "<path class=\"grid\" d=\"M{x} {top}V{bottom}\"/>\
             <text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{label}</text>",
            y = short(frame.bottom() + 15.0),
            label = escaped(&cut(&tick.label, frame.width_of_a_name())),
        );
    }
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

fn legend(out: &mut String, frame: &Frame<'_>) {
    for entry in &frame.legend {
        let y = 14.0 + legend::LINE * entry.line as f64;
        let _ = write!(out, "<g class=\"legend {}\">", class(entry.layer.tone));
        shapes::sample(out, &entry.layer.marks, entry.x + 6.0, y - 4.0);
        let _ = write!(
            out,
            "<text x=\"{}\" y=\"{}\">{}</text></g>",
            short(entry.name_x),
            short(y),
            escaped(&entry.name)
        );
    }
}

fn draw(out: &mut String, frame: &Frame<'_>, layer: &Layer) {
    let _ = write!(out, "<g class=\"{}\">", class(layer.tone));
    match &layer.marks {
        Marks::Points { marker, at } => shapes::points(out, frame, *marker, at),
        Marks::Line(at) => shapes::line(out, frame, at),
        Marks::Areas(at) => shapes::areas(out, frame, at),
        Marks::Intervals(at) => shapes::intervals(out, frame, at),
        Marks::Summaries(at) => shapes::summaries(out, frame, at),
        Marks::Cells(at) => shapes::cells(out, frame, at),
        Marks::Rule { axis, at } => {
            let (top, bottom) = (frame.top, frame.bottom());
            let path = match axis {
                Which::X => frame
                    .x(*at)
                    .map(|x| format!("M{} {}V{}", short(x), short(top), short(bottom))),
                Which::Y => frame.y(*at).map(|y| {
                    format!(
                        "M{} {}H{}",
                        short(frame.left),
                        short(y),
                        short(frame.right())
                    )
                }),
            };
            if let Some(path) = path {
                let _ = write!(out, "<path class=\"rule\" d=\"{path}\"/>");
            }
        }
        Marks::Stripe { axis, low, high } => shapes::stripe(out, frame, *axis, *low, *high),
    }
    out.push_str("</g>");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_no_markup() {
        assert_eq!(
            escaped("<b a=\"'&\u{1b}\u{202e}>"),
            "&lt;b a=&quot;&#39;&amp;\\u{1b}\\u{202e}&gt;"
        );
    }

    #[test]
    fn coordinates_are_short() {
        let values = [1.0, 1.26, -0.5, -12.0, -0.04, 12.25, f64::NAN, 1e300];
        let texts = values.map(|value| short(value).to_string());
        assert_eq!(texts[..7], ["1", "1.3", "-0.5", "-12", "0", "12.2", "NaN"]);
        assert_eq!(texts[7].parse(), Ok(1e300));
    }
}
