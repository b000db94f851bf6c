//! Arithmetic and comparisons of the oracle, once for 64 bits and once for 32.

use super::Harm;
use crate::instruction::{Instruction, opcode};

/// What the destination has afterwards.
pub fn of(i: Instruction, before: Option<u64>, other: u64) -> Result<u64, Harm> {
    use opcode::*;
    let (operation, is_wide) = (i.opcode & OPERATION, i.opcode & CLASS == ALU64);
    if operation == MOV {
        return moved(i, other, is_wide);
    }
    let before = before.ok_or(Harm::Unset)?;
    if operation == END {
        return swapped(i, before, is_wide);
    }
    if is_wide {
        of_64(i, before, other)
    } else {
        of_32(i, before as u32, other as u32).map(u64::from)
    }
}

fn moved(i: Instruction, value: u64, is_wide: bool) -> Result<u64, Harm> {
    Ok(match (i.offset, is_wide) {
        (0, true) => value,
        (0, false) => value & 0xffff_ffff,
        (8, true) => value as i8 as i64 as u64,
        (16, true) => value as i16 as i64 as u64,
        (32, true) => value as i32 as i64 as u64,
        (8, false) => value as i8 as i32 as u32 as u64,
        (16, false) => value as i16 as i32 as u32 as u64,
        _ => return Err(Harm::Unknown),
    })
}

fn swapped(i: Instruction, value: u64, is_wide: bool) -> Result<u64, Harm> {
    let bytes = match i.imm {
        16 => 2,
        32 => 4,
        64 => 8,
        _ => return Err(Harm::Unknown),
    };
    let mut low = value.to_le_bytes();
    low[bytes..].fill(0);
    if is_wide || i.opcode & opcode::X != 0 {
        low[..bytes].reverse();
    }
    Ok(u64::from_le_bytes(low))
}

macro_rules! width {
    ($arithmetic:ident, $holds:ident, $unsigned:ty, $signed:ty, $mask:literal) => {
        fn $arithmetic(i: Instruction, a: $unsigned, b: $unsigned) -> Result<$unsigned, Harm> {
            use opcode::*;
            let (signed_a, signed_b) = (a as $signed, b as $signed);
            Ok(match (i.opcode & OPERATION, i.offset) {
                (ADD, 0) => a.wrapping_add(b),
                (SUB, 0) => a.wrapping_sub(b),
                (MUL, 0) => a.wrapping_mul(b),
                (DIV, 0 | 1) if b == 0 => 0,
                (DIV, 0) => a / b,
                (DIV, 1) => signed_a.wrapping_div(signed_b) as $unsigned,
                (OR, 0) => a | b,
                (AND, 0) => a & b,
                (LSH, 0) => a << (b & $mask),
                (RSH, 0) => a >> (b & $mask),
                (NEG, 0) => (0 as $unsigned).wrapping_sub(a),
                (MOD, 0 | 1) if b == 0 => a,
                (MOD, 0) => a % b,
                (MOD, 1) => signed_a.wrapping_rem(signed_b) as $unsigned,
                (XOR, 0) => a ^ b,
                (ARSH, 0) => (signed_a >> (b & $mask)) as $unsigned,
                _ => return Err(Harm::Unknown),
            })
        }

        /// Whether a jump is taken.
        pub fn $holds(i: Instruction, a: $unsigned, b: $unsigned) -> Result<bool, Harm> {
            use opcode::*;
            let (signed_a, signed_b) = (a as $signed, b as $signed);
            Ok(match i.opcode & OPERATION {
                JEQ => a == b,
                JGT => a > b,
                JGE => a >= b,
                JSET => a & b != 0,
                JNE => a != b,
                JSGT => signed_a > signed_b,
                JSGE => signed_a >= signed_b,
                JLT => a < b,
                JLE => a <= b,
                JSLT => signed_a < signed_b,
                JSLE => signed_a <= signed_b,
                _ => return Err(Harm::Unknown),
            })
        }
    };
}

width!(of_64, holds_64, u64, i64, 63);
width!(of_32, holds_32, u32, i32, 31);
