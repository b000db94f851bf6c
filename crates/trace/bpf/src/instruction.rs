//! Instructions as RFC 9669 encodes them, and as `llvm-objdump` writes them.

use core::fmt;

/// An instruction, or one half of a wide one: eight bytes, little-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction {
    /// See [`opcode`].
    pub opcode: u8,
    /// Number of the destination register; 0 to 15 can be encoded.
    pub dst: u8,
    /// Number of the source register, or the kind of an address or call; 0 to 15 can be encoded.
    pub src: u8,
    /// The distance of a jump, in instructions; or of an access from the address in a register, in bytes.
    pub offset: i16,
    /// The immediate value.
    pub imm: i32,
}

/// The parts of an opcode: the class is the lowest three bits, the other parts are added to it.
pub mod opcode {
    /// Class of wide instructions.
    pub const LD: u8 = 0x00;
    /// Class: loads.
    pub const LDX: u8 = 0x01;
    /// Class: stores of the immediate value.
    pub const ST: u8 = 0x02;
    /// Class: stores of a register.
    pub const STX: u8 = 0x03;
    /// Class: arithmetic of 32 bits.
    pub const ALU: u8 = 0x04;
    /// Class: jumps that compare 64 bits, calls and exit.
    pub const JMP: u8 = 0x05;
    /// Class: jumps that compare 32 bits.
    pub const JMP32: u8 = 0x06;
    /// Class: arithmetic of 64 bits.
    pub const ALU64: u8 = 0x07;
    /// The bits of a class.
    pub const CLASS: u8 = 0x07;

    /// The second operand is the source register; without it, the immediate value.
    pub const X: u8 = 0x08;

    /// Accesses: 4 bytes.
    pub const W: u8 = 0x00;
    /// Accesses: 2 bytes.
    pub const H: u8 = 0x08;
    /// Accesses: 1 byte.
    pub const B: u8 = 0x10;
    /// Accesses: 8 bytes.
    pub const DW: u8 = 0x18;
    /// The bits of a size.
    pub const SIZE: u8 = 0x18;
    /// Accesses: a plain one.
    pub const MEM: u8 = 0x60;
    /// Accesses: a load that extends the sign.
    pub const MEMSX: u8 = 0x80;
    /// The bits of the kind of an access.
    pub const MODE: u8 = 0xe0;
    /// The first half of a wide instruction.
    pub const WIDE: u8 = LD | DW;

    /// The bits of an operation: of arithmetic and of jumps.
    pub const OPERATION: u8 = 0xf0;
    /// Arithmetic: sum.
    pub const ADD: u8 = 0x00;
    /// Arithmetic: difference.
    pub const SUB: u8 = 0x10;
    /// Arithmetic: product.
    pub const MUL: u8 = 0x20;
    /// Arithmetic: quotient; signed if the offset is 1.
    pub const DIV: u8 = 0x30;
    /// Arithmetic: bits that either has.
    pub const OR: u8 = 0x40;
    /// Arithmetic: bits that both have.
    pub const AND: u8 = 0x50;
    /// Arithmetic: shift to the left.
    pub const LSH: u8 = 0x60;
    /// Arithmetic: shift to the right, zeros come in.
    pub const RSH: u8 = 0x70;
    /// Arithmetic: the negative number.
    pub const NEG: u8 = 0x80;
    /// Arithmetic: remainder; signed if the offset is 1.
    pub const MOD: u8 = 0x90;
    /// Arithmetic: bits that one of them has.
    pub const XOR: u8 = 0xa0;
    /// Arithmetic: copy; from a sign of 8, 16 or 32 bits if that is the offset.
    pub const MOV: u8 = 0xb0;
    /// Arithmetic: shift to the right, the sign comes in.
    pub const ARSH: u8 = 0xc0;
    /// Arithmetic: order of bytes.
    pub const END: u8 = 0xd0;

    /// Jump always.
    pub const JA: u8 = 0x00;
    /// Jump if equal.
    pub const JEQ: u8 = 0x10;
    /// Jump if greater, unsigned.
    pub const JGT: u8 = 0x20;
    /// Jump if greater or equal, unsigned.
    pub const JGE: u8 = 0x30;
    /// Jump if both have a bit.
    pub const JSET: u8 = 0x40;
    /// Jump if not equal.
    pub const JNE: u8 = 0x50;
    /// Jump if greater, signed.
    pub const JSGT: u8 = 0x60;
    /// Jump if greater or equal, signed.
    pub const JSGE: u8 = 0x70;
    /// Call a helper.
    pub const CALL: u8 = 0x80;
    /// Return register 0.
    pub const EXIT: u8 = 0x90;
    /// Jump if less, unsigned.
    pub const JLT: u8 = 0xa0;
    /// Jump if less or equal, unsigned.
    pub const JLE: u8 = 0xb0;
    /// Jump if less, signed.
    pub const JSLT: u8 = 0xc0;
    /// Jump if less or equal, signed.
    pub const JSLE: u8 = 0xd0;
}

impl Instruction {
    /// Bytes of each.
    pub const BYTES: usize = 8;

    /// Reads one. Any bytes are an instruction; whether it exists is another question.
    pub fn decode(bytes: [u8; Self::BYTES]) -> Self {
        let [opcode, registers, low, high, imm @ ..] = bytes;
        Self {
            opcode,
            dst: registers & 15,
            src: registers >> 4,
            offset: i16::from_le_bytes([low, high]),
            imm: i32::from_le_bytes(imm),
        }
    }

    /// Writes it, with the lowest four bits of each register's number.
    pub fn encode(self) -> [u8; Self::BYTES] {
        let [low, high] = self.offset.to_le_bytes();
        let [a, b, c, d] = self.imm.to_le_bytes();
        let registers = self.src << 4 | self.dst & 15;
        [self.opcode, registers, low, high, a, b, c, d]
    }

    /// The number that it loads together with the second half of a wide instruction.
    pub fn wide(self, second: Self) -> u64 {
        u64::from(second.imm as u32) << 32 | u64::from(self.imm as u32)
    }
}

/// An instruction as text. A wide one needs its second half.
#[derive(Debug, Clone, Copy)]
pub struct Shown(pub Instruction, pub Option<Instruction>);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use opcode::*;
        let Self(shown, second) = *self;
        let Instruction { dst, src, imm, .. } = shown;
        match shown.opcode & CLASS {
            ALU | ALU64 => arithmetic(shown, f),
            JMP | JMP32 => jump(shown, f),
            LD if shown.opcode == WIDE => {
                let value = second.map_or(0, |second| shown.wide(second));
                write!(f, "r{dst} = {} ll", value as i64)
            }
            LDX if matches!(shown.opcode & MODE, MEM | MEMSX) => {
                write!(f, "r{dst} = {}", Memory(shown, src))
            }
            ST if shown.opcode & MODE == MEM => write!(f, "{} = {imm}", Memory(shown, dst)),
            STX if shown.opcode & MODE == MEM => write!(f, "{} = r{src}", Memory(shown, dst)),
            _ => f.write_str("<unknown>"),
        }
    }
}

/// What an access is to: the address is in this register.
struct Memory(Instruction, u8);

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(access, base) = self;
        let bits = match access.opcode & opcode::SIZE {
            opcode::W => 32,
            opcode::H => 16,
            opcode::B => 8,
            _ => 64,
        };
        let is_signed = access.opcode & opcode::MODE == opcode::MEMSX;
        let (sign, offset) = (if is_signed { 's' } else { 'u' }, access.offset);
        let direction = if offset < 0 { '-' } else { '+' };
        let offset = offset.unsigned_abs();
        write!(f, "*({sign}{bits} *)(r{base} {direction} {offset})")
    }
}

fn arithmetic(shown: Instruction, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    use opcode::*;
    let Instruction { dst, src, imm, .. } = shown;
    let is_wide = shown.opcode & CLASS == ALU64;
    let letter = if is_wide { 'r' } else { 'w' };
    let sign = match shown.opcode & OPERATION {
        NEG => return write!(f, "{letter}{dst} = -{letter}{dst}"),
        END => {
            let to = match (is_wide, shown.opcode & X != 0) {
                (true, _) => "bswap",
                (false, true) => "be",
                (false, false) => "le",
            };
            return write!(f, "r{dst} = {to}{imm} r{dst}");
        }
        MOV if shown.offset != 0 => {
            let bits = shown.offset;
            return write!(f, "{letter}{dst} = (s{bits}){letter}{src}");
        }
        ADD => "+=",
        SUB => "-=",
        MUL => "*=",
        DIV if shown.offset != 0 => "s/=",
        DIV => "/=",
        OR => "|=",
        AND => "&=",
        LSH => "<<=",
        RSH => ">>=",
        MOD if shown.offset != 0 => "s%=",
        MOD => "%=",
        XOR => "^=",
        MOV => "=",
        ARSH => "s>>=",
        _ => return f.write_str("<unknown>"),
    };
    if shown.opcode & X == 0 {
        write!(f, "{letter}{dst} {sign} {imm}")
    } else {
        write!(f, "{letter}{dst} {sign} {letter}{src}")
    }
}

fn jump(shown: Instruction, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    use opcode::*;
    let Instruction {
        dst,
        src,
        imm,
        offset,
        ..
    } = shown;
    let is_wide = shown.opcode & CLASS == JMP;
    let letter = if is_wide { 'r' } else { 'w' };
    let sign = match shown.opcode & OPERATION {
        JA if is_wide => return write!(f, "goto {offset:+}"),
        JA => return write!(f, "gotol {imm:+}"),
        CALL if src == 0 => return write!(f, "call {imm}"),
        CALL => return write!(f, "call {src}:{imm}"),
        EXIT => return f.write_str("exit"),
        JEQ => "==",
        JGT => ">",
        JGE => ">=",
        JSET => "&",
        JNE => "!=",
        JSGT => "s>",
        JSGE => "s>=",
        JLT => "<",
        JLE => "<=",
        JSLT => "s<",
        JSLE => "s<=",
        _ => return f.write_str("<unknown>"),
    };
    write!(f, "if {letter}{dst} {sign} ")?;
    if shown.opcode & X == 0 {
        write!(f, "{imm} goto {offset:+}")
    } else {
        write!(f, "{letter}{src} goto {offset:+}")
    }
}
