//! One element of a reply: a value without parts, or the line that begins an aggregate.

use std::ops::Range;

use super::kind::Kind;
use super::malformed::Malformed;
use crate::{double, integer};

/// The bytes of a line with a length or a number of 64 bits, at most. A longer one has too many digits.
const SHORT_LINE: usize = 32;
/// The bytes of a line with a floating-point number, at most. Written without an exponent it has up to 309 digits
/// before the point, and few servers print more than as many behind it.
const DOUBLE_LINE: usize = 1024;

/// An element.
pub struct Head {
    pub kind: Kind,
    /// Whether it begins attributes of the element behind it. Its kind is then that of a map.
    pub is_attribute: bool,
    pub body: Body,
    /// Where the next element begins.
    pub end: usize,
}

/// What is behind the mark of an element.
pub enum Body {
    /// The bytes in this place of the input. Those of numbers are checked.
    Bytes(Range<usize>),
    /// So many elements follow.
    Elements(u64),
}

impl Head {
    /// Reads the element that begins at `begin`; `None` if it is not whole yet. Its line has no end before `searched`,
    /// which grows.
    pub fn read(
        input: &[u8],
        begin: usize,
        searched: &mut usize,
    ) -> Result<Option<Self>, Malformed> {
        let Some(mark) = input.get(begin) else {
            return Ok(None);
        };
        let form = Form::of(*mark)?;
        let Some(end) = line_end(input, begin + 1, searched, form.longest())? else {
            return Ok(None);
        };
        let line = begin + 1..end;
        let next = end + 2;
        let text = &input[line.clone()];
        let head = |kind, body, end| {
            Ok(Some(Self {
                kind,
                is_attribute: *mark == b'|',
                body,
                end,
            }))
        };
        match form {
            Form::Line(kind) => {
                check(kind, text)?;
                head(kind, Body::Bytes(line), next)
            }
            Form::String(_) if text == b"-1" && *mark == b'$' => {
                head(Kind::Null, Body::Bytes(end..end), next)
            }
            Form::Aggregate(_) if text == b"-1" && *mark == b'*' => {
                head(Kind::NullArray, Body::Bytes(end..end), next)
            }
            Form::String(kind) => {
                let Some(bytes) = string(input, next, length(text)?)? else {
                    return Ok(None);
                };
                if kind == Kind::Verbatim && input[bytes.clone()].get(3) != Some(&b':') {
                    return Err(Malformed::Verbatim);
                }
                let end = bytes.end + 2;
                head(kind, Body::Bytes(bytes), end)
            }
            Form::Aggregate(kind) => {
                let length = length(text)?;
                let elements = if kind == Kind::Map {
                    2 * length
                } else {
                    length
                };
                head(kind, Body::Elements(elements), next)
            }
        }
    }
}

/// How the rest of an element is read.
enum Form {
    /// It is in the line.
    Line(Kind),
    /// The line has the length of a string, which follows.
    String(Kind),
    /// The line has the number of elements or pairs that follow.
    Aggregate(Kind),
}

impl Form {
    fn of(mark: u8) -> Result<Self, Malformed> {
        Ok(match mark {
            b'+' => Self::Line(Kind::Simple),
            b'-' => Self::Line(Kind::Error),
            b':' => Self::Line(Kind::Integer),
            b'$' => Self::String(Kind::Bulk),
            b'*' => Self::Aggregate(Kind::Array),
            b'_' => Self::Line(Kind::Null),
            b'#' => Self::Line(Kind::Boolean),
            b',' => Self::Line(Kind::Double),
            b'(' => Self::Line(Kind::BigNumber),
            b'!' => Self::String(Kind::BulkError),
            b'=' => Self::String(Kind::Verbatim),
            b'%' | b'|' => Self::Aggregate(Kind::Map),
            b'~' => Self::Aggregate(Kind::Set),
            b'>' => Self::Aggregate(Kind::Push),
            other => return Err(Malformed::Mark(other)),
        })
    }

    /// The bytes of the line at most, without its mark and its end.
    fn longest(&self) -> usize {
        match self {
            Self::Line(Kind::Simple | Kind::Error | Kind::BigNumber) => Malformed::LINE,
            Self::Line(Kind::Double) => DOUBLE_LINE,
            _ => SHORT_LINE,
        }
    }
}

/// Where the line ends that begins at `begin`: the place of its carriage return, behind which is a line feed.
fn line_end(
    input: &[u8],
    begin: usize,
    searched: &mut usize,
    longest: usize,
) -> Result<Option<usize>, Malformed> {
    let from = begin.max(*searched);
    let to = input.len().min(begin.saturating_add(longest + 1));
    let within = input.get(from..to).unwrap_or_default();
    let found = within.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
    match found {
        Some(offset) => {
            let end = from + offset;
            *searched = end;
            match (input[end], input.get(end + 1)) {
                (b'\r', Some(b'\n')) => Ok(Some(end)),
                (b'\r', None) => Ok(None),
                _ => Err(Malformed::LineEnd),
            }
        }
        None if to.saturating_sub(begin) > longest => Err(Malformed::LongLine),
        None => {
            *searched = from.max(to);
            Ok(None)
        }
    }
}

fn length(text: &[u8]) -> Result<u64, Malformed> {
    let length = integer::parse(text).ok_or(Malformed::Length)?;
    u64::try_from(length).map_err(|_| Malformed::Length)
}

/// The place of a string that begins at `begin`; `None` if it is not whole, with the end of its line.
fn string(input: &[u8], begin: usize, length: u64) -> Result<Option<Range<usize>>, Malformed> {
    let length = usize::try_from(length).map_err(|_| Malformed::Length)?;
    let end = begin.checked_add(length).ok_or(Malformed::Length)?;
    let behind = input.get(end..).unwrap_or_default();
    match behind {
        [b'\r', b'\n', ..] => Ok(Some(begin..end)),
        [] | [b'\r'] => Ok(None),
        _ => Err(Malformed::BulkEnd),
    }
}

/// Whether the text of a line is one of its kind.
fn check(kind: Kind, text: &[u8]) -> Result<(), Malformed> {
    let (is_right, otherwise) = match kind {
        Kind::Integer => (signed_integer(text).is_some(), Malformed::Integer),
        Kind::BigNumber => (is_big_number(text), Malformed::BigNumber),
        Kind::Double => (any_double(text).is_some(), Malformed::Double),
        Kind::Boolean => (matches!(text, b"t" | b"f"), Malformed::Boolean),
        Kind::Null => (text.is_empty(), Malformed::Null),
        _ => return Ok(()),
    };
    if is_right { Ok(()) } else { Err(otherwise) }
}

/// An integer of 64 bits, also in a form that Redis does not print.
pub fn signed_integer(text: &[u8]) -> Option<i64> {
    integer::parse(text).or_else(|| std::str::from_utf8(text).ok()?.parse().ok())
}

/// A floating-point number, or none: the latter is a value of RESP3.
pub fn any_double(text: &[u8]) -> Option<f64> {
    match text {
        b"nan" | b"-nan" => Some(f64::NAN),
        number => double::parse(number),
    }
}

fn is_big_number(text: &[u8]) -> bool {
    let digits = match text {
        [b'+' | b'-', digits @ ..] => digits,
        digits => digits,
    };
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}
