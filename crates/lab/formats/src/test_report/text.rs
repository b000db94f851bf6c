//! Lines of logs.

use std::borrow::Cow;

/// The longest line, in bytes. What is behind is no part of a result.
const LONGEST: usize = 1 << 20;

/// The lines of a log with their numbers, from 1, free of the colours that a terminal would show, and cut where they are
/// longer than a MiB.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
    let cut = |line: &'_ str| line.floor_char_boundary(LONGEST);
    (1..).zip(text.lines().map(move |line| plain(&line[..cut(line)])))
}

/// A line without what steers a terminal: colours, and the places of a cursor.
pub(super) fn plain(line: &str) -> Cow<'_, str> {
    if !line.contains('\u{1b}') {
        return Cow::Borrowed(line);
    }
    let mut plain = String::with_capacity(line.len());
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        if character != '\u{1b}' {
            plain.push(character);
            continue;
        }
        // `ESC [`, parameters, and a letter at the end (ECMA-48). Any other sequence is one character.
        if characters.next() == Some('[') {
            let is_end = |character: &char| ('\u{40}'..='\u{7e}').contains(character);
            let _ = characters.by_ref().find(is_end);
        }
    }
    Cow::Owned(plain)
}

/// A number of seconds.
pub(super) fn seconds(text: &str) -> Option<f64> {
    let number: f64 = text.trim().parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(number)
}

/// A duration as `12.5ms`, `0.004s`, `3 sec`.
pub(super) fn duration(text: &str) -> Option<f64> {
    let text = text.trim();
    let end = text.find(|character: char| !character.is_ascii_digit() && character != '.')?;
    let (number, unit) = text.split_at(end);
    let scale = match unit.trim() {
        "us" | "µs" => 1e-6,
        "ms" => 1e-3,
        "s" | "sec" => 1.0,
        _ => return None,
    };
    seconds(number).map(|number| number * scale)
}

/// What a line has between two texts, the first at its beginning.
pub(super) fn between<'l>(line: &'l str, start: &str, end: &str) -> Option<&'l str> {
    line.strip_prefix(start)?.strip_suffix(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_removed() {
        assert_eq!(plain("\u{1b}[1;32mok\u{1b}[0m 1"), "ok 1");
        assert_eq!(plain("a\u{1b}"), "a");
        assert_eq!(plain("\u{1b}[31"), "");
        assert_eq!(plain("plain"), "plain");
    }

    #[test]
    fn durations_have_units() {
        assert_eq!(duration("12.5ms"), Some(0.0125));
        assert_eq!(duration(" 3 sec"), Some(3.0));
        for other in ["", "3", "ms", "-1s", "1e999s", "1h", "1.2.3s"] {
            assert_eq!(duration(other), None, "{other}");
        }
    }
}
