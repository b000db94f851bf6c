//! Blocks as eBPF.
//!
//! r6 is the context. Values are where [`homes`] puts them, never in r1 to r4: these are the arguments of helpers, and
//! needed by single instructions. Each block follows the one before it, so there is no jump to the next one.

use std::ops::Range;

use perflab_bpf::{Helper, MOST_INSTRUCTIONS, opcode};

use crate::assembler::{Argument, Assembler, CONTEXT, FIRST, Operand, RESULT};
use crate::ir::{Block, BlockId, Compute, Computed, End, Ir, Operation, Relation, Test, Value};
use crate::literal::How;
use crate::program::FilterProgram;
use crate::registers::homes;

/// Why a filter has no program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TooLarge {
    /// It needs so many instructions.
    #[error(
        "the filter needs {0} instructions, expected at most {most}; shorten the expression",
        most = MOST_INSTRUCTIONS
    )]
    Instructions(usize),
    /// It needs more values at once than a program can keep.
    #[error(
        "the filter needs too many values at once; nest fewer operators in brackets within each other"
    )]
    Values,
}

/// Makes the program of a filter. [`perflab_bpf::verify`] accepts it.
///
/// # Errors
/// When it is too large, as that of an expression of more than 1000 bytes can be, or of one such as `a | (b | (c | ...))`
/// with 70 values.
pub fn ebpf(ir: &Ir) -> Result<FilterProgram, TooLarge> {
    ebpf_with_blocks(ir).map(|(program, _)| program)
}

/// As [`ebpf`], with the number of each block's first instruction, in units of 8 bytes. A block to which nothing leads
/// has no instructions: its number is that of what comes behind it.
///
/// # Errors
/// As [`ebpf`].
pub fn ebpf_with_blocks(ir: &Ir) -> Result<(FilterProgram, Vec<usize>), TooLarge> {
    let is_reached = reached(ir);
    let mut generator = Generator {
        blocks: &ir.blocks,
        assembler: Assembler::new(homes(ir, &is_reached)?),
        next: 0,
    };
    let mut starts = Vec::with_capacity(ir.blocks.len());
    for (number, block) in ir.blocks.iter().enumerate() {
        // The first block begins with what the assembler has put there.
        let start = generator.assembler.length();
        starts.push(if number == 0 { 0 } else { start });
        if is_reached[number] {
            let mut behind = number + 1..ir.blocks.len();
            let next = behind.find(|next| is_reached[*next]);
            generator.next = next.unwrap_or(ir.blocks.len());
            generator.block(block);
        }
    }
    let assembler = generator.assembler;
    if assembler.length() > MOST_INSTRUCTIONS {
        return Err(TooLarge::Instructions(assembler.length()));
    }
    let program = FilterProgram {
        imports: ir.imports.clone(),
        code: assembler.finish(&starts),
        literals: ir.literals.clone(),
    };
    Ok((program, starts))
}

/// The blocks to which something leads: all but the last one, which rejects, if nothing does.
fn reached(ir: &Ir) -> Vec<bool> {
    let mut is_reached = vec![false; ir.blocks.len()];
    is_reached[0] = true;
    for block in &ir.blocks {
        for to in block.end.targets() {
            is_reached[to] = true;
        }
        if may_reject(block) {
            is_reached[ir.blocks.len() - 1] = true;
        }
    }
    is_reached
}

/// Whether a text may not be there, or not be so long.
fn may_reject(block: &Block) -> bool {
    let mut computed = block.computed.iter();
    let is_text = match &block.end {
        End::Branch { test, .. } => !matches!(test, Test::Compare(..)),
        End::Jump(..) | End::Return(_) => false,
    };
    is_text || computed.any(|computed| matches!(computed.how, Compute::Byte(..)))
}

struct Generator<'i> {
    blocks: &'i [Block],
    assembler: Assembler,
    /// The block that follows.
    next: BlockId,
}

impl Generator<'_> {
    fn block(&mut self, block: &Block) {
        for computed in &block.computed {
            self.compute(*computed);
        }
        match &block.end {
            End::Branch { test, yes, no } => self.branch(test, *yes, *no),
            End::Jump(to, value) => {
                if let (Some(parameter), Some(value)) = (self.blocks[*to].parameter, value) {
                    let into = self.assembler.destination(parameter);
                    self.assembler.set(into, *value);
                    self.assembler.keep(parameter, into);
                }
                self.go(*to);
            }
            End::Return(verdict) => {
                let result = Value::Constant(*verdict as i64);
                self.assembler.set(RESULT, result);
                let exit = opcode::JMP | opcode::EXIT;
                self.assembler.emit(exit, 0, 0, 0, 0);
            }
        }
    }

    /// The block that rejects.
    fn reject(&self) -> BlockId {
        self.blocks.len() - 1
    }

    fn go(&mut self, to: BlockId) {
        if to != self.next {
            self.assembler.go(to);
        }
    }

    fn compute(&mut self, Computed { temporary, how }: Computed) {
        let reject = self.reject();
        let code = &mut self.assembler;
        let is_needed = code.is_used(temporary) || matches!(how, Compute::Byte(..));
        if !is_needed {
            return;
        }
        let into = code.destination(temporary);
        let result = match how {
            Compute::Import(import) => {
                let load = opcode::LDX | opcode::MEM | opcode::DW;
                code.emit(load, into, CONTEXT, 8 * i16::from(import), 0);
                into
            }
            Compute::Byte(import, index) => {
                let index = Argument::Value(Value::Constant(i64::from(index)));
                code.call(Helper::TextByte, &[Argument::slot(import), index]);
                code.jump(opcode::JSLT, RESULT, Operand::Immediate(0), reject);
                RESULT
            }
            Compute::Binary(operation, one, other) => binary(code, into, operation, one, other),
            Compute::Negate(value) => {
                code.set(into, value);
                code.emit(opcode::ALU64 | opcode::NEG, into, 0, 0, 0);
                into
            }
            Compute::Not(value) => {
                code.set(into, value);
                code.emit(opcode::ALU64 | opcode::XOR, into, 0, 0, -1);
                into
            }
            Compute::DoubleOf(import) => {
                code.call(Helper::DoubleOf, &[Argument::slot(import)]);
                RESULT
            }
            Compute::DoubleOfInteger(value) => {
                code.call(Helper::DoubleOfInteger, &[Argument::Value(value)]);
                RESULT
            }
            Compute::IntegerOfDouble(value) => {
                code.call(Helper::IntegerOfDouble, &[Argument::Value(value)]);
                RESULT
            }
            Compute::CompareDoubles(one, other) => {
                let both = [one, other].map(Argument::Value);
                code.call(Helper::CompareDoubles, &both);
                RESULT
            }
        };
        code.keep(temporary, result);
    }

    fn branch(&mut self, test: &Test, yes: BlockId, no: BlockId) {
        let code = &mut self.assembler;
        match test {
            Test::Compare(relation, one, other) => {
                let one = code.register(*one, FIRST);
                let other = code.operand(*other);
                let (holds, fails) = jumps(*relation);
                if yes == self.next {
                    code.jump(fails, one, other, no);
                } else {
                    code.jump(holds, one, other, yes);
                    self.go(no);
                }
            }
            Test::Text {
                import,
                literal,
                how,
            } => {
                code.call(helper(*how), &text_arguments(*import, literal));
                self.branch_of_text(yes, no);
            }
            Test::SameText(one, other) => {
                let slots = [*one, *other].map(Argument::slot);
                code.call(Helper::TextSame, &slots);
                self.branch_of_text(yes, no);
            }
        }
    }

    /// Goes where the result of a helper leads to: 1 and 0 to these blocks, and -1 to the one that rejects.
    fn branch_of_text(&mut self, yes: BlockId, no: BlockId) {
        let (reject, next) = (self.reject(), self.next);
        let mut jump = |relation, to| {
            let zero = Operand::Immediate(0);
            self.assembler.jump(relation, RESULT, zero, to);
        };
        let rest = if no == reject {
            jump(opcode::JSLE, reject);
            yes
        } else if yes == reject {
            jump(opcode::JNE, reject);
            no
        } else if yes == next {
            jump(opcode::JSLT, reject);
            jump(opcode::JEQ, no);
            yes
        } else {
            jump(opcode::JSLT, reject);
            jump(opcode::JNE, yes);
            no
        };
        self.go(rest);
    }
}

/// Computes into this register, or another one if that would overwrite the second operand. Returns which.
fn binary(code: &mut Assembler, into: u8, operation: Operation, one: Value, other: Value) -> u8 {
    let (operation, is_symmetric) = match operation {
        Operation::And => (opcode::AND, true),
        Operation::Or => (opcode::OR, true),
        Operation::Xor => (opcode::XOR, true),
        Operation::ShiftLeft => (opcode::LSH, false),
        Operation::ShiftRight => (opcode::RSH, false),
    };
    let (into, one, other) = match (code.is_in(other, into), is_symmetric) {
        (true, true) => (into, other, one),
        (true, false) => (FIRST, one, other),
        (false, _) => (into, one, other),
    };
    let other = code.operand(other);
    code.set(into, one);
    code.with(opcode::ALU64 | operation, into, other);
    into
}

/// The arguments that name a text and a literal.
fn text_arguments(import: u8, literal: &Range<usize>) -> [Argument; 3] {
    let bytes = Value::Constant(literal.len() as i64);
    [
        Argument::slot(import),
        Argument::Literal(literal.start),
        Argument::Value(bytes),
    ]
}

fn helper(how: How) -> Helper {
    match how {
        How::Equal => Helper::TextIs,
        How::Begins => Helper::TextBegins,
        How::Matches => Helper::TextMatches,
    }
}

/// The jump if a relation holds, and the one if it does not.
fn jumps(relation: Relation) -> (u8, u8) {
    match relation {
        Relation::Equal => (opcode::JEQ, opcode::JNE),
        Relation::NotEqual => (opcode::JNE, opcode::JEQ),
        Relation::Less => (opcode::JSLT, opcode::JSGE),
        Relation::LessOrEqual => (opcode::JSLE, opcode::JSGT),
        Relation::Greater => (opcode::JSGT, opcode::JSLE),
        Relation::GreaterOrEqual => (opcode::JSGE, opcode::JSLT),
        Relation::Below => (opcode::JLT, opcode::JGE),
    }
}
