//! What reaches a terminal: names made harmless, text of known width, colours only where wanted.

pub use perflab_plot::TextOptions;
pub(crate) use perflab_plot::clean;
use unicode_width::UnicodeWidthStr;

/// A colour with a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colour {
    Good,
    Bad,
    Mixed,
    Dim,
    None,
}

impl Colour {
    /// Select Graphic Rendition (ECMA-48, 8.3.117).
    fn code(self) -> Option<u8> {
        match self {
            Self::Good => Some(32),
            Self::Bad => Some(31),
            Self::Mixed => Some(33),
            Self::Dim => Some(2),
            Self::None => None,
        }
    }
}

/// Text laid out for a terminal.
pub(crate) trait Layout {
    /// The text, which must be shown already, in a colour. Blanks at its end stay outside, as those at the end of a
    /// line are taken away.
    fn paint(&self, text: &str, colour: Colour) -> String;

    /// A paragraph, wrapped; every line but the first is indented. Ends with a line end.
    fn paragraph(&self, text: &str) -> String;

    /// The text cut to so many columns, with a mark where it is cut.
    fn cut(&self, text: &str, columns: usize) -> String;
}

impl Layout for TextOptions {
    fn paint(&self, text: &str, colour: Colour) -> String {
        match colour.code() {
            Some(code) if self.colour && !text.trim().is_empty() => {
                let (text, blanks) = text.split_at(text.trim_end().len());
                format!("\u{1b}[{code}m{text}\u{1b}[0m{blanks}")
            }
            _ => text.to_owned(),
        }
    }

    fn paragraph(&self, text: &str) -> String {
        let mut lines = String::new();
        let mut line = String::new();
        // Below that, wrapping makes no reading easier.
        let width = self.width.max(40);
        for word in self.show(&one_line(text)).split(' ') {
            if !line.is_empty() && line.width() + 1 + word.width() > width {
                lines += line.trim_end();
                lines.push('\n');
                line = "  ".to_owned();
            } else if !line.is_empty() {
                line.push(' ');
            }
            line += word;
        }
        lines += line.trim_end();
        lines.push('\n');
        lines
    }

    fn cut(&self, text: &str, columns: usize) -> String {
        if text.width() <= columns {
            return text.to_owned();
        }
        let mark = if self.ascii { "..." } else { "…" };
        let mut kept = String::new();
        for character in text.chars() {
            kept.push(character);
            if kept.width() + mark.width() > columns {
                kept.pop();
                break;
            }
        }
        kept + mark
    }
}

/// The text on one line, with single spaces.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text padded to so many columns.
pub(crate) fn pad(text: &str, columns: usize, right: bool) -> String {
    let space = " ".repeat(columns.saturating_sub(text.width()));
    if right {
        space + text
    } else {
        text.to_owned() + &space
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: TextOptions = TextOptions {
        width: 40,
        colour: false,
        ascii: false,
    };
    const ASCII: TextOptions = TextOptions {
        ascii: true,
        ..PLAIN
    };

    #[test]
    fn cutting_counts_columns_not_characters() {
        assert_eq!(PLAIN.cut("abcdef", 6), "abcdef");
        assert_eq!(PLAIN.cut("abcdefg", 6), "abcde…");
        assert_eq!(PLAIN.cut("速度速度", 6), "速度…");
        assert_eq!(ASCII.cut("abcdefgh", 6), "abc...");
        assert_eq!(pad("速度", 6, true), "  速度");
    }

    #[test]
    fn a_paragraph_is_wrapped_at_spaces() {
        let text = "the quick brown fox jumps\nover the lazy dog and runs away";
        assert_eq!(
            PLAIN.paragraph(text),
            "the quick brown fox jumps over the lazy\n  dog and runs away\n"
        );
        let word = "x".repeat(60);
        assert_eq!(PLAIN.paragraph(&word), format!("{word}\n"));
    }

    #[test]
    fn colour_is_used_only_if_wanted() {
        let colour = TextOptions {
            colour: true,
            ..PLAIN
        };
        assert_eq!(PLAIN.paint("slower", Colour::Bad), "slower");
        assert_eq!(
            colour.paint("slower", Colour::Bad),
            "\u{1b}[31mslower\u{1b}[0m"
        );
        assert_eq!(colour.paint("same", Colour::None), "same");
    }
}
