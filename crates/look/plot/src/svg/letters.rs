//! How wide text is, which is known to nobody before a browser draws it: wide enough for all fonts in use.

use unicode_width::UnicodeWidthChar;

/// Size of the letters in the page's style, in the drawing's units.
const SIZE: f64 = 12.0;

/// Room that the text takes at most. The widths are those of DejaVu Sans, which is wider than other sans-serif fonts.
pub(super) fn text_width(text: &str) -> f64 {
    text.chars().map(letter_width).sum()
}

/// Text cut to so much room.
pub(super) fn cut(text: &str, most: f64) -> String {
    if text_width(text) <= most {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut width = letter_width('…');
    for letter in text.chars() {
        width += letter_width(letter);
        if width > most {
            break;
        }
        kept.push(letter);
    }
    kept + "…"
}

fn letter_width(letter: char) -> f64 {
    let share = match letter {
        ' ' | ',' | '.' | ':' | ';' | '\'' | '|' | '/' | '\\' | 'i' | 'j' | 'l' | 'I' | 'J' => 0.34,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '!' => 0.42,
        'm' | 'W' | '%' => 0.99,
        'w' | 'M' | '=' | '+' | '<' | '>' | '~' | '#' | '^' => 0.87,
        'A'..='Z' | '&' => 0.79,
        ' '..='~' if letter != '@' => 0.64,
        _ if letter.width() == Some(0) => 0.0,
        _ => 1.0,
    };
    share * SIZE
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As a browser draws them in DejaVu Sans at 12 px.
    #[test]
    fn no_text_is_wider_than_estimated() {
        for (text, drawn) in [
            ("command", 59.9),
            ("mmmm", 46.8),
            ("WWW", 35.6),
            ("0.123456", 57.3),
            ("redis-aof", 54.5),
        ] {
            let width = text_width(text);
            assert!(
                width >= drawn && width < drawn * 1.15,
                "{text}: {width} for {drawn}"
            );
        }
    }

    #[test]
    fn names_are_cut_by_their_width() {
        let whole = text_width("abcde");
        assert_eq!(
            [cut("abcde", whole), cut("abcde", whole - 1.0)],
            ["abcde", "abc…"]
        );
        assert_eq!(cut("速度速度", 40.0), "速度…");
        assert_eq!(cut("abc", 0.0), "…");
    }
}
