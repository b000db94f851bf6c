//! Why an object is refused.

use perflab_bpf::{Instruction, Rule, Shown};

use super::{IMPORTS, PROGRAM};

/// Why there is no filter in an object. Instructions are numbered as `llvm-objdump` does: from 0, a wide one counts
/// twice. Some texts have names of the object in them, with any characters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ObjectProblem {
    /// It is something else.
    #[error("not an eBPF object: expected an ELF file of `clang -target bpf -c`")]
    NoObject,
    /// What the file says of itself does not fit.
    #[error("the object is damaged: {0}")]
    Damaged(String),
    /// It has no filter.
    #[error(
        "the object has no section `{PROGRAM}`: expected a function that `PERFLAB_FILTER` of perflab/filter.h declares"
    )]
    NoFilter,
    /// It has these functions in the section of the filter.
    #[error("the object has the functions {0} in `{PROGRAM}`, expected one filter")]
    Several(String),
    /// The context is not described.
    #[error(
        "the object has no section `{IMPORTS}`: expected what `PERFLAB_FILTER` of perflab/filter.h declares"
    )]
    NoImports,
    /// A line of the context's description.
    #[error(
        "{0:?} in `{IMPORTS}` is no import, expected `integer`, `double` or `text`, a space and a name"
    )]
    Import(String),
    /// A call of a function, also of one in the same file that the compiler did not inline.
    #[error(
        "instruction {at} calls `{name}`: a filter calls helpers only; a function of its own must be \
         `static inline __attribute__((always_inline))` (rule V{rule}, call)",
        rule = Rule::Call.number()
    )]
    Function {
        /// The instruction.
        at: usize,
        /// The function.
        name: String,
    },
    /// An address that is not one of constants.
    #[error(
        "instruction {at} loads the address of `{name}`: a filter has constants only, no data that can be written, \
         and no maps (rule V{rule}, wide)",
        rule = Rule::Wide.number()
    )]
    Data {
        /// The instruction.
        at: usize,
        /// The variable, or its section.
        name: String,
    },
    /// A jump back that can come to itself again.
    #[error(
        "instruction {at} (`{shown}`) closes a loop: a filter executes each instruction at most once; unroll the loop \
         with `#pragma unroll` (rule V{rule}, backward)",
        rule = Rule::Backward.number()
    )]
    Loop {
        /// The instruction.
        at: usize,
        /// As `llvm-objdump` shows it.
        shown: String,
    },
    /// The program breaks a rule.
    #[error("instruction {at} (`{shown}`): {rule}")]
    Refused {
        /// The instruction.
        at: usize,
        /// As `llvm-objdump` shows it.
        shown: String,
        /// The rule.
        rule: Rule,
    },
}

impl ObjectProblem {
    /// A rule that an instruction breaks.
    pub(super) fn refused(code: &[Instruction], at: usize, rule: Rule) -> Self {
        let shown = shown(code, at);
        Self::Refused { at, shown, rule }
    }
}

/// An instruction as text.
pub(super) fn shown(code: &[Instruction], at: usize) -> String {
    match code.get(at) {
        Some(instruction) => Shown(*instruction, code.get(at + 1).copied()).to_string(),
        None => "none".to_owned(),
    }
}
