//! The rules, and how a refusal says which one was broken.

use core::fmt;

/// A rule that each program must keep. Its number is part of what users see, so it never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// At least one instruction; not too many, nor too many literals or imports; each import has a name of its own.
    Size(Size),
    /// Only known instructions, and fields that an instruction does not use are zero.
    Opcode,
    /// A wide instruction is whole, and loads a number or an address in the literals.
    Wide,
    /// Jumps lead forward.
    Backward,
    /// Jumps lead to instructions of the program.
    Target,
    /// Execution never runs off the end.
    End,
    /// Each instruction can be reached.
    Unreachable,
    /// Only registers and bytes of the stack that have a value are read. After a call, r1 to r5 have none; where ways
    /// meet on which one has different kinds of values, or different addresses, it has none.
    Unset,
    /// r10 is never written.
    Frame,
    /// Loads from the context are of integers' slots, aligned, and within one.
    Context,
    /// Accesses to the stack are within it and aligned. No part of an address that is stored there is loaded.
    Stack,
    /// Only the stack is written, and addresses only whole.
    Store,
    /// Loads of literals are within them.
    Literal,
    /// An address is used as one, and no number is; to get another address, a constant is added.
    Address,
    /// Only known helpers are called, with the context, with slots of the class that they need, and with literals that
    /// are constant, not too long, and have no zero but in a pattern.
    Helper(HelperCall),
    /// The result is a number.
    Result,
    /// No calls of functions, no atomic operations, no loads of packets.
    Call,
}

/// How a program breaks [`Rule::Size`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// It has no instruction.
    Empty,
    /// Its last instruction is not whole.
    Part,
    /// It has more than [`MOST_INSTRUCTIONS`](crate::MOST_INSTRUCTIONS).
    Instructions,
    /// Its literals have more than [`MOST_LITERALS`](crate::MOST_LITERALS) bytes.
    Literals,
    /// It has more than [`MOST_IMPORTS`](crate::MOST_IMPORTS).
    Imports,
    /// An import's name can be no argument's.
    Name,
    /// Two imports have one name.
    SameName,
}

/// How a program breaks [`Rule::Helper`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HelperCall {
    /// There is no helper of this number.
    Unknown,
    /// Its first argument is not the context.
    Context,
    /// It takes the constant offset of a slot of another class.
    Slot,
    /// The address or the length of a literal is no constant, or the literal is not within the literals.
    Literal,
    /// A literal that is no pattern has a zero.
    Zero,
    /// A literal has more than [`LONGEST_LITERAL`](crate::LONGEST_LITERAL) bytes.
    Long,
}

impl HelperCall {
    fn text(self) -> &'static str {
        match self {
            Self::Unknown => "an unknown helper",
            Self::Context => "a helper without the context as its first argument",
            Self::Slot => {
                "a helper with a value of the event that is not of the class that it takes"
            }
            Self::Literal => "a literal that is no constant, or not of a constant length",
            Self::Zero => "a literal with a zero",
            Self::Long => "a literal of more than 1024 bytes",
        }
    }
}

impl Size {
    fn text(self) -> &'static str {
        match self {
            Self::Empty => "the program has no instructions",
            Self::Part => "the program ends within an instruction",
            Self::Instructions => "the program has more than 4096 instructions",
            Self::Literals => "the program has more than 16 KiB of constants",
            Self::Imports => "the program takes more than 72 values of an event",
            Self::Name => {
                "the name of a value is empty, too long, or has characters other than letters, digits and `_$.:`"
            }
            Self::SameName => "two values have the same name",
        }
    }
}

impl Rule {
    /// Its number, 1 to 17.
    pub fn number(self) -> u8 {
        self.text().0
    }

    /// Its number, its name, and what a program did that breaks it.
    fn text(self) -> (u8, &'static str, &'static str) {
        match self {
            Self::Size(size) => (1, "size", size.text()),
            Self::Opcode => (
                2,
                "opcode",
                "unknown instruction, or a field that must be zero is not",
            ),
            Self::Wide => (
                3,
                "wide",
                "half a wide instruction, or one that loads neither a number nor an address in the literals",
            ),
            Self::Backward => (4, "backward", "the jump does not lead forward"),
            Self::Target => (
                5,
                "target",
                "the jump leads out of the program or into a wide instruction",
            ),
            Self::End => (6, "end", "execution can run off the end"),
            Self::Unreachable => (7, "unreachable", "no execution reaches the instruction"),
            Self::Unset => (
                8,
                "unset",
                "reads a register or bytes of the stack that need not have a value",
            ),
            Self::Frame => (9, "frame", "writes r10"),
            Self::Context => (
                10,
                "context",
                "loads something else than an integer's slot, or not aligned",
            ),
            Self::Stack => (
                11,
                "stack",
                "accesses the stack outside of it, not aligned, or a part of an address",
            ),
            Self::Store => (
                12,
                "store",
                "stores outside the stack, or a part of an address",
            ),
            Self::Literal => (13, "literal", "loads outside the literals"),
            Self::Address => (
                14,
                "address",
                "calculates or compares with an address, or uses a number as one",
            ),
            Self::Helper(call) => (15, "helper", call.text()),
            Self::Result => (16, "result", "returns no number"),
            Self::Call => (
                17,
                "call",
                "calls a function, is atomic, or loads from a packet",
            ),
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (number, name, text) = self.text();
        write!(f, "{text} (rule V{number}, {name})")
    }
}

/// Why a program is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused {
    /// The instruction, from 0; the second half of a wide one counts. 0 if it is the program as a whole.
    pub at: usize,
    /// The rule that it breaks.
    pub rule: Rule,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rule {
            Rule::Size(_) => self.rule.fmt(f),
            rule => write!(f, "instruction {}: {rule}", self.at),
        }
    }
}

impl core::error::Error for Refused {}
