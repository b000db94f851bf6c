//! A plot as lines of text, as wide as a terminal is, with Unicode or with ASCII alone.

mod canvas;
mod numbers;
mod rows;

use unicode_width::UnicodeWidthStr;

use crate::Plot;
use crate::axis::Scale;
use crate::marks::{Layer, Marker, Marks, Tone};
use crate::shown::clean;
use crate::ticks::ticks;
use canvas::Ink;

/// How a plot is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextStyle {
    /// Columns to fit into; at least 40 are taken.
    pub width: usize,
    /// Whether meanings are coloured, with ANSI escape sequences.
    pub colour: bool,
    /// Whether everything outside ASCII is replaced.
    pub ascii: bool,
}

/// Least columns of a plot.
const LEAST: usize = 40;

/// Most columns: beyond, the eye loses the line.
const MOST: usize = 160;

/// The plot as text, each line with its end.
pub fn text(plot: &Plot, style: &TextStyle) -> String {
    let width = style.width.clamp(LEAST, MOST);
    let mut out = style.shown(&plot.title);
    out.push('\n');
    if !plot.y.title.is_empty() {
        out += &style.shown(&plot.y.title);
        out.push('\n');
    }
    out += &match &plot.y.scale {
        Scale::Names(names) => rows::rows(plot, names, style, width),
        Scale::Numbers { .. } => numbers::numbers(plot, style, width),
    };
    out += &legend(plot, style);
    out
}

impl TextStyle {
    /// Text of others as it may be shown.
    fn shown(&self, text: &str) -> String {
        let clean = clean(text);
        if !self.ascii {
            return clean;
        }
        let mut ascii = String::with_capacity(clean.len());
        for character in clean.chars() {
            match character {
                _ if character.is_ascii() => ascii.push(character),
                'µ' | 'μ' => ascii.push('u'),
                '−' => ascii.push('-'),
                '…' => ascii.push_str("..."),
                other => ascii.extend(other.escape_unicode()),
            }
        }
        ascii
    }

    /// The text, which must be shown already, cut to so many columns and filled up to them.
    fn fit(&self, text: &str, columns: usize, right: bool) -> String {
        let mark = if self.ascii { "~" } else { "…" };
        let mut kept = text.to_owned();
        if text.width() > columns {
            kept.clear();
            for character in text.chars() {
                kept.push(character);
                if kept.width() + 1 > columns {
                    kept.pop();
                    break;
                }
            }
            if columns > 0 {
                kept += mark;
            }
        }
        let space = " ".repeat(columns.saturating_sub(kept.width()));
        if right { space + &kept } else { kept + &space }
    }

    fn symbol(&self, marker: Marker) -> char {
        match (marker, self.ascii) {
            (Marker::Disc, false) => '●',
            (Marker::Disc | Marker::Ring, true) => 'o',
            (Marker::Cross, false) => '×',
            (Marker::Cross, true) => 'x',
            (Marker::Plus, _) => '+',
            (Marker::Triangle, false) => '▲',
            (Marker::Triangle, true) => '^',
            (Marker::Square, false) => '■',
            (Marker::Square, true) => '#',
            (Marker::Ring, false) => '○',
        }
    }

    /// Select Graphic Rendition (ECMA-48, 8.3.117). Series take colours that say neither good nor bad.
    fn code(tone: Tone) -> Option<&'static str> {
        match tone {
            Tone::Series(series) => {
                Some(["36", "35", "34", "33", "96", "95"][usize::from(series % 6)])
            }
            Tone::Better => Some("32"),
            Tone::Worse => Some("31"),
            Tone::Same => None,
            Tone::Open | Tone::Quiet => Some("2"),
        }
    }

    /// A line of ink, without blanks at its end.
    fn line(&self, ink: &[Option<Ink>]) -> String {
        let end = ink
            .iter()
            .rposition(Option::is_some)
            .map_or(0, |last| last + 1);
        let mut line = String::new();
        let mut current = None;
        for place in &ink[..end] {
            let (symbol, code) = match place {
                Some(ink) => (ink.symbol, Self::code(ink.tone).filter(|_| self.colour)),
                None => (' ', None),
            };
            if code != current {
                if current.is_some() {
                    line += "\u{1b}[0m";
                }
                if let Some(code) = code {
                    line += &format!("\u{1b}[{code}m");
                }
                current = code;
            }
            line.push(symbol);
        }
        if current.is_some() {
            line += "\u{1b}[0m";
        }
        line
    }
}

/// The horizontal axis: a line, and numbers below it. `left`: columns before the first place.
fn horizontal(plot: &Plot, style: &TextStyle, left: usize, columns: usize) -> String {
    let mut line: Vec<char> = vec![if style.ascii { '-' } else { '─' }; columns];
    let mut labels: Vec<char> = vec![' '; left + columns];
    let mut free = 0;
    let most = if matches!(plot.x.scale, Scale::Names(_)) {
        usize::MAX
    } else {
        (columns / 12).max(2)
    };
    for tick in ticks(&plot.x.scale, most) {
        let Some(column) = canvas::column(&plot.x.scale, tick.at, columns) else {
            continue;
        };
        line[column] = if style.ascii { '+' } else { '┬' };
        let label = style.shown(&tick.label);
        let length = label.chars().count();
        // Centred, as far as there is room.
        let start = (left + column)
            .saturating_sub(length / 2)
            .min((left + columns).saturating_sub(length));
        if start >= free && length <= columns && label.width() == length {
            for (place, letter) in labels[start..].iter_mut().zip(label.chars()) {
                *place = letter;
            }
            free = start + length + 1;
        }
    }
    let labels: String = labels.into_iter().collect();
    let mut out = format!(
        "{}{}\n{}\n",
        " ".repeat(left),
        line.into_iter().collect::<String>(),
        labels.trim_end()
    );
    if !plot.x.title.is_empty() {
        let title = style.shown(&plot.x.title);
        let indent = left + columns.saturating_sub(title.width()) / 2;
        out += &format!("{}{title}\n", " ".repeat(indent));
    }
    out
}

fn legend(plot: &Plot, style: &TextStyle) -> String {
    let mut entries: Vec<String> = Vec::new();
    for layer in plot.layers.iter().filter(|layer| !layer.name.is_empty()) {
        let ink = Ink {
            symbol: symbol(layer, style),
            tone: layer.tone,
        };
        let entry = format!("{} {}", style.line(&[Some(ink)]), style.shown(&layer.name));
        if !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    if entries.is_empty() {
        return String::new();
    }
    entries.join("   ") + "\n"
}

/// What a layer is drawn with.
fn symbol(layer: &Layer, style: &TextStyle) -> char {
    match &layer.marks {
        Marks::Points { marker, .. } => style.symbol(*marker),
        Marks::Line(_) | Marks::Intervals(_) | Marks::Summaries(_) | Marks::Cells(_) => {
            match layer.tone {
                Tone::Series(series) => style.symbol(Marker::of_series(usize::from(series))),
                _ => style.symbol(Marker::Disc),
            }
        }
        Marks::Areas(_) | Marks::Stripe { .. } => canvas::shade(style),
        Marks::Rule { axis, .. } => canvas::rule(*axis, style),
    }
}
