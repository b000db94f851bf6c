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
//! problem   what is wrong, and where
//!
//! ir        blocks that lead forward
//! blocks    blocks while they are written
//! lower     a checked expression -> blocks
//! ```
//!
//! The language is described in `docs/filters.md`, with what differs from LTTng. Nothing here reads a file or asks a
//! process.

mod blocks;
mod check;
mod fields;
mod fold;
mod ir;
mod literal;
mod lower;
mod number;
mod parse;
mod problem;
mod programs;
mod token;
mod tree;

pub use check::{Checked, Import, MOST_IMPORTS, check};
pub use fields::{CONTEXT, Class, Field, Fields, UnknownType, of};
pub use ir::{
    Block, BlockId, Compute, Computed, End, Ir, Operation, Relation, Temporary, Test, Value,
    Verdict,
};
pub use literal::{How, LONGEST_LITERAL, Literal, STAR};
pub use lower::lower;
pub use number::Number;
pub use parse::parse;
pub use problem::{Problem, ProblemKind};
pub use programs::{Programs, check_each};
pub use token::{LONGEST_EXPRESSION, Token, TokenKind, tokens};
pub use tree::{BinaryOp, DEEPEST, Name, Node, NodeId, NodeKind, Tree, UnaryOp};
