//! What is known of registers and stack before an instruction, for all ways that lead there.

use super::Rule;
use crate::lowered::Part;
use crate::program::STACK;

/// What a register has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nothing that may be read.
    Unset,
    /// A number.
    Number,
    /// This number.
    Constant(u64),
    /// The number that is this part of an import.
    Import { import: u8, part: Part },
    /// The address of the context, so many bytes further.
    Context(i32),
    /// The address of the literals, so many bytes further.
    Literals(i32),
    /// The address behind the stack, so many bytes further.
    Stack(i32),
}

impl Kind {
    pub fn is_address(self) -> bool {
        matches!(self, Self::Context(_) | Self::Literals(_) | Self::Stack(_))
    }

    /// An address so many bytes further. Nothing if it is none, or too far.
    pub fn moved(self, by: u64) -> Option<Self> {
        let by = i32::try_from(by as i64).ok()?;
        Some(match self {
            Self::Context(at) => Self::Context(at.checked_add(by)?),
            Self::Literals(at) => Self::Literals(at.checked_add(by)?),
            Self::Stack(at) => Self::Stack(at.checked_add(by)?),
            _ => return None,
        })
    }

    /// What is known if it is one or the other.
    fn or(self, other: Self) -> Self {
        if self == other {
            return self;
        }
        let may_differ = |kind: Self| !kind.is_address() && kind != Self::Unset;
        if may_differ(self) && may_differ(other) {
            Self::Number
        } else {
            Self::Unset
        }
    }
}

/// What a word of the stack has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    /// What was stored whole; never unset.
    Whole(Kind),
    /// Numbers in the bytes whose bit is set, nothing in the others.
    Bytes(u8),
}

impl Word {
    /// The bytes that have a part of a number.
    fn bytes(self) -> u8 {
        match self {
            Self::Whole(kind) if kind.is_address() => 0,
            Self::Whole(_) => u8::MAX,
            Self::Bytes(bytes) => bytes,
        }
    }

    fn or(self, other: Self) -> Self {
        if let (Self::Whole(one), Self::Whole(other)) = (self, other)
            && one.or(other) != Kind::Unset
        {
            return Self::Whole(one.or(other));
        }
        Self::Bytes(self.bytes() & other.bytes())
    }
}

/// The state before an instruction.
#[derive(Debug, Clone)]
pub struct State {
    registers: [Kind; 11],
    stack: [Word; STACK / 8],
}

impl State {
    /// At the beginning of a program.
    pub fn start() -> Self {
        let mut registers = [Kind::Unset; 11];
        registers[1] = Kind::Context(0);
        registers[10] = Kind::Stack(0);
        Self {
            registers,
            stack: [Word::Bytes(0); STACK / 8],
        }
    }

    /// What is known where another way meets this one.
    pub fn meet(&mut self, other: &Self) {
        for (one, other) in self.registers.iter_mut().zip(&other.registers) {
            *one = one.or(*other);
        }
        for (one, other) in self.stack.iter_mut().zip(&other.stack) {
            *one = one.or(*other);
        }
    }

    /// What a register has.
    pub fn read(&self, register: u8) -> Result<Kind, Rule> {
        match self.registers.get(usize::from(register)) {
            None | Some(Kind::Unset) => Err(Rule::Unset),
            Some(kind) => Ok(*kind),
        }
    }

    /// A register has something else from now on.
    pub fn write(&mut self, register: u8, kind: Kind) {
        if let Some(written) = self.registers.get_mut(usize::from(register)) {
            *written = kind;
        }
    }

    /// What a part of a word of the stack has.
    pub fn load(&self, word: u8, part: Part) -> Result<Kind, Rule> {
        match self.stack.get(usize::from(word)).ok_or(Rule::Stack)? {
            Word::Whole(kind) if part.is_whole() => Ok(*kind),
            Word::Whole(kind) if kind.is_address() => Err(Rule::Stack),
            read if mask(part) & !read.bytes() == 0 => Ok(Kind::Number),
            _ => Err(Rule::Unset),
        }
    }

    /// A part of a word of the stack has something else from now on.
    pub fn store(&mut self, word: u8, part: Part, kind: Kind) {
        if let Some(written) = self.stack.get_mut(usize::from(word)) {
            *written = if part.is_whole() {
                Word::Whole(kind)
            } else {
                Word::Bytes(written.bytes() | mask(part))
            };
        }
    }
}

/// The bytes of a part, one bit each.
fn mask(part: Part) -> u8 {
    (((1_u16 << part.bytes()) - 1) << part.byte()) as u8
}
