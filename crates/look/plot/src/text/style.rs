//! How text is written: which letters, which colours, how wide.

use unicode_width::UnicodeWidthStr;

use crate::marks::{Marker, Tone};
use crate::untrusted_text::clean;

/// How text is written for people, and plots among it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextOptions {
    /// Columns to fit into, if possible; a plot takes at least 40.
    pub width: usize,
    /// Whether meanings are coloured, with ANSI escape sequences.
    pub colour: bool,
    /// Whether everything outside ASCII is replaced.
    pub ascii: bool,
}

impl Default for TextOptions {
    /// What suits a file: 100 columns, no colour.
    fn default() -> Self {
        Self {
            width: 100,
            colour: false,
            ascii: false,
        }
    }
}

/// A letter with a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ink {
    pub(super) symbol: char,
    pub(super) tone: Tone,
}

impl TextOptions {
    /// A name, or any text without line ends of its own, as it may be shown.
    pub fn show(&self, text: &str) -> String {
        let clean = clean(text);
        if self.ascii { to_ascii(&clean) } else { clean }
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
        let (unicode, ascii) = match marker {
            Marker::Disc => ('●', 'o'),
            Marker::Cross => ('×', 'x'),
            Marker::Plus => ('+', '+'),
            Marker::Triangle => ('▲', '^'),
            Marker::Square => ('■', '#'),
            Marker::Diamond => ('◆', '%'),
            Marker::Wedge => ('▼', 'v'),
            Marker::Ring => ('○', '0'),
            Marker::HollowTriangle => ('△', 'A'),
            Marker::HollowSquare => ('□', '='),
            Marker::HollowDiamond => ('◇', '&'),
            Marker::HollowWedge => ('▽', 'Y'),
            Marker::Star => ('✶', '@'),
        };
        if self.ascii { ascii } else { unicode }
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

fn to_ascii(text: &str) -> String {
    let mut ascii = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            _ if character.is_ascii() => ascii.push(character),
            '…' => ascii += "...",
            '×' => ascii.push('x'),
            'µ' | 'μ' => ascii.push('u'),
            '±' => ascii += "+/-",
            '–' | '—' | '−' => ascii.push('-'),
            '‘' | '’' => ascii.push('\''),
            '“' | '”' => ascii.push('"'),
            '\u{a0}' => ascii.push(' '),
            other => ascii.extend(other.escape_unicode()),
        }
    }
    ascii
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_replaces_everything_else() {
        let ascii = TextOptions {
            ascii: true,
            ..TextOptions::default()
        };
        assert_eq!(
            ascii.show("3×12 µs … ±1 “é”"),
            "3x12 us ... +/-1 \"\\u{e9}\""
        );
    }
}
