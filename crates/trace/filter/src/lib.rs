//! Predicates on the arguments of probes, in LTTng's filter language: from text to what is sent to an agent.
//!
//! ```text
//! number    constants
//! token     text -> tokens
//! literal   texts between quotes
//! tree      an expression: values and operators
//! parse     tokens -> a tree
//!
//! fields    what a probe, or its thread, offers
//! check     a tree and a probe -> types, imports, constants computed
//! fold      what operators make of constants
//! programs  a tree and several probes -> one program for each assignment of types
//! assumed   arguments of probes of which nothing is known
//! problem   what is wrong, and where
//!
//! ir        blocks that lead forward
//! blocks    blocks while they are written
//! lower     a checked expression -> blocks
//!
//! program   a filter in eBPF, with what it imports
//! registers where its values are
//! assembler values and blocks -> instructions
//! generate  blocks -> eBPF
//! layout    eBPF and the arguments of a probe -> where that passes what the program takes
//! object    eBPF -> files that clang and its tools know, and back
//! listing   eBPF -> text, next to what it comes from and what it becomes
//! ```
//!
//! The language is described in `docs/filters.md`, with what differs from LTTng. Nothing here reads a file or asks a
//! process.

mod assembler;
mod assumed;
mod blocks;
mod check;
mod fields;
mod fold;
mod generate;
mod ir;
mod layout;
mod listing;
mod literal;
mod lower;
mod number;
mod object;
mod parse;
mod problem;
mod program;
mod programs;
mod registers;
mod token;
mod tree;

// Not the crate of the same name.
pub use self::object::{FilterObject, ObjectProblem, read_object, write_object};
pub use assumed::assumed;
pub use check::{Checked, check};
pub use fields::{Field, Fields, UnknownType, of};
pub use generate::{TooLarge, ebpf, ebpf_with_blocks};
pub use ir::{
    Block, BlockId, Compute, Computed, End, Ir, Operation, Relation, Temporary, Test, Value,
};
pub use layout::{Layout, check_arguments, layout};
pub use listing::{NativeLine, listing};
pub use literal::{How, Literal, STAR};
pub use lower::lower;
pub use number::Number;
pub use parse::parse;
pub use perflab_bpf::{Class, LONGEST_LITERAL, MOST_IMPORTS, Verdict};
pub use problem::{Problem, ProblemKind};
pub use program::{FilterProgram, Import};
pub use programs::{Programs, check_each};
pub use token::{LONGEST_EXPRESSION, Token, TokenKind, tokens};
pub use tree::{BinaryOp, DEEPEST, Name, Node, NodeId, NodeKind, Tree, UnaryOp};
