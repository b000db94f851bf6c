//! Text as Markdown: free of markup that it may look like, and as lines of a table.

use crate::terminal::{clean, one_line};

/// A line of a table.
pub(crate) fn line(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

/// The text on one line, free of markup: Markdown's own, HTML's, and the separator of cells.
pub fn escape(text: &str) -> String {
    let text = clean(&one_line(text));
    let mut escaped = String::with_capacity(text.len());
    let marker = list_marker(&text);
    for (at, character) in text.char_indices() {
        let (before, behind) = (&text[..at], &text[at + character.len_utf8()..]);
        match character {
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '&' => escaped += "&amp;",
            // A zero-width joiner keeps a name from notifying its namesake.
            '@' => escaped += "@\u{200d}",
            // The same keeps addresses from becoming links: GFM, "autolinks (extension)".
            ':' if behind.starts_with("//") => escaped += ":\u{200d}",
            '.' if ends_with_www(before) => escaped += "\u{200d}.",
            _ if marker == Some(at) => {
                escaped.push('\\');
                escaped.push(character);
            }
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '$' => {
                escaped.push('\\');
                escaped.push(character);
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

fn ends_with_www(text: &str) -> bool {
    let start = text.len().saturating_sub(3);
    text.get(start..)
        .is_some_and(|end| end.eq_ignore_ascii_case("www"))
}

/// Where the character is that makes the text an item of a list, or a line across the page.
fn list_marker(text: &str) -> Option<usize> {
    let number = text.bytes().take_while(u8::is_ascii_digit).count();
    let mut rest = text[number..].chars();
    let is_marker = match rest.next()? {
        '-' | '+' => number == 0,
        '.' | ')' => number > 0,
        _ => false,
    };
    let rest = rest.as_str();
    let is_line = text.chars().all(|character| matches!(character, '-' | ' '));
    (is_marker && (rest.is_empty() || rest.starts_with(' ') || is_line)).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_markup() {
        assert_eq!(escape("a|b"), "a\\|b");
        assert_eq!(escape("`x` *y* _z_"), "\\`x\\` \\*y\\* \\_z\\_");
        assert_eq!(escape("<script>&"), "&lt;script&gt;&amp;");
        assert_eq!(escape("[a](b)"), "\\[a\\](b)");
        assert_eq!(escape("a\nb\u{1b}[2J"), "a b\\\\u{1b}\\[2J");
        assert_eq!(escape("@root"), "@\u{200d}root");
    }

    #[test]
    fn addresses_are_no_links() {
        for (text, expected) in [
            ("https://evil.example", "https:\u{200d}//evil.example"),
            ("see HTTP://evil", "see HTTP:\u{200d}//evil"),
            ("(www.evil.example)", "(www\u{200d}.evil.example)"),
            ("WWW.evil.example", "WWW\u{200d}.evil.example"),
        ] {
            assert_eq!(escape(text), expected);
        }
        for ordinary in ["rps: 5", "a: /b", "1.5 w.w ww.x äww.x", "src/main.rs:7"] {
            assert_eq!(escape(ordinary), ordinary);
        }
    }

    #[test]
    fn texts_are_no_lists() {
        for (text, expected) in [
            ("- a", "\\- a"),
            ("+ a", "\\+ a"),
            ("1. a", "1\\. a"),
            ("12) a", "12\\) a"),
            (" -", "\\-"),
            ("3.", "3\\."),
            ("---", "\\---"),
            ("-- -", "\\-- -"),
        ] {
            assert_eq!(escape(text), expected);
        }
        for ordinary in [
            "-5% a",
            "+1.2",
            "--flag",
            "1.5 s",
            "10 blocks",
            "a - b",
            "-O2 - b",
        ] {
            assert_eq!(escape(ordinary), ordinary);
        }
    }
}
