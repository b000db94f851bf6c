//! Operations on numbers: in rax, which often has the result of the one before.

use super::CannotEmit;
use super::encode::{Arithmetic, Operand, Register, Shift};
use super::link::Condition;
use super::program::Emitter;
use crate::arithmetic::{Binary, Unary};
use crate::lowered::{Op, Part};
use crate::place::{ContextField, Place};

/// Values that the red zone holds.
pub const MOST_VALUES: u8 = 14;

/// Where the first of them is, from rsp.
const FIRST_VALUE: i32 = -24;

const RAX: Register = Register::RAX;
const IN_RAX: Operand = Operand::Register(RAX);

impl Emitter<'_> {
    /// An operation that writes a register.
    pub fn value(&mut self, at: usize, mut op: Op) -> Result<(), CannotEmit> {
        match op {
            Op::Constant { value, .. } => self.code.constant(RAX, value),
            Op::Copy { from, .. } => self.fetch(from)?,
            Op::Extract { from, part, .. } => {
                let from = self.where_is(from)?;
                self.code.load_part(RAX, from, part);
            }
            Op::Insert {
                one, other, part, ..
            } => {
                let other = self.fetch_both(one, other)?;
                self.code.load(Register::R10, other);
                let above = 64 - 8 * part.bytes();
                let (left, right) = (above as u8, (above - 8 * part.byte()) as u8);
                self.code.shift(Shift::Left, true, Register::R10, left);
                self.code.shift(Shift::Right, true, Register::R10, right);
                self.put(part, Operand::Register(Register::R10));
            }
            Op::InsertConstant {
                one, part, value, ..
            } => {
                self.fetch(one)?;
                self.code.constant(Register::R10, part.put(0, value));
                self.put(part, Operand::Register(Register::R10));
            }
            Op::Import { import, part, .. } => self.import(at, import, part),
            Op::Double { import, .. } => match self.place(import) {
                Place::Number(word) => {
                    let word = self.word(word);
                    self.code.load(RAX, word);
                }
                _ => self.help(at),
            },
            Op::Unary { how, from, .. } => self.unary(at, how, from)?,
            Op::Binary {
                how,
                wide,
                one,
                other,
                ..
            } => self.binary(at, how, wide, one, other)?,
            Op::BinaryConstant {
                how,
                wide,
                one,
                value,
                ..
            } => self.binary_with(at, how, wide, one, value)?,
            Op::Byte { import, index, .. } => self.byte(at, import, index)?,
            Op::CompareDoubles { one, other, .. } => {
                self.pass(Register::R10, one)?;
                self.pass(Register::R11, other)?;
                self.help(at);
            }
            _ => self.help(at),
        }
        self.falls = true;
        self.held = None;
        let (Some(to), _) = op.registers() else {
            return Ok(());
        };
        let to = *to;
        if !self.live.is_for_next(at, to) {
            let slot = self.slot(to)?;
            self.code.store(slot, RAX);
        }
        self.held = Some(to);
        Ok(())
    }

    /// The place of a register in the red zone.
    fn slot(&mut self, register: u8) -> Result<Operand, CannotEmit> {
        let known = self.slots[usize::from(register)];
        let slot = known.unwrap_or(self.used_slots);
        if known.is_none() {
            if slot == MOST_VALUES {
                return Err(CannotEmit::Values);
            }
            self.used_slots += 1;
            self.slots[usize::from(register)] = Some(slot);
        }
        let offset = FIRST_VALUE - 8 * i32::from(slot);
        Ok(Operand::Memory(Register::RSP, offset))
    }

    /// Where the value of a register is.
    pub fn where_is(&mut self, register: u8) -> Result<Operand, CannotEmit> {
        if self.held == Some(register) {
            Ok(IN_RAX)
        } else {
            self.slot(register)
        }
    }

    /// Brings a register's value into rax.
    pub fn fetch(&mut self, register: u8) -> Result<(), CannotEmit> {
        self.pass(RAX, register)?;
        self.held = Some(register);
        Ok(())
    }

    /// Brings one register's value into rax, and returns where the other one's is.
    pub fn fetch_both(&mut self, one: u8, other: u8) -> Result<Operand, CannotEmit> {
        if one != other && self.held == Some(other) {
            self.pass(Register::R10, other)?;
            self.fetch(one)?;
            return Ok(Operand::Register(Register::R10));
        }
        self.fetch(one)?;
        self.where_is(other)
    }

    /// Brings a register's value into one of the processor's.
    fn pass(&mut self, to: Register, register: u8) -> Result<(), CannotEmit> {
        let from = self.where_is(register)?;
        self.code.load(to, from);
        Ok(())
    }

    /// Calls `help` for an operation; what comes of it is in rax.
    fn help(&mut self, at: usize) {
        let number = self.pending(at, None, None);
        self.code.constant(RAX, number);
        self.code.call(self.help);
        self.held = None;
    }

    /// Brings a part of an import into rax.
    pub fn import(&mut self, at: usize, import: u8, part: Part) {
        self.held = None;
        let whole = match self.place(import) {
            Place::Number(word) => self.word(word),
            Place::Context(ContextField::Ip) => Operand::Memory(Register::RSP, 0),
            Place::Context(ContextField::PthreadId) => {
                self.code.load_thread();
                IN_RAX
            }
            _ => {
                self.help(at);
                IN_RAX
            }
        };
        self.code.load_part(RAX, whole, part);
    }

    /// Replaces a part of rax.
    fn put(&mut self, part: Part, by: Operand) {
        let others = !part.put(0, u64::MAX);
        self.code.constant(Register::R11, others);
        let others = Operand::Register(Register::R11);
        self.code.arithmetic(Arithmetic::And, true, RAX, others);
        self.code.arithmetic(Arithmetic::Or, true, RAX, by);
    }

    fn unary(&mut self, at: usize, how: Unary, from: u8) -> Result<(), CannotEmit> {
        self.fetch(from)?;
        let code = &mut self.code;
        match how {
            Unary::Truncate16 => code.load_part(RAX, IN_RAX, Part::new(0, 1, false)),
            Unary::Truncate32 => code.load_part(RAX, IN_RAX, Part::new(0, 2, false)),
            Unary::Extend8 => code.load_part(RAX, IN_RAX, Part::new(0, 0, true)),
            Unary::Extend16 => code.load_part(RAX, IN_RAX, Part::new(0, 1, true)),
            Unary::Extend32 => code.load_part(RAX, IN_RAX, Part::new(0, 2, true)),
            Unary::Negate => code.negate(true, RAX),
            Unary::Negate32 => code.negate(false, RAX),
            Unary::Extend8To32 => code.extend_to_32(1),
            Unary::Extend16To32 => code.extend_to_32(2),
            Unary::Swap16 => {
                code.swap(false, RAX);
                code.shift(Shift::Right, false, RAX, 16);
            }
            Unary::Swap32 => code.swap(false, RAX),
            Unary::Swap64 => code.swap(true, RAX),
            Unary::DoubleOfInteger | Unary::IntegerOfDouble => {
                self.pass(Register::R10, from)?;
                self.help(at);
            }
        }
        Ok(())
    }

    fn binary(
        &mut self,
        at: usize,
        how: Binary,
        wide: bool,
        one: u8,
        other: u8,
    ) -> Result<(), CannotEmit> {
        if let Some(how) = arithmetic(how) {
            let other = self.fetch_both(one, other)?;
            self.code.arithmetic(how, wide, RAX, other);
        } else if how == Binary::Multiply {
            let other = self.fetch_both(one, other)?;
            self.code.multiply(wide, RAX, other);
        } else {
            // Divisions take rdx, and shifts rcx, which may have words of the event.
            self.pass(Register::R10, one)?;
            self.pass(Register::R11, other)?;
            self.help(at);
        }
        Ok(())
    }

    fn binary_with(
        &mut self,
        at: usize,
        how: Binary,
        wide: bool,
        one: u8,
        value: u64,
    ) -> Result<(), CannotEmit> {
        if let Some(shift) = shift(how) {
            self.fetch(one)?;
            let by = value as u8 & if wide { 63 } else { 31 };
            self.code.shift(shift, wide, RAX, by);
            if !wide {
                // A shift by nothing need not write the upper half.
                self.code.load_part(RAX, IN_RAX, Part::new(0, 2, false));
            }
            return Ok(());
        }
        let how_natively = arithmetic(how);
        if how_natively.is_none() && how != Binary::Multiply {
            self.pass(Register::R10, one)?;
            self.help(at);
            return Ok(());
        }
        self.fetch(one)?;
        let other = Operand::Register(Register::R10);
        match (how_natively, immediate(wide, value)) {
            (Some(how), Some(value)) => self.code.arithmetic_with(how, wide, IN_RAX, value),
            (Some(how), None) => {
                self.code.constant(Register::R10, value);
                self.code.arithmetic(how, wide, RAX, other);
            }
            (None, _) => {
                self.code.constant(Register::R10, value);
                self.code.multiply(wide, RAX, other);
            }
        }
        Ok(())
    }

    /// A byte of a text, or -1.
    fn byte(&mut self, at: usize, import: u8, index: u8) -> Result<(), CannotEmit> {
        let Place::Counted(word) = self.place(import) else {
            self.pass(Register::R10, index)?;
            self.help(at);
            return Ok(());
        };
        self.fetch(index)?;
        let [absent, done] = [(); 2].map(|()| self.code.label());
        let length = self.word(word + 1);
        self.code.arithmetic(Arithmetic::Compare, true, RAX, length);
        self.code.jump_if(Condition::BELOW.inverse(), absent);
        let base = self.address(word);
        self.code.test(true, Operand::Register(base), base);
        self.code.jump_if(Condition::EQUAL, absent);
        self.code.load_byte_at_rax(RAX, base);
        self.code.jump(done);
        self.code.bind(absent);
        self.code.arithmetic_with(Arithmetic::Or, true, IN_RAX, -1);
        self.code.bind(done);
        Ok(())
    }

    /// The address in a word of the event, in a register.
    pub fn address(&mut self, word: u8) -> Register {
        match self.word(word) {
            Operand::Register(register) => register,
            memory => {
                self.code.load(Register::R10, memory);
                Register::R10
            }
        }
    }
}

/// A number as instructions have it, extended by its sign.
pub fn immediate(wide: bool, value: u64) -> Option<i32> {
    if wide {
        i32::try_from(value as i64).ok()
    } else {
        Some(value as i32)
    }
}

/// The processor's operation on two numbers in any registers.
fn arithmetic(how: Binary) -> Option<Arithmetic> {
    Some(match how {
        Binary::Add => Arithmetic::Add,
        Binary::Subtract => Arithmetic::Subtract,
        Binary::Or => Arithmetic::Or,
        Binary::And => Arithmetic::And,
        Binary::Xor => Arithmetic::Xor,
        _ => return None,
    })
}

/// The processor's shift by a number that is known.
fn shift(how: Binary) -> Option<Shift> {
    Some(match how {
        Binary::ShiftLeft => Shift::Left,
        Binary::ShiftRight => Shift::Right,
        Binary::ShiftRightSigned => Shift::RightSigned,
        _ => return None,
    })
}
