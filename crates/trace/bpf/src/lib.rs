//! Filter programs: they judge an event in the traced program, before anything is recorded.
//!
//! A program is eBPF, as [RFC 9669](https://www.rfc-editor.org/rfc/rfc9669) defines it, with fewer instructions, see
//! [`Program`]. It comes from outside, so [`verify`] trusts nothing in it. [`lower`] makes operations on numbers of
//! it, without any address. [`judge`] executes these.
//!
//! ```text
//! program      what a program is given, may call and returns
//! instruction  eight bytes -> fields -> text
//! step         fields -> what an instruction does
//! verifier     steps -> accepted, or refused with the instruction and the rule
//! lowered      operations, and what numbers become by them: arithmetic
//! lower        accepted -> fewer operations
//! place        where the values of an event are
//! bind         imports and the arguments of a probe -> places
//! texts        texts of the traced program, compared where they are
//! interpreter  operations and an event -> the verdict
//! values       the same for an event whose values this process has
//! emitter      operations and places -> native code, which does the same
//! memory       native code, executable and never writable
//! trial        programs judge events of this process, to measure what that takes
//! oracle       for tests: a second executor that checks every access, and random programs
//! ```
//!
//! The agent links this crate: it allocates nothing and does not panic while it judges.
#![no_std]

extern crate alloc;
#[cfg(feature = "native")]
extern crate std;

mod arithmetic;
mod bind;
#[cfg(feature = "native")]
mod emitter;
mod instruction;
mod interpreter;
mod lower;
mod lowered;
#[cfg(feature = "native")]
mod memory;
#[cfg(feature = "oracle")]
pub mod oracle;
mod place;
mod program;
mod step;
mod texts;
#[cfg(feature = "native")]
mod trial;
mod values;
mod verifier;

pub use arithmetic::{Binary, Relation, Unary};
pub use bind::{Unbound, bind};
#[cfg(feature = "native")]
pub use emitter::{CannotEmit, Emitted, Outside, Target, emit};
pub use instruction::{Instruction, Shown, opcode};
pub use interpreter::judge;
pub use lower::{lower, lower_with_origins};
pub use lowered::{Literal, Lowered, Op, Part};
#[cfg(feature = "native")]
pub use memory::{Code, May, publish};
pub use place::{Context, ContextField, Place};
pub use program::{
    Class, Helper, Import, LONGEST_LITERAL, MOST_IMPORTS, MOST_INSTRUCTIONS, MOST_LITERALS,
    Program, STACK, Verdict,
};
pub use texts::TextTest;
#[cfg(feature = "native")]
pub use trial::{Trial, TrialEvent, Way};
pub use values::{Value, judge_values};
pub use verifier::{HelperCall, Refused, Rule, Size, Verified, verify};
