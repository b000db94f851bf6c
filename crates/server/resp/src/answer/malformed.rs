//! Why bytes are no reply.

use std::error::Error;
use std::fmt;

/// Bytes that are no reply, or more than the caller wants to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// A reply begins with this byte, which is no mark.
    Mark(u8),
    /// A line has an end that is not a carriage return and a line feed.
    LineEnd,
    /// A line is longer than [`LINE`](Self::LINE), or than any number.
    LongLine,
    /// A length is no number, negative, or too large.
    Length,
    /// An integer is no integer of 64 bits.
    Integer,
    /// An integer of any size has something else than digits.
    BigNumber,
    /// A floating-point number is none.
    Double,
    /// Yes or no is neither.
    Boolean,
    /// A null has a value.
    Null,
    /// A text for people has no format in front.
    Verbatim,
    /// A string does not end where it should.
    BulkEnd,
    /// Aggregates are in one another to more than the allowed depth.
    TooDeep,
    /// A value needs more memory than allowed.
    TooLarge,
}

impl Malformed {
    /// The bytes of a line at most: 1 MiB. Lines of numbers are shorter.
    pub const LINE: usize = 1024 * 1024;
}

impl fmt::Display for Malformed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self {
            Self::Mark(byte) => {
                return write!(out, "no reply begins with '{}'", byte.escape_ascii());
            }
            Self::LineEnd => "a line does not end with CR and LF",
            Self::LongLine => "a line is too long",
            Self::Length => "a length is not a number in range",
            Self::Integer => "an integer is not a number of 64 bits",
            Self::BigNumber => "a big number has something else than digits",
            Self::Double => "a double is not a number",
            Self::Boolean => "a boolean is neither t nor f",
            Self::Null => "a null has a value",
            Self::Verbatim => "a verbatim string has no format",
            Self::BulkEnd => "a string is longer than its length",
            Self::TooDeep => "arrays are in one another too deep",
            Self::TooLarge => "a value is too large",
        };
        out.write_str(what)
    }
}

impl Error for Malformed {}
