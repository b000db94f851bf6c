//! Operations on numbers: a program without addresses.

use alloc::boxed::Box;

use crate::arithmetic::{Binary, Relation, Unary};
use crate::program::{Class, Import, Verdict};
use crate::texts::{SLACK, TextTest};

/// Registers of a verified program: r0 to r9, then the words of the stack.
pub(crate) const MOST_REGISTERS: usize = 10 + 64;

/// An operation. Registers are numbered from 0, `to` is the one that is written. `then` and others of that kind are
/// indices of operations, all behind this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields are operands")]
pub enum Op {
    /// A number that is known.
    Constant { to: u8, value: u64 },
    /// Another register.
    Copy { to: u8, from: u8 },
    /// A part of a register.
    Extract { to: u8, from: u8, part: Part },
    /// `one` with a part replaced by the lowest bytes of `other`.
    Insert {
        to: u8,
        one: u8,
        other: u8,
        part: Part,
    },
    /// As [`Op::Insert`], of a number that is known.
    InsertConstant {
        to: u8,
        one: u8,
        part: Part,
        value: u64,
    },
    /// A part of an [`Class::Integer`].
    Import { to: u8, import: u8, part: Part },
    /// Arithmetic.
    Unary { how: Unary, to: u8, from: u8 },
    /// Arithmetic.
    Binary {
        how: Binary,
        wide: bool,
        to: u8,
        one: u8,
        other: u8,
    },
    /// Arithmetic with a number that is known.
    BinaryConstant {
        how: Binary,
        wide: bool,
        to: u8,
        one: u8,
        value: u64,
    },
    /// Tests a text: 1, 0, or -1 if it is not there.
    Text {
        how: TextTest,
        to: u8,
        import: u8,
        literal: Literal,
    },
    /// Compares two texts, in the same way.
    SameText { to: u8, one: u8, other: u8 },
    /// A byte of a text, or -1.
    Byte { to: u8, import: u8, index: u8 },
    /// The bits of a [`Class::Double`].
    Double { to: u8, import: u8 },
    /// See [`crate::Helper::CompareDoubles`].
    CompareDoubles { to: u8, one: u8, other: u8 },
    /// Goes on elsewhere.
    Jump { then: u16 },
    /// Compares two registers.
    If {
        is: Relation,
        wide: bool,
        one: u8,
        other: u8,
        then: u16,
        or: u16,
    },
    /// Compares a register with a number that is known.
    IfConstant {
        is: Relation,
        wide: bool,
        one: u8,
        value: u64,
        then: u16,
        or: u16,
    },
    /// Compares all 64 bits of a part of an [`Class::Integer`] with a number that is known.
    IfImport {
        is: Relation,
        import: u8,
        part: Part,
        value: u64,
        then: u16,
        or: u16,
    },
    /// Tests a text.
    IfText {
        how: TextTest,
        import: u8,
        literal: Literal,
        yes: u16,
        no: u16,
        absent: u16,
    },
    /// Ends with a number.
    Return { from: u8 },
    /// Ends.
    End(Verdict),
}

const _: () = assert!(size_of::<Op>() == 16);

impl Op {
    /// The register that it writes, and those that it reads.
    pub(crate) fn registers(&mut self) -> (Option<&mut u8>, [Option<&mut u8>; 2]) {
        match self {
            Self::Constant { to, .. }
            | Self::Import { to, .. }
            | Self::Text { to, .. }
            | Self::SameText { to, .. }
            | Self::Double { to, .. } => (Some(to), [None, None]),
            Self::Copy { to, from }
            | Self::Extract { to, from, .. }
            | Self::Unary { to, from, .. }
            | Self::Byte {
                to, index: from, ..
            }
            | Self::InsertConstant { to, one: from, .. }
            | Self::BinaryConstant { to, one: from, .. } => (Some(to), [Some(from), None]),
            Self::Insert { to, one, other, .. }
            | Self::Binary { to, one, other, .. }
            | Self::CompareDoubles { to, one, other } => (Some(to), [Some(one), Some(other)]),
            Self::If { one, other, .. } => (None, [Some(one), Some(other)]),
            Self::IfConstant { one: from, .. } | Self::Return { from } => {
                (None, [Some(from), None])
            }
            Self::Jump { .. } | Self::IfImport { .. } | Self::IfText { .. } | Self::End(_) => {
                (None, [None, None])
            }
        }
    }

    /// Where it goes, if it does not go to the one behind it.
    pub(crate) fn targets(&mut self) -> [Option<&mut u16>; 3] {
        match self {
            Self::Jump { then } => [Some(then), None, None],
            Self::If { then, or, .. }
            | Self::IfConstant { then, or, .. }
            | Self::IfImport { then, or, .. } => [Some(then), Some(or), None],
            Self::IfText {
                yes, no, absent, ..
            } => [Some(yes), Some(no), Some(absent)],
            _ => [None, None, None],
        }
    }

    /// Whether the one behind it follows.
    pub(crate) fn goes_on(mut self) -> bool {
        !matches!(self, Self::Return { .. } | Self::End(_)) && self.targets()[0].is_none()
    }

    /// The registers that it reads, and those that are live behind it, without the one that it writes. `live` has
    /// those that are live before each operation behind this one, whose number is `at`.
    pub(crate) fn live(mut self, at: usize, live: &[RegisterSet]) -> (RegisterSet, RegisterSet) {
        let mut behind = if self.goes_on() { live[at + 1] } else { 0 };
        for target in self.targets().into_iter().flatten() {
            behind |= live[usize::from(*target)];
        }
        let (written, read) = self.registers();
        let read = read.into_iter().flatten();
        (
            read.fold(0, |all, register| all | bit(*register)),
            behind & !written.map_or(0, |to| bit(*to)),
        )
    }
}

/// A set of registers, one bit each.
pub(crate) type RegisterSet = u128;

/// The set of one register.
pub(crate) fn bit(register: u8) -> RegisterSet {
    1 << register
}

/// A part of a word: some bytes of it, extended by zeros or by their sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part(u8);

impl Part {
    /// From a byte on, 1, 2, 4 or 8 of them: 1 shifted by a number.
    pub(crate) const fn new(byte: u8, shift: u8, is_signed: bool) -> Self {
        Self(byte & 7 | (shift & 3) << 3 | (is_signed as u8) << 5)
    }

    /// The same number of bytes from another one on.
    pub(crate) const fn at(self, byte: u8) -> Self {
        Self(self.0 & !7 | byte & 7)
    }

    /// The lower 32 bits of what it is, extended by their sign: of a part with fewer bits, that is the part itself.
    pub(crate) const fn signed_32(self) -> Self {
        match self.bytes() {
            8 => Self::new(0, 2, true),
            4 => Self::new(self.byte() as u8, 2, true),
            _ => self,
        }
    }

    /// The first byte, from the lowest, 0.
    pub const fn byte(self) -> u32 {
        (self.0 & 7) as u32
    }

    /// Bytes: 1, 2, 4 or 8.
    pub const fn bytes(self) -> u32 {
        1 << (self.0 >> 3 & 3)
    }

    /// Whether it is extended by its sign.
    pub const fn is_signed(self) -> bool {
        self.0 >> 5 != 0
    }

    /// Whether it is all of a word.
    pub const fn is_whole(self) -> bool {
        self.bytes() == 8
    }

    /// The part of a word.
    #[inline(always)]
    pub fn of(self, word: u64) -> u64 {
        if self.is_whole() {
            return word;
        }
        let above = 64 - 8 * self.bytes();
        let highest = word >> (8 * self.byte()) << above;
        if self.is_signed() {
            (highest as i64 >> above) as u64
        } else {
            highest >> above
        }
    }

    /// The word with this part replaced.
    pub fn put(self, word: u64, value: u64) -> u64 {
        let shift = 8 * self.byte();
        let bits = u64::MAX >> (64 - 8 * self.bytes()) << shift;
        word & !bits | value << shift & bits
    }
}

/// Some of a program's literals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Literal {
    /// Its first byte.
    pub at: u16,
    /// How many it has.
    pub bytes: u16,
}

/// A program that [`crate::judge`] executes. It needs nothing else of the program that was verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lowered {
    pub(crate) ops: Box<[Op]>,
    /// With [`SLACK`] zeros behind them.
    pub(crate) literals: Box<[u8]>,
    pub(crate) classes: Box<[Class]>,
    /// With a line end between them.
    pub(crate) names: Box<str>,
    pub(crate) registers: u8,
}

impl Lowered {
    /// The operations. The first is the beginning.
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// What it imports, in order.
    pub fn imports(&self) -> impl Iterator<Item = Import<'_>> {
        let classes = self.classes.iter();
        let both = classes.zip(self.names.split('\n'));
        both.map(|(class, name)| Import {
            class: *class,
            name,
        })
    }

    /// How many registers its operations use.
    pub fn registers(&self) -> u8 {
        self.registers
    }

    /// The bytes of a literal.
    pub fn literal(&self, literal: Literal) -> &[u8] {
        let padded = self.padded(literal);
        padded.get(..usize::from(literal.bytes)).unwrap_or_default()
    }

    /// A literal with [`SLACK`] bytes behind it.
    #[inline(always)]
    pub(crate) fn padded(&self, literal: Literal) -> &[u8] {
        let start = usize::from(literal.at);
        let end = start + usize::from(literal.bytes) + SLACK;
        self.literals.get(start..end).unwrap_or_default()
    }

    /// Bytes of memory that it takes.
    pub fn bytes(&self) -> usize {
        size_of::<Self>()
            + size_of_val(&*self.ops)
            + self.literals.len()
            + self.classes.len()
            + self.names.len()
    }
}
