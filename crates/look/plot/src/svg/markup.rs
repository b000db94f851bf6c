//! Text, numbers and classes as they may be in markup.

use std::fmt;

use crate::marks::Tone;
use crate::untrusted_text::{brief, steers};

/// Text as it may be in an element or an attribute; one that is very long is cut.
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
            _ if steers(character) => escaped.extend(character.escape_default()),
            _ => escaped.push(character),
        }
    }
    escaped
}

/// A coordinate: tenths are finer than a screen.
pub(super) fn short(value: f64) -> Rounded {
    Rounded { value, decimals: 1 }
}

/// A coordinate of a mark, which can be looked at a thousand times as large.
pub(super) fn fine(value: f64) -> Rounded {
    Rounded { value, decimals: 3 }
}

/// Drawings of many points consist of these, so they are written without a text of their own.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rounded {
    value: f64,
    decimals: u32,
}

impl fmt::Display for Rounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = 10_u64.pow(self.decimals);
        let places = (self.value * steps as f64).round_ties_even();
        // Beyond that no drawing reaches, and a cast would be wrong.
        if !places.is_finite() || places.abs() >= 1e15 {
            return write!(f, "{:.1}", self.value);
        }
        let is_negative = places < 0.0;
        let places = places.abs() as u64;
        let (mut whole, mut part, mut decimals) = (places / steps, places % steps, self.decimals);
        while part > 0 && part.is_multiple_of(10) {
            (part, decimals) = (part / 10, decimals - 1);
        }
        // From the last digit to the first.
        let mut text = [b'.'; 20];
        let mut from = text.len();
        let mut put = |byte: u8| {
            from -= 1;
            text[from] = byte;
        };
        let digit = |number: u64| b'0' + (number % 10) as u8;
        if part > 0 {
            for _ in 0..decimals {
                put(digit(part));
                part /= 10;
            }
            put(b'.');
        }
        loop {
            put(digit(whole));
            whole /= 10;
            if whole == 0 {
                break;
            }
        }
        if is_negative {
            put(b'-');
        }
        f.write_str(std::str::from_utf8(&text[from..]).unwrap_or_default())
    }
}

/// The class of what a mark means, which decides its colour.
pub(super) fn class(tone: Tone) -> String {
    match tone {
        Tone::Series(series) => format!("s{}", series % 6),
        Tone::Better => "better".to_owned(),
        Tone::Worse => "worse".to_owned(),
        Tone::Same => "same".to_owned(),
        Tone::Open => "open".to_owned(),
        Tone::Quiet => "quiet".to_owned(),
    }
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

    #[test]
    fn places_of_marks_are_fine() {
        let values = [1.0, 1.26, -0.5, 12.0625, 0.05, 100.1004, -0.0004];
        let texts = values.map(|value| fine(value).to_string());
        assert_eq!(texts, ["1", "1.26", "-0.5", "12.062", "0.05", "100.1", "0"]);
    }
}
