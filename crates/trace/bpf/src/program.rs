//! What a filter program is: what it is given, what it may call, and what its result means.

use core::fmt;

/// Most instructions of a program; a wide one counts twice.
pub const MOST_INSTRUCTIONS: usize = 4096;

/// Most bytes of all literals together.
pub const MOST_LITERALS: usize = 16 * 1024;

/// Most imports: an event has at most 64 arguments, and there are a few fields of the context.
pub const MOST_IMPORTS: usize = 72;

/// Most bytes of a literal that a helper is given.
pub const LONGEST_LITERAL: usize = 1024;

/// Bytes of the stack, all below r10.
pub const STACK: usize = 512;

/// Most bytes of an import's name.
const LONGEST_NAME: usize = 160;

/// A program as it comes from outside.
///
/// It begins with the address of its context in r1. The context is one slot of 8 bytes for each import, in order. An
/// [`Class::Integer`] can be loaded, whole or a part of it; the slots of others are only named to helpers, by their
/// offset. r10 is the address behind [`STACK`] bytes of its own. A wide instruction with source 6, map 0, loads an
/// address in the literals, which cannot be written. The result is the number in r0, see [`Verdict`].
///
/// Instructions are those of RFC 9669 but atomic operations, calls of functions, maps, loads of packets, and jumps
/// that do not lead forward. So a program executes each instruction at most once.
#[derive(Debug, Clone, Copy)]
pub struct Program<'a> {
    /// The slots of the context.
    pub imports: &'a [Import<'a>],
    /// The instructions, 8 bytes each.
    pub code: &'a [u8],
    /// Data that only the program's loads and helpers read.
    pub literals: &'a [u8],
}

/// A value of the event that a program uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Import<'a> {
    /// How it is used.
    pub class: Class,
    /// The name of an argument, or of a [`crate::ContextField`].
    pub name: &'a str,
}

impl Import<'_> {
    /// Whether it can be a name. Names of arguments have fewer letters, so others find nothing; but they are shown, so
    /// none may steer a terminal.
    pub(crate) fn is_named(&self) -> bool {
        let is_letter = |letter: char| letter.is_alphanumeric() || "_$.:".contains(letter);
        (1..=LONGEST_NAME).contains(&self.name.len()) && self.name.chars().all(is_letter)
    }
}

/// How a program uses an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// A number of 64 bits, signed or not, as it was extended from its type.
    Integer = 0,
    /// A floating-point number.
    Double = 1,
    /// A text, or bytes.
    Text = 2,
}

impl Class {
    /// The class with this number in a message.
    pub fn from_number(number: u8) -> Option<Self> {
        [Self::Integer, Self::Double, Self::Text]
            .into_iter()
            .find(|class| *class as u8 == number)
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Integer => "integer",
            Self::Double => "double",
            Self::Text => "text",
        })
    }
}

/// What becomes of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is not recorded.
    Reject = 0,
    /// It is recorded.
    Record = 1,
    /// It is recorded, and what waits for such an event happens.
    RecordAndTrigger = 2,
}

impl Verdict {
    /// The meaning of a program's result: 0 rejects, 2 triggers, and every number but 0 records.
    #[inline]
    pub fn of(result: u64) -> Self {
        match result {
            0 => Self::Reject,
            2 => Self::RecordAndTrigger,
            _ => Self::Record,
        }
    }
}

/// A function that a program may call, by its number. The first argument, r1, is always the context. The result is in
/// r0; r1 to r5 have no value after it. Slots are given as their offset in the context. Slots, literals and their
/// lengths must be constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Helper {
    /// Whether a text is a literal: r2 is the text's slot, r3 the literal, r4 its bytes. 1 or 0, or -1 if there is no
    /// text, as its address is null.
    TextIs = 1,
    /// Whether a text begins with a literal; as [`Helper::TextIs`].
    TextBegins = 2,
    /// Whether a text matches a pattern, in which a zero matches any bytes; as [`Helper::TextIs`].
    TextMatches = 3,
    /// Whether two texts are equal: r2 and r3 are their slots. 1 or 0, or -1 if one of them is not there.
    TextSame = 4,
    /// A byte of a text: r2 is its slot, r3 an index from 0. 0 to 255, or -1 if it has none there. The zeros of a text
    /// with a length are bytes like others.
    TextByte = 5,
    /// The bits of a floating-point number: r2 is its slot. One of 32 bits is extended.
    DoubleOf = 6,
    /// The bits of the floating-point number nearest to the signed number in r2.
    DoubleOfInteger = 7,
    /// The signed number that the floating-point number with the bits in r2 has before its point. The least one if
    /// there is none.
    IntegerOfDouble = 8,
    /// Compares the floating-point numbers with the bits in r2 and r3: -1, 0, 1, or 2 if one is not a number.
    CompareDoubles = 9,
}

impl Helper {
    /// The helper of a number.
    pub fn from_number(number: i32) -> Option<Self> {
        Some(match number {
            1 => Self::TextIs,
            2 => Self::TextBegins,
            3 => Self::TextMatches,
            4 => Self::TextSame,
            5 => Self::TextByte,
            6 => Self::DoubleOf,
            7 => Self::DoubleOfInteger,
            8 => Self::IntegerOfDouble,
            9 => Self::CompareDoubles,
            _ => return None,
        })
    }
}
