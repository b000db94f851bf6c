//! Filters as eBPF objects: ELF files, as clang writes them from C with `perflab/filter.h`, and as stock tools
//! disassemble them.
//!
//! ```text
//! write     a program -> an object
//! read      an object -> a program that was verified
//! forward   instructions -> the same in an order in which all jumps lead forward
//! problem   why an object is refused
//! ```
//!
//! An object has the section `perflab/filter` with the instructions of one function, relocations to constants in other
//! sections, and the section `perflab_imports` with a line for each slot of the context: its class and its name.

mod forward;
mod problem;
mod read;
mod write;

use perflab_bpf::Class;

pub use problem::ObjectProblem;
pub use read::{FilterObject, read_object};
pub use write::write_object;

/// The section of the instructions.
const PROGRAM: &str = "perflab/filter";

/// The section that says which slots the context has.
const IMPORTS: &str = "perflab_imports";

/// The number of a wide instruction's source that makes it load the address of a literal.
const LITERALS: u8 = 6;

/// The class of a word in [`IMPORTS`].
fn class_of(word: &str) -> Option<Class> {
    let classes = [Class::Integer, Class::Double, Class::Text];
    classes.into_iter().find(|class| class.to_string() == word)
}
