//! Lines of words, as a person types them.
//!
//! Words are separated by spaces. A word may end with a quoted part: in double quotes a backslash escapes, in single
//! quotes only the quote itself.

use std::ops::Range;

use crate::error::ProtocolError;

/// Appends the words of a line, which contains neither its end nor a NUL. Returns whether they were unquoted: then
/// `places` are places in `unquoted`, otherwise in the line.
pub fn split(
    line: &[u8],
    places: &mut Vec<Range<usize>>,
    unquoted: &mut Vec<u8>,
) -> Result<bool, ProtocolError> {
    let has_quotes = line.iter().any(|byte| matches!(byte, b'"' | b'\''));
    if has_quotes {
        unquote(line, places, unquoted)?;
    } else {
        plain(line, places);
    }
    Ok(has_quotes)
}

fn plain(line: &[u8], places: &mut Vec<Range<usize>>) {
    let mut at = 0;
    loop {
        at += spaces(&line[at..]);
        let begin = at;
        at += line[at..]
            .iter()
            .take_while(|byte| !ends_word(**byte))
            .count();
        if at == begin {
            return;
        }
        places.push(begin..at);
    }
}

fn unquote(
    mut line: &[u8],
    places: &mut Vec<Range<usize>>,
    unquoted: &mut Vec<u8>,
) -> Result<(), ProtocolError> {
    loop {
        line = &line[spaces(line)..];
        if line.is_empty() {
            return Ok(());
        }
        let begin = unquoted.len();
        line = word(line, unquoted)?;
        places.push(begin..unquoted.len());
    }
}

/// Appends a word, and returns what is behind it.
fn word<'l>(mut line: &'l [u8], unquoted: &mut Vec<u8>) -> Result<&'l [u8], ProtocolError> {
    loop {
        line = match line {
            [b'"', quoted @ ..] => return double_quoted(quoted, unquoted),
            [b'\'', quoted @ ..] => return single_quoted(quoted, unquoted),
            [byte, rest @ ..] if !ends_word(*byte) => {
                unquoted.push(*byte);
                rest
            }
            rest => return Ok(rest),
        };
    }
}

fn double_quoted<'l>(
    mut line: &'l [u8],
    unquoted: &mut Vec<u8>,
) -> Result<&'l [u8], ProtocolError> {
    loop {
        let (byte, rest) = match line {
            [b'"', rest @ ..] => return closed(rest),
            [b'\\', b'x', high, low, rest @ ..]
                if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
            {
                (16 * hexadecimal(*high) + hexadecimal(*low), rest)
            }
            [b'\\', escaped, rest @ ..] => (escape(*escaped), rest),
            [byte, rest @ ..] => (*byte, rest),
            [] => return Err(ProtocolError::UnbalancedQuotes),
        };
        unquoted.push(byte);
        line = rest;
    }
}

fn single_quoted<'l>(
    mut line: &'l [u8],
    unquoted: &mut Vec<u8>,
) -> Result<&'l [u8], ProtocolError> {
    loop {
        let (byte, rest) = match line {
            [b'\'', rest @ ..] => return closed(rest),
            [b'\\', b'\'', rest @ ..] => (b'\'', rest),
            [byte, rest @ ..] => (*byte, rest),
            [] => return Err(ProtocolError::UnbalancedQuotes),
        };
        unquoted.push(byte);
        line = rest;
    }
}

/// What is behind a closing quote: a space or nothing.
fn closed(rest: &[u8]) -> Result<&[u8], ProtocolError> {
    match rest {
        [byte, ..] if !is_space(*byte) => Err(ProtocolError::UnbalancedQuotes),
        rest => Ok(rest),
    }
}

fn escape(escaped: u8) -> u8 {
    match escaped {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'b' => 0x08,
        b'a' => 0x07,
        other => other,
    }
}

fn hexadecimal(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => (digit | 0x20) - b'a' + 10,
    }
}

fn spaces(line: &[u8]) -> usize {
    line.iter().take_while(|byte| is_space(**byte)).count()
}

/// The spaces of C.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | 0x09..=0x0d)
}

/// The end of a word. It is not the same as a space: vertical tabs and form feeds separate words, but do not end one.
fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}
