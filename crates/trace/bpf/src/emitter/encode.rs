//! Instructions of x86-64, as many as filters need. Intel's names; the register comes first, as there.

use super::link::Assembler;
use crate::lowered::Part;

/// A register, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Register(u8);

impl Register {
    pub const RAX: Self = Self(0);
    pub const RCX: Self = Self(1);
    pub const RDX: Self = Self(2);
    pub const RSP: Self = Self(4);
    pub const RSI: Self = Self(6);
    pub const R8: Self = Self(8);
    pub const R9: Self = Self(9);
    pub const R10: Self = Self(10);
    pub const R11: Self = Self(11);

    /// The lower three bits, which an instruction has; the fourth is in its prefix.
    fn low(self) -> u8 {
        self.0 & 7
    }
}

/// Where a number is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand {
    /// In a register.
    Register(Register),
    /// In memory, so many bytes from where a register points to.
    Memory(Register, i32),
}

/// An operation, by its number in opcodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arithmetic {
    Add = 0,
    Or = 1,
    And = 4,
    Subtract = 5,
    Xor = 6,
    Compare = 7,
}

/// A shift, by its number in opcodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shift {
    Left = 4,
    Right = 5,
    RightSigned = 7,
}

impl Assembler {
    /// An instruction with an operand and a register, or with a part of the opcode that is encoded as a register.
    fn with(&mut self, is_wide: bool, opcode: &[u8], register: u8, operand: Operand) {
        let (Operand::Register(base) | Operand::Memory(base, _)) = operand;
        let prefix = u8::from(is_wide) << 3 | register >> 3 << 2 | base.0 >> 3;
        if prefix != 0 {
            self.put(&[0x40 | prefix]);
        }
        self.put(opcode);
        let both = (register & 7) << 3 | base.low();
        let Operand::Memory(_, offset) = operand else {
            return self.put(&[0xc0 | both]);
        };
        let short = i8::try_from(offset).ok();
        // Without an offset, rbp and r13 mean something else.
        let mode = match short {
            Some(0) if base.low() != 5 => 0x00,
            Some(_) => 0x40,
            None => 0x80,
        };
        self.put(&[mode | both]);
        if base.low() == Register::RSP.0 {
            // No index.
            self.put(&[0x24]);
        }
        match (mode, short) {
            (0x00, _) => {}
            (_, Some(short)) => self.put(&short.to_le_bytes()),
            (_, None) => self.put(&offset.to_le_bytes()),
        }
    }

    /// `mov`: loads 64 bits.
    pub fn load(&mut self, to: Register, from: Operand) {
        if from != Operand::Register(to) {
            self.with(true, &[0x8b], to.0, from);
        }
    }

    /// `mov`: stores 64 bits.
    pub fn store(&mut self, to: Operand, from: Register) {
        self.with(true, &[0x89], from.0, to);
    }

    /// Loads a part of 64 bits, extended to all.
    pub fn load_part(&mut self, to: Register, from: Operand, part: Part) {
        let from = match from {
            Operand::Memory(base, offset) => Operand::Memory(base, offset + part.byte() as i32),
            // A part of a register is one of rax, which has names for its lower parts.
            Operand::Register(_) => {
                self.load(Register::RAX, from);
                if part.byte() > 0 {
                    self.shift(Shift::Right, true, Register::RAX, 8 * part.byte() as u8);
                }
                Operand::Register(Register::RAX)
            }
        };
        match (part.bytes(), part.is_signed()) {
            (1, false) => self.with(false, &[0x0f, 0xb6], to.0, from),
            (2, false) => self.with(false, &[0x0f, 0xb7], to.0, from),
            (4, false) => self.with(false, &[0x8b], to.0, from),
            (1, true) => self.with(true, &[0x0f, 0xbe], to.0, from),
            (2, true) => self.with(true, &[0x0f, 0xbf], to.0, from),
            (4, true) => self.with(true, &[0x63], to.0, from),
            _ => self.load(to, from),
        }
    }

    /// `movsx`: the lower 8 or 16 bits of rax, extended to 32.
    pub fn extend_to_32(&mut self, bytes: u32) {
        let opcode = if bytes == 1 { 0xbe } else { 0xbf };
        let rax = Register::RAX;
        self.with(false, &[0x0f, opcode], rax.0, Operand::Register(rax));
    }

    /// A number that is known, in as few bytes as it takes. Changes the flags.
    pub fn constant(&mut self, to: Register, value: u64) {
        let all = Operand::Register(to);
        if value == 0 {
            self.with(false, &[0x33], to.0, all);
        } else if let Ok(value) = u32::try_from(value) {
            self.with_number(false, 0xb8, to);
            self.put(&value.to_le_bytes());
        } else if let Ok(value) = i32::try_from(value as i64) {
            self.with(true, &[0xc7], 0, all);
            self.put(&value.to_le_bytes());
        } else {
            self.with_number(true, 0xb8, to);
            self.put(&value.to_le_bytes());
        }
    }

    /// An instruction whose opcode has the number of its register.
    fn with_number(&mut self, is_wide: bool, opcode: u8, register: Register) {
        let prefix = u8::from(is_wide) << 3 | register.0 >> 3;
        if prefix != 0 {
            self.put(&[0x40 | prefix]);
        }
        self.put(&[opcode | register.low()]);
    }

    /// `lea`: 32 bits of an address.
    pub fn address_32(&mut self, to: Register, base: Register, offset: i32) {
        self.with(false, &[0x8d], to.0, Operand::Memory(base, offset));
    }

    /// `add`, `or`, `and`, `sub`, `xor`, `cmp`.
    pub fn arithmetic(&mut self, how: Arithmetic, is_wide: bool, one: Register, other: Operand) {
        self.with(is_wide, &[(how as u8) << 3 | 3], one.0, other);
    }

    /// The same with a number that is known, of all 64 bits extended by its sign.
    pub fn arithmetic_with(&mut self, how: Arithmetic, is_wide: bool, one: Operand, value: i32) {
        let how = how as u8;
        if let Ok(value) = i8::try_from(value) {
            self.with(is_wide, &[0x83], how, one);
            return self.put(&value.to_le_bytes());
        }
        if one == Operand::Register(Register::RAX) {
            self.with_number(is_wide, how << 3 | 5, Register::RAX);
        } else {
            self.with(is_wide, &[0x81], how, one);
        }
        self.put(&value.to_le_bytes());
    }

    /// `cmp` of an operand with a register.
    pub fn compare(&mut self, is_wide: bool, one: Operand, other: Register) {
        self.with(is_wide, &[0x39], other.0, one);
    }

    /// `cmp` of a byte in memory.
    pub fn compare_byte(&mut self, one: Operand, value: u8) {
        self.with(false, &[0x80], Arithmetic::Compare as u8, one);
        self.put(&[value]);
    }

    /// `cmp` of rax with a constant.
    pub fn compare_rax(&mut self, value: u64) {
        self.put_with_word(&[0x48, 0x3b, 0x05], value);
    }

    /// `movdqu`, `pcmpeqb`, `pmovmskb`, `cmp`: compares sixteen bytes of memory with a constant. Changes eax and xmm0.
    pub fn compare_block(&mut self, one: Operand, value: [u8; 16]) {
        self.put(&[0xf3]);
        self.with(false, &[0x0f, 0x6f], 0, one);
        self.put_with_block(&[0x66, 0x0f, 0x74, 0x05], value);
        self.put(&[0x66, 0x0f, 0xd7, 0xc0]);
        let eax = Operand::Register(Register::RAX);
        self.arithmetic_with(Arithmetic::Compare, false, eax, 0xffff);
    }

    /// `test`.
    pub fn test(&mut self, is_wide: bool, one: Operand, other: Register) {
        self.with(is_wide, &[0x85], other.0, one);
    }

    /// `test` with a number that is known.
    pub fn test_with(&mut self, is_wide: bool, one: Operand, value: i32) {
        if one == Operand::Register(Register::RAX) {
            self.with_number(is_wide, 0xa9, Register::RAX);
        } else {
            self.with(is_wide, &[0xf7], 0, one);
        }
        self.put(&value.to_le_bytes());
    }

    /// `imul`.
    pub fn multiply(&mut self, is_wide: bool, one: Register, other: Operand) {
        self.with(is_wide, &[0x0f, 0xaf], one.0, other);
    }

    /// `shl`, `shr`, `sar`.
    pub fn shift(&mut self, how: Shift, is_wide: bool, one: Register, by: u8) {
        self.with(is_wide, &[0xc1], how as u8, Operand::Register(one));
        self.put(&[by]);
    }

    /// `neg`.
    pub fn negate(&mut self, is_wide: bool, one: Register) {
        self.with(is_wide, &[0xf7], 3, Operand::Register(one));
    }

    /// `bswap`: the bytes in the other order.
    pub fn swap(&mut self, is_wide: bool, one: Register) {
        let prefix = u8::from(is_wide) << 3 | one.0 >> 3;
        if prefix != 0 {
            self.put(&[0x40 | prefix]);
        }
        self.put(&[0x0f, 0xc8 | one.low()]);
    }

    /// `movzx`: the byte of memory at a register and rax.
    pub fn load_byte_at_rax(&mut self, to: Register, base: Register) {
        let prefix = to.0 >> 3 << 2 | base.0 >> 3;
        if prefix != 0 {
            self.put(&[0x40 | prefix]);
        }
        self.put(&[0x0f, 0xb6, to.low() << 3 | Register::RSP.0, base.low()]);
    }

    /// `mov rax, fs:0`: where the thread's own memory is, which has this address there.
    pub fn load_thread(&mut self) {
        self.put(&[0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0]);
    }

    /// `jmp rax`.
    pub fn jump_to_rax(&mut self) {
        self.put(&[0xff, 0xe0]);
    }

    /// `jmp` to an address that is a constant.
    pub fn jump_to(&mut self, address: u64) {
        self.put_with_word(&[0xff, 0x25], address);
    }

    /// `push` of a constant.
    pub fn push(&mut self, value: u64) {
        self.put_with_word(&[0xff, 0x35], value);
    }

    /// `mov rax` from a constant.
    pub fn load_constant(&mut self, value: u64) {
        self.put_with_word(&[0x48, 0x8b, 0x05], value);
    }
}
