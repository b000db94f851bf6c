//! How text is written: which letters, which colours, how wide.

use unicode_width::UnicodeWidthStr;

use crate::marks::{Marker, Tone};
use crate::untrusted_text::clean;

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

/// A letter with a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ink {
    pub(super) symbol: char,
    pub(super) tone: Tone,
}

impl TextStyle {
    /// Text of others as it may be shown.
    pub(super) fn shown(&self, text: &str) -> String {
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
    pub(super) fn fit(&self, text: &str, columns: usize, right: bool) -> String {
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

    /// A line of a plot behind its label, which must have its columns already, and the axis.
    pub(super) fn labelled(&self, label: &str, ink: &[Option<Ink>]) -> String {
        let axis = if self.ascii { '|' } else { '│' };
        let line = format!("{label} {axis}{}", self.line(ink));
        format!("{}\n", line.trim_end())
    }

    pub(super) fn symbol(&self, marker: Marker) -> char {
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
    pub(super) fn line(&self, ink: &[Option<Ink>]) -> String {
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
