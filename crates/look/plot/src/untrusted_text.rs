//! Text of others, made harmless for people who look at it.

use std::borrow::Cow;

/// The text without anything that steers a terminal, changes the order of what is seen, or is not seen at all.
///
/// Control characters (escape sequences begin with one), line and paragraph separators, bidirectional controls
/// (Unicode 16, UAX 9), fillers and invisible format characters are written as Rust writes them: `\n`, `\u{1b}`. What
/// shapes the letters around it, as in many scripts and emoji, stays.
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

/// Whether a character steers what shows it, or is not seen at all.
pub fn steers(character: char) -> bool {
    character.is_control()
        || matches!(u32::from(character),
            0xad | 0x61c | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180e | 0x200b | 0x200e..=0x200f | 0x2028..=0x202e
                | 0x2060..=0x206f | 0x3164 | 0xfeff | 0xffa0 | 0xfff0..=0xfffb | 0x1_bca0..=0x1_bca3
                | 0x1_d173..=0x1_d17a | 0xe_0000..=0xe_00ff | 0xe_01f0..=0xe_0fff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_is_spelt_out() {
        assert_eq!(clean("a\u{1b}[31mb"), "a\\u{1b}[31mb");
        assert_eq!(clean("a\nb\tc\r\u{7f}"), "a\\nb\\tc\\r\\u{7f}");
        assert_eq!(clean("abc\u{202e}fed"), "abc\\u{202e}fed");
        let hidden = "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}\
                      \u{ad}\u{200b}\u{2028}\u{2060}\u{3164}\u{feff}\u{e0041}\u{1b}\u{85}\n";
        for c in hidden.chars() {
            assert_eq!(
                clean(&format!("a{c}b")),
                format!("a{}b", c.escape_default())
            );
        }
        // An emoji of several characters, and a Persian word.
        for shown in [
            "Größe 🚀",
            "❤\u{fe0f}",
            "👩\u{200d}🚀",
            "می\u{200c}خواهم",
            "name_1 ä日ש\"\\",
        ] {
            assert_eq!(clean(shown), shown);
        }
    }

    #[test]
    fn long_texts_are_cut_between_letters() {
        let long = "ä".repeat(301);
        assert_eq!(brief(&long), format!("{}…", "ä".repeat(300)));
        assert_eq!(brief(&long[2..]), &long[2..]);
    }
}
