//! A second executor, made from RFC 9669 alone: it shares no code with the verifier, the lowering or the interpreter,
//! works on the instructions as they are, and checks every access. For tests and the fuzzer.

mod arithmetic;
mod check;
mod guarded;
mod helpers;
mod made;
mod native;
mod parts;
mod passed;

use alloc::vec::Vec;

pub use check::check;
pub use made::Made;
pub use native::Native;
pub use passed::Passed;

use crate::instruction::{Instruction, opcode};
use crate::program::{Program, STACK, Verdict};

/// The value of an import.
#[derive(Debug, Clone, PartialEq)]
pub enum Datum {
    /// An integer.
    Integer(u64),
    /// The bits of a floating-point number of 32 bits.
    Single(u32),
    /// The bits of a floating-point number of 64 bits.
    Double(u64),
    /// A text without zeros, or null.
    Terminated(Option<Vec<u8>>),
    /// Bytes, or null.
    Counted(Option<Vec<u8>>),
}

/// What an execution did that it must not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Harm {
    /// More instructions were executed than there are.
    Endless,
    /// Execution ran off the end, or into the middle of an instruction.
    End,
    /// An instruction that does not exist.
    Unknown,
    /// A register or a byte of the stack was read that has no value.
    Unset,
    /// An access to no memory, or to memory that this kind of access must not be made to.
    Access,
    /// A helper was called that does not exist, or with other arguments than it takes.
    Helper,
}

/// What the addresses are that a program sees. Its verdict must not depend on them.
#[derive(Debug, Clone, Copy)]
pub struct Addresses {
    /// The context's.
    pub context: u64,
    /// The literals'.
    pub literals: u64,
    /// Behind the stack.
    pub stack: u64,
}

impl Addresses {
    /// Some that lie far from each other.
    pub const FIRST: Self = Self {
        context: 0x7f00_1234_5000,
        literals: 0x5600_9abc_d010,
        stack: 0x7ffc_0000_2000,
    };

    /// Others, in another order.
    pub const SECOND: Self = Self {
        context: 0x10_0000,
        literals: 0xffff_8000_0000_0000,
        stack: 0x2000_0000_0000,
    };
}

/// Executes a program with these values of its imports.
///
/// # Errors
/// The harm that it does, with the instruction, from 0.
pub fn run(
    program: &Program<'_>,
    data: &[Datum],
    addresses: Addresses,
) -> Result<Verdict, (usize, Harm)> {
    let code = program.code.chunks_exact(8).map(|bytes| {
        let bytes = bytes.try_into().expect("eight bytes");
        Instruction::decode(bytes)
    });
    let mut machine = Machine {
        code: code.collect(),
        literals: program.literals,
        data,
        addresses,
        registers: [None; 11],
        stack: [None; STACK],
    };
    machine.registers[1] = Some(addresses.context);
    machine.registers[10] = Some(addresses.stack);
    machine.run()
}

struct Machine<'p> {
    code: Vec<Instruction>,
    literals: &'p [u8],
    data: &'p [Datum],
    addresses: Addresses,
    registers: [Option<u64>; 11],
    stack: [Option<u8>; STACK],
}

impl Machine<'_> {
    fn run(&mut self) -> Result<Verdict, (usize, Harm)> {
        let mut at = 0;
        for _ in 0..self.code.len() {
            match self.step(at).map_err(|harm| (at, harm))? {
                Some(next) => at = next,
                None => {
                    let result = self.read(0).map_err(|harm| (at, harm))?;
                    return Ok(Verdict::of(result));
                }
            }
        }
        Err((at, Harm::Endless))
    }

    /// Executes one, and returns the next; nothing at the end.
    fn step(&mut self, at: usize) -> Result<Option<usize>, Harm> {
        use opcode::*;
        let i = *self.code.get(at).ok_or(Harm::End)?;
        let address = |base: u64| base.wrapping_add(i.offset as i64 as u64);
        match i.opcode & CLASS {
            ALU | ALU64 => {
                let other = self.other(i)?;
                let before = self.registers.get(usize::from(i.dst)).copied().flatten();
                let after = arithmetic::of(i, before, other)?;
                self.write(i.dst, after)?;
            }
            JMP | JMP32 => return self.jump(i, at),
            LD if i.opcode == WIDE => {
                let high = self.code.get(at + 1).ok_or(Harm::End)?.imm;
                let value = match i.src {
                    0 => u64::from(high as u32) << 32 | u64::from(i.imm as u32),
                    6 => self.addresses.literals.wrapping_add(high as u64),
                    _ => return Err(Harm::Unknown),
                };
                self.write(i.dst, value)?;
                return Ok(Some(at + 2));
            }
            LDX => {
                let bytes = size(i);
                let value = self.load(address(self.read(i.src)?), bytes)?;
                let value = match (i.opcode & MODE, bytes) {
                    (MEM, _) => value,
                    (MEMSX, 1) => value as i8 as i64 as u64,
                    (MEMSX, 2) => value as i16 as i64 as u64,
                    (MEMSX, 4) => value as i32 as i64 as u64,
                    _ => return Err(Harm::Unknown),
                };
                self.write(i.dst, value)?;
            }
            ST | STX if i.opcode & MODE == MEM => {
                let value = if i.opcode & CLASS == ST {
                    i.imm as i64 as u64
                } else {
                    self.read(i.src)?
                };
                self.store(address(self.read(i.dst)?), size(i), value)?;
            }
            _ => return Err(Harm::Unknown),
        }
        Ok(Some(at + 1))
    }

    fn jump(&mut self, i: Instruction, at: usize) -> Result<Option<usize>, Harm> {
        use opcode::*;
        let is_wide = i.opcode & CLASS == JMP;
        let to = |by: i64| usize::try_from(at as i64 + 1 + by).map_err(|_| Harm::End);
        match i.opcode & OPERATION {
            JA if is_wide => return to(i64::from(i.offset)).map(Some),
            JA => return to(i64::from(i.imm)).map(Some),
            EXIT => return Ok(None),
            CALL if i.src == 0 => {
                self.call(i.imm)?;
                return Ok(Some(at + 1));
            }
            CALL => return Err(Harm::Unknown),
            _ => {}
        }
        let (one, other) = (self.read(i.dst)?, self.other(i)?);
        let holds = if is_wide {
            arithmetic::holds_64(i, one, other)?
        } else {
            arithmetic::holds_32(i, one as u32, other as u32)?
        };
        to(if holds { i64::from(i.offset) } else { 0 }).map(Some)
    }

    /// The second operand.
    fn other(&self, i: Instruction) -> Result<u64, Harm> {
        let is_end = i.opcode & opcode::OPERATION == opcode::END;
        let is_arithmetic = matches!(i.opcode & opcode::CLASS, opcode::ALU | opcode::ALU64);
        // There, this bit says which order of bytes.
        if i.opcode & opcode::X == 0 || is_arithmetic && is_end {
            Ok(i.imm as i64 as u64)
        } else {
            self.read(i.src)
        }
    }

    fn read(&self, register: u8) -> Result<u64, Harm> {
        let read = self.registers.get(usize::from(register));
        read.ok_or(Harm::Unknown)?.ok_or(Harm::Unset)
    }

    fn write(&mut self, register: u8, value: u64) -> Result<(), Harm> {
        if register >= 10 {
            return Err(Harm::Unknown);
        }
        self.registers[usize::from(register)] = Some(value);
        Ok(())
    }

    fn load(&self, address: u64, bytes: usize) -> Result<u64, Harm> {
        let mut value = [0; 8];
        for (index, to) in value.iter_mut().take(bytes).enumerate() {
            *to = self.byte(address.wrapping_add(index as u64))?;
        }
        // A load from the context is of a part of one value.
        let offset = address.wrapping_sub(self.addresses.context);
        if self.is_context(offset) && offset % 8 + bytes as u64 > 8 {
            return Err(Harm::Access);
        }
        Ok(u64::from_le_bytes(value))
    }

    fn is_context(&self, offset: u64) -> bool {
        offset < 8 * self.data.len() as u64
    }

    fn byte(&self, address: u64) -> Result<u8, Harm> {
        let offset = address.wrapping_sub(self.addresses.context);
        if self.is_context(offset) {
            return match &self.data[(offset / 8) as usize] {
                Datum::Integer(value) => Ok(value.to_le_bytes()[(offset % 8) as usize]),
                _ => Err(Harm::Access),
            };
        }
        if let Some(at) = self.in_stack(address) {
            return self.stack[at].ok_or(Harm::Unset);
        }
        let offset = address.wrapping_sub(self.addresses.literals);
        let offset = usize::try_from(offset).map_err(|_| Harm::Access)?;
        self.literals.get(offset).copied().ok_or(Harm::Access)
    }

    /// The place of a byte in the stack.
    fn in_stack(&self, address: u64) -> Option<usize> {
        let lowest = self.addresses.stack.wrapping_sub(STACK as u64);
        let at = usize::try_from(address.wrapping_sub(lowest)).ok()?;
        (at < STACK).then_some(at)
    }

    fn store(&mut self, address: u64, bytes: usize, value: u64) -> Result<(), Harm> {
        for (index, byte) in value.to_le_bytes().into_iter().take(bytes).enumerate() {
            let at = self.in_stack(address.wrapping_add(index as u64));
            self.stack[at.ok_or(Harm::Access)?] = Some(byte);
        }
        Ok(())
    }
}

/// Bytes of an access.
fn size(i: Instruction) -> usize {
    match i.opcode & opcode::SIZE {
        opcode::W => 4,
        opcode::H => 2,
        opcode::B => 1,
        _ => 8,
    }
}
