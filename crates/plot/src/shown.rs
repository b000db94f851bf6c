//! Text of others, made harmless for people who look at it.

use std::borrow::Cow;

/// The text without anything that steers a terminal or changes the order of what is seen.
///
/// Control characters (escape sequences begin with one), line and paragraph separators and bidirectional controls
/// (Unicode 16, UAX 9) are written as Rust writes them: `\n`, `\u{1b}`.
pub fn clean(text: &str) -> String {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    let mut clean = String::with_capacity(text.len());
    for character in text.chars() {
        if steers(character) {
            clean.extend(character.escape_default());
        } else {
            clean.push(character);
        }
    }
    clean
}

/// Letters of a text that a drawing shows; whole ones are in the tables beside it.
const MOST: usize = 300;

/// The text, or its beginning where it is so long that drawings with hundreds of it would get large.
pub(crate) fn brief(text: &str) -> Cow<'_, str> {
    if text.len() <= MOST {
        return Cow::Borrowed(text);
    }
    match text.char_indices().nth(MOST) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// Whether a character steers what shows it, instead of being seen.
pub fn steers(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_is_spelt_out() {
        assert_eq!(clean("a\u{1b}[31mb"), "a\\u{1b}[31mb");
        assert_eq!(clean("a\nb\tc\r\u{7f}"), "a\\nb\\tc\\r\\u{7f}");
        assert_eq!(clean("abc\u{202e}fed"), "abc\\u{202e}fed");
        assert_eq!(clean("Größe 🚀"), "Größe 🚀");
    }

    #[test]
    fn long_texts_are_cut_between_letters() {
        let long = "ä".repeat(301);
        assert_eq!(brief(&long), format!("{}…", "ä".repeat(300)));
        assert_eq!(brief(&long[2..]), &long[2..]);
    }
}
