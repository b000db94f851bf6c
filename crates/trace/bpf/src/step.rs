//! What an instruction does: one that programs may have, with every field that it does not use zero.

use crate::arithmetic::{Binary, Relation, Unary};
use crate::instruction::{Instruction, opcode};
use crate::lowered::Part;
use crate::verifier::Rule;

/// Number of the register with the address of the stack, which is never written.
const FRAME: u8 = 10;

/// What an instruction does. Jumps are relative: instructions that are skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Move {
        to: u8,
        from: Operand,
    },
    Binary {
        how: Binary,
        wide: bool,
        to: u8,
        with: Operand,
    },
    Unary {
        how: Unary,
        to: u8,
        from: u8,
    },
    /// The address of this byte of the literals.
    Literals {
        to: u8,
        at: u32,
    },
    /// The part is of a word at the address.
    Load {
        to: u8,
        base: u8,
        offset: i16,
        part: Part,
    },
    Store {
        base: u8,
        offset: i16,
        part: Part,
        from: Operand,
    },
    Jump {
        by: i32,
    },
    If {
        is: Relation,
        wide: bool,
        one: u8,
        other: Operand,
        by: i16,
    },
    Call {
        helper: i32,
    },
    Exit,
}

/// Where a number comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand {
    Register(u8),
    Constant(u64),
}

impl Step {
    /// Reads an instruction of one word.
    pub fn read(read: Instruction) -> Result<Self, Rule> {
        require(read.dst <= FRAME && read.src <= FRAME)?;
        match read.opcode & opcode::CLASS {
            opcode::ALU | opcode::ALU64 => writes(read.dst, arithmetic(read)?),
            opcode::JMP | opcode::JMP32 => jump(read),
            // The second half of a wide instruction.
            opcode::LD if read.opcode == 0 => Err(Rule::Wide),
            // Absolute and indirect loads of packets.
            opcode::LD if matches!(read.opcode & opcode::MODE, 0x20 | 0x40) => Err(Rule::Call),
            opcode::LD => Err(Rule::Opcode),
            _ => access(read),
        }
    }

    /// Reads a wide instruction of a program with so many bytes of literals.
    pub fn wide(
        first: Instruction,
        second: Option<Instruction>,
        literals: usize,
    ) -> Result<Self, Rule> {
        let second = second.ok_or(Rule::Wide)?;
        let Instruction {
            dst: to,
            src,
            offset,
            imm,
            ..
        } = first;
        let rest = Instruction { imm: 0, ..second };
        let is_whole = offset == 0 && to <= FRAME && rest == Instruction::decode([0; 8]);
        let step = match (is_whole, src, usize::try_from(second.imm)) {
            (true, 0, _) => Self::Move {
                to,
                from: Operand::Constant(first.wide(second)),
            },
            (true, 6, Ok(at)) if imm == 0 && at <= literals => Self::Literals { to, at: at as u32 },
            _ => return Err(Rule::Wide),
        };
        writes(to, step)
    }
}

/// What the definition says must be so.
fn require(is_so: bool) -> Result<(), Rule> {
    if is_so { Ok(()) } else { Err(Rule::Opcode) }
}

/// The address of the stack is never written.
fn writes(to: u8, step: Step) -> Result<Step, Rule> {
    if to == FRAME {
        Err(Rule::Frame)
    } else {
        Ok(step)
    }
}

/// The second operand; the field that it is not in must be zero.
fn operand(read: Instruction) -> Result<Operand, Rule> {
    if read.opcode & opcode::X == 0 {
        require(read.src == 0)?;
        Ok(Operand::Constant(i64::from(read.imm) as u64))
    } else {
        require(read.imm == 0)?;
        Ok(Operand::Register(read.src))
    }
}

fn arithmetic(read: Instruction) -> Result<Step, Rule> {
    let wide = read.opcode & opcode::CLASS == opcode::ALU64;
    let operation = read.opcode & opcode::OPERATION;
    if operation == opcode::END {
        return swap(read, wide);
    }
    let with = operand(read)?;
    let (to, offset) = (read.dst, read.offset);
    if operation == opcode::MOV {
        return copy(to, with, offset, wide);
    }
    let how = match (operation, offset) {
        (opcode::NEG, 0) => {
            require(with == Operand::Constant(0))?;
            let how = if wide { Unary::Negate } else { Unary::Negate32 };
            return Ok(Step::Unary { how, to, from: to });
        }
        (opcode::ADD, 0) => Binary::Add,
        (opcode::SUB, 0) => Binary::Subtract,
        (opcode::MUL, 0) => Binary::Multiply,
        (opcode::DIV, 0) => Binary::Divide,
        (opcode::DIV, 1) => Binary::DivideSigned,
        (opcode::MOD, 0) => Binary::Remainder,
        (opcode::MOD, 1) => Binary::RemainderSigned,
        (opcode::OR, 0) => Binary::Or,
        (opcode::AND, 0) => Binary::And,
        (opcode::XOR, 0) => Binary::Xor,
        (opcode::LSH, 0) => Binary::ShiftLeft,
        (opcode::RSH, 0) => Binary::ShiftRight,
        (opcode::ARSH, 0) => Binary::ShiftRightSigned,
        _ => return Err(Rule::Opcode),
    };
    Ok(Step::Binary {
        how,
        wide,
        to,
        with,
    })
}

/// A copy, of all or of a part whose sign is extended.
fn copy(to: u8, with: Operand, offset: i16, wide: bool) -> Result<Step, Rule> {
    let from = match (with, offset, wide) {
        (_, 0, true) => return Ok(Step::Move { to, from: with }),
        (Operand::Constant(value), 0, false) => {
            let from = Operand::Constant(Unary::Truncate32.of(value));
            return Ok(Step::Move { to, from });
        }
        (Operand::Constant(_), ..) => return Err(Rule::Opcode),
        (Operand::Register(from), ..) => from,
    };
    let how = match (offset, wide) {
        (0, _) => Unary::Truncate32,
        (8, true) => Unary::Extend8,
        (16, true) => Unary::Extend16,
        (32, true) => Unary::Extend32,
        (8, false) => Unary::Extend8To32,
        (16, false) => Unary::Extend16To32,
        _ => return Err(Rule::Opcode),
    };
    Ok(Step::Unary { how, to, from })
}

/// This processor's numbers begin with their lowest byte.
fn swap(read: Instruction, wide: bool) -> Result<Step, Rule> {
    require(read.src == 0 && read.offset == 0)?;
    let to = read.dst;
    let to_big = read.opcode & opcode::X != 0;
    require(!(wide && to_big))?;
    let how = match (wide || to_big, read.imm) {
        (true, 16) => Unary::Swap16,
        (true, 32) => Unary::Swap32,
        (true, 64) => Unary::Swap64,
        (false, 16) => Unary::Truncate16,
        (false, 32) => Unary::Truncate32,
        // It stays as it is. But it is read, so it must be a number.
        (false, 64) => {
            return Ok(Step::Binary {
                how: Binary::Or,
                wide: true,
                to,
                with: Operand::Constant(0),
            });
        }
        _ => return Err(Rule::Opcode),
    };
    Ok(Step::Unary { how, to, from: to })
}

fn access(read: Instruction) -> Result<Step, Rule> {
    let (mode, offset) = (read.opcode & opcode::MODE, read.offset);
    // The number of bytes is 1 shifted by this.
    let shift = match read.opcode & opcode::SIZE {
        opcode::B => 0,
        opcode::H => 1,
        opcode::W => 2,
        _ => 3,
    };
    let part = Part::new(0, shift, mode == opcode::MEMSX);
    match (read.opcode & opcode::CLASS, mode) {
        (opcode::LDX, opcode::MEM | opcode::MEMSX) => {
            require(read.imm == 0 && (mode == opcode::MEM || shift < 3))?;
            let (to, base) = (read.dst, read.src);
            let load = Step::Load {
                to,
                base,
                offset,
                part,
            };
            writes(to, load)
        }
        (class @ (opcode::ST | opcode::STX), opcode::MEM) => {
            let from = if class == opcode::ST {
                require(read.src == 0)?;
                Operand::Constant(i64::from(read.imm) as u64)
            } else {
                require(read.imm == 0)?;
                Operand::Register(read.src)
            };
            let base = read.dst;
            Ok(Step::Store {
                base,
                offset,
                part,
                from,
            })
        }
        // An atomic operation.
        (opcode::STX, 0xc0) if shift >= 2 => Err(Rule::Call),
        _ => Err(Rule::Opcode),
    }
}

fn jump(read: Instruction) -> Result<Step, Rule> {
    let wide = read.opcode & opcode::CLASS == opcode::JMP;
    let is_register = read.opcode & opcode::X != 0;
    let Instruction {
        dst: one,
        src,
        offset: by,
        imm,
        ..
    } = read;
    let is = match read.opcode & opcode::OPERATION {
        opcode::JA => {
            require(!is_register && one == 0 && src == 0)?;
            require(if wide { imm == 0 } else { by == 0 })?;
            let by = if wide { i32::from(by) } else { imm };
            return Ok(Step::Jump { by });
        }
        // It calls a function of the program, one by another kind of number, or one at an address.
        opcode::CALL if wide && (is_register || matches!(src, 1 | 2)) => return Err(Rule::Call),
        opcode::CALL => {
            require(wide && one == 0 && src == 0 && by == 0)?;
            return Ok(Step::Call { helper: imm });
        }
        opcode::EXIT => {
            require(wide && !is_register && one == 0 && src == 0 && by == 0 && imm == 0)?;
            return Ok(Step::Exit);
        }
        opcode::JEQ => Relation::Equal,
        opcode::JNE => Relation::NotEqual,
        opcode::JGT => Relation::Greater,
        opcode::JGE => Relation::GreaterOrEqual,
        opcode::JLT => Relation::Less,
        opcode::JLE => Relation::LessOrEqual,
        opcode::JSGT => Relation::SignedGreater,
        opcode::JSGE => Relation::SignedGreaterOrEqual,
        opcode::JSLT => Relation::SignedLess,
        opcode::JSLE => Relation::SignedLessOrEqual,
        opcode::JSET => Relation::Common,
        _ => return Err(Rule::Opcode),
    };
    let other = operand(read)?;
    Ok(Step::If {
        is,
        wide,
        one,
        other,
        by,
    })
}
