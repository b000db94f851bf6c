//! Instructions as they are written: with values instead of registers, and blocks instead of offsets.

use std::collections::BTreeMap;

use perflab_bpf::{Helper, Instruction, opcode};

use crate::ir::{BlockId, Temporary, Value};
use crate::registers::Home;

/// The context, from the first instruction on.
pub const CONTEXT: u8 = 6;

/// What a helper returns, and the program.
pub const RESULT: u8 = 0;

/// Holds the first operand of an instruction, and its result, if their places are not registers.
pub const FIRST: u8 = 1;

/// Holds the second operand, if it is neither in a register nor in the instruction.
const SECOND: u8 = 4;

/// The address of the stack.
const FRAME: u8 = 10;

/// The second operand of an instruction.
#[derive(Debug, Clone, Copy)]
pub enum Operand {
    Register(u8),
    Immediate(i32),
}

/// An argument of a helper.
#[derive(Debug, Clone, Copy)]
pub enum Argument {
    Value(Value),
    /// The address of a byte of the literals.
    Literal(usize),
}

impl Argument {
    /// The slot of an import.
    pub fn slot(import: u8) -> Self {
        Self::Value(Value::Constant(8 * i64::from(import)))
    }
}

/// The instructions so far.
#[derive(Debug)]
pub struct Assembler {
    homes: BTreeMap<Temporary, Home>,
    code: Vec<Instruction>,
    /// The instructions that jump, and where to.
    jumps: Vec<(usize, BlockId)>,
}

impl Assembler {
    /// None yet; the values that are used have these places.
    pub fn new(homes: BTreeMap<Temporary, Home>) -> Self {
        let mut assembler = Self {
            homes,
            code: Vec::new(),
            jumps: Vec::new(),
        };
        assembler.copy(CONTEXT, 1);
        assembler
    }

    /// How many there are.
    pub fn length(&self) -> usize {
        self.code.len()
    }

    /// All instructions, of blocks that begin at these. There are few enough for the offset of a jump.
    pub fn finish(mut self, starts: &[usize]) -> Vec<u8> {
        for (at, to) in self.jumps {
            self.code[at].offset = (starts[to] - at - 1) as i16;
        }
        let code = self.code.into_iter();
        code.flat_map(Instruction::encode).collect()
    }

    /// Adds an instruction.
    pub fn emit(&mut self, opcode: u8, dst: u8, src: u8, offset: i16, imm: i32) {
        self.code.push(Instruction {
            opcode,
            dst,
            src,
            offset,
            imm,
        });
    }

    /// Adds one with a register and an operand.
    pub fn with(&mut self, opcode: u8, one: u8, other: Operand) {
        match other {
            Operand::Register(other) => self.emit(opcode | opcode::X, one, other, 0, 0),
            Operand::Immediate(other) => self.emit(opcode, one, 0, 0, other),
        }
    }

    /// Goes to a block if a register has a relation to an operand.
    pub fn jump(&mut self, relation: u8, one: u8, other: Operand, to: BlockId) {
        self.jumps.push((self.code.len(), to));
        self.with(opcode::JMP | relation, one, other);
    }

    /// Goes to a block.
    pub fn go(&mut self, to: BlockId) {
        self.jump(opcode::JA, 0, Operand::Immediate(0), to);
    }

    /// Calls a helper with these arguments from r2 on; r1 is always the context.
    pub fn call(&mut self, helper: Helper, arguments: &[Argument]) {
        self.copy(1, CONTEXT);
        for (register, argument) in (2..).zip(arguments) {
            match argument {
                Argument::Value(value) => self.set(register, *value),
                Argument::Literal(at) => self.wide(register, 6, [0, *at as i32]),
            }
        }
        self.emit(opcode::JMP | opcode::CALL, 0, 0, 0, helper as i32);
    }

    fn copy(&mut self, to: u8, from: u8) {
        if to != from {
            self.emit(opcode::ALU64 | opcode::MOV | opcode::X, to, from, 0, 0);
        }
    }

    fn wide(&mut self, to: u8, source: u8, [low, high]: [i32; 2]) {
        self.emit(opcode::WIDE, to, source, 0, low);
        self.emit(0, 0, 0, 0, high);
    }

    /// The place of a value; none of a constant, and of a value that nobody uses.
    fn home(&self, value: Value) -> Option<Home> {
        match value {
            Value::Constant(_) => None,
            Value::Temporary(temporary) => self.homes.get(&temporary).copied(),
        }
    }

    /// Whether anybody uses a value.
    pub fn is_used(&self, temporary: Temporary) -> bool {
        self.homes.contains_key(&temporary)
    }

    /// Whether a value is in a register.
    pub fn is_in(&self, value: Value, register: u8) -> bool {
        self.home(value) == Some(Home::Register(register))
    }

    /// Puts a value into a register.
    pub fn set(&mut self, to: u8, value: Value) {
        match (value, self.home(value)) {
            (Value::Constant(value), _) => match i32::try_from(value) {
                Ok(value) => self.emit(opcode::ALU64 | opcode::MOV, to, 0, 0, value),
                Err(_) => self.wide(to, 0, [value as i32, (value >> 32) as i32]),
            },
            (_, Some(Home::Register(from))) => self.copy(to, from),
            (_, Some(Home::Stack(offset))) => {
                let load = opcode::LDX | opcode::MEM | opcode::DW;
                self.emit(load, to, FRAME, offset, 0);
            }
            (Value::Temporary(_), None) => unreachable!("a value that is used has a place"),
        }
    }

    /// The register that a value is in; if it is in none, it is put into this one.
    pub fn register(&mut self, value: Value, otherwise: u8) -> u8 {
        if let Some(Home::Register(register)) = self.home(value) {
            return register;
        }
        self.set(otherwise, value);
        otherwise
    }

    /// A value as the second operand.
    pub fn operand(&mut self, value: Value) -> Operand {
        if let Value::Constant(value) = value
            && let Ok(value) = i32::try_from(value)
        {
            return Operand::Immediate(value);
        }
        Operand::Register(self.register(value, SECOND))
    }

    /// The register in which a value is computed before [`Assembler::keep`] puts it where it belongs.
    pub fn destination(&self, temporary: Temporary) -> u8 {
        match self.homes.get(&temporary) {
            Some(Home::Register(register)) => *register,
            Some(Home::Stack(_)) | None => FIRST,
        }
    }

    /// Puts a register where a value belongs.
    pub fn keep(&mut self, temporary: Temporary, from: u8) {
        match self.home(Value::Temporary(temporary)) {
            Some(Home::Register(to)) => self.copy(to, from),
            Some(Home::Stack(offset)) => {
                let store = opcode::STX | opcode::MEM | opcode::DW;
                self.emit(store, FRAME, from, offset, 0);
            }
            None => {}
        }
    }
}
