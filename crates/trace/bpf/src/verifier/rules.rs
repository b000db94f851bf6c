//! The rules, and how a refusal says which one was broken.

use core::fmt;

/// A rule that each program must keep. Its number is part of what users see, so it never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// At least one instruction; not too many, nor too many literals or imports; each import has a name of its own.
    Size = 1,
    /// Only known instructions, and fields that an instruction does not use are zero.
    Opcode = 2,
    /// A wide instruction is whole, and loads a number or an address in the literals.
    Wide = 3,
    /// Jumps lead forward.
    Backward = 4,
    /// Jumps lead to instructions of the program.
    Target = 5,
    /// Execution never runs off the end.
    End = 6,
    /// Each instruction can be reached.
    Unreachable = 7,
    /// Only registers and bytes of the stack that have a value are read. After a call, r1 to r5 have none; where ways
    /// meet on which one has different kinds of values, or different addresses, it has none.
    Unset = 8,
    /// r10 is never written.
    Frame = 9,
    /// Loads from the context are of integers' slots, aligned, and within one.
    Context = 10,
    /// Accesses to the stack are within it and aligned. No part of an address that is stored there is loaded.
    Stack = 11,
    /// Only the stack is written, and addresses only whole.
    Store = 12,
    /// Loads of literals are within them.
    Literal = 13,
    /// An address is used as one, and no number is; to get another address, a constant is added.
    Address = 14,
    /// Only known helpers are called, with the context, with slots of the class that they need, and with literals that
    /// are constant, not too long, and have no zero but in a pattern.
    Helper = 15,
    /// The result is a number.
    Result = 16,
    /// No calls of functions, no atomic operations, no loads of packets.
    Call = 17,
}

impl Rule {
    /// Its number, 1 to 17.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// Its name, and what a program did that breaks it.
    fn text(self) -> (&'static str, &'static str) {
        match self {
            Self::Size => (
                "size",
                "the program is empty or too large, or an import has no name of its own",
            ),
            Self::Opcode => (
                "opcode",
                "unknown instruction, or a field that must be zero is not",
            ),
            Self::Wide => (
                "wide",
                "half a wide instruction, or one that loads neither a number nor an address in the literals",
            ),
            Self::Backward => ("backward", "the jump does not lead forward"),
            Self::Target => (
                "target",
                "the jump leads out of the program or into a wide instruction",
            ),
            Self::End => ("end", "execution can run off the end"),
            Self::Unreachable => ("unreachable", "no execution reaches the instruction"),
            Self::Unset => (
                "unset",
                "reads a register or bytes of the stack that need not have a value",
            ),
            Self::Frame => ("frame", "writes r10"),
            Self::Context => (
                "context",
                "loads something else than an integer's slot, or not aligned",
            ),
            Self::Stack => (
                "stack",
                "accesses the stack outside of it, not aligned, or a part of an address",
            ),
            Self::Store => ("store", "stores outside the stack, or a part of an address"),
            Self::Literal => ("literal", "loads outside the literals"),
            Self::Address => (
                "address",
                "calculates or compares with an address, or uses a number as one",
            ),
            Self::Helper => (
                "helper",
                "unknown helper, or an argument that it does not take",
            ),
            Self::Result => ("result", "returns no number"),
            Self::Call => (
                "call",
                "calls a function, is atomic, or loads from a packet",
            ),
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, text) = self.text();
        write!(f, "{text} (rule V{}, {name})", self.number())
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
        write!(f, "instruction {}: {}", self.at, self.rule)
    }
}

impl core::error::Error for Refused {}
