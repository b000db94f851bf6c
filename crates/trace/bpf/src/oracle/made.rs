//! Programs made of any bytes, most of which are accepted.

use alloc::vec::Vec;
use core::fmt;

use super::Datum;
use super::parts::Maker;
use crate::instruction::{Instruction, Shown};
use crate::program::{Class, Import, Program};

const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// Numbers at which something changes.
const EDGES: [u64; 10] = [
    0,
    1,
    2,
    63,
    64,
    u64::MAX,
    i64::MIN as u64,
    i64::MAX as u64,
    0x8000_0000,
    0x7fff_ffff,
];

/// A program, and the values of its imports.
#[derive(Debug)]
pub struct Made {
    /// The values, from which the classes follow.
    pub data: Vec<Datum>,
    /// The literals.
    pub literals: Vec<u8>,
    /// The instructions.
    pub code: Vec<Instruction>,
    bytes: Vec<u8>,
}

impl Made {
    /// Makes one of any bytes.
    pub fn of(input: &[u8]) -> Self {
        let mut from = Source(input);
        let literals: Vec<u8> = (0..from.below(64)).map(|_| letter(&mut from)).collect();
        let data: Vec<Datum> = (0..from.below(NAMES.len() + 1))
            .map(|_| datum(&mut from, &literals))
            .collect();
        let damage = [(); 4].map(|()| from.byte());
        let mut code = Maker::new(from, &data, &literals).made();
        if damage[0] < 64 {
            change(&mut code, damage);
        }
        let bytes = code.iter().flat_map(|each| each.encode()).collect();
        Self {
            data,
            literals,
            code,
            bytes,
        }
    }

    /// What it imports.
    pub fn imports(&self) -> Vec<Import<'static>> {
        let both = self.data.iter().zip(NAMES);
        both.map(|(datum, name)| Import {
            class: class(datum),
            name,
        })
        .collect()
    }

    /// The program.
    pub fn program<'p>(&'p self, imports: &'p [Import<'p>]) -> Program<'p> {
        Program {
            imports,
            code: &self.bytes,
            literals: &self.literals,
        }
    }
}

impl fmt::Display for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:?}\nliterals {:?}", self.data, self.literals)?;
        for (at, shown) in self.code.iter().enumerate() {
            let second = self.code.get(at + 1).copied();
            writeln!(f, "{at:4}  {}", Shown(*shown, second))?;
        }
        Ok(())
    }
}

pub fn class(datum: &Datum) -> Class {
    match datum {
        Datum::Integer(_) => Class::Integer,
        Datum::Single(_) | Datum::Double(_) => Class::Double,
        Datum::Terminated(_) | Datum::Counted(_) => Class::Text,
    }
}

/// Bytes that decide; zeros behind the last.
pub struct Source<'i>(&'i [u8]);

impl Source<'_> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    pub fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end
    }

    pub fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    pub fn word(&mut self) -> u64 {
        let word = match self.below(4) {
            0 => u64::from(self.byte()),
            1 => u64::from_le_bytes([(); 8].map(|()| self.byte())),
            _ => self.of(&EDGES),
        };
        if self.below(4) == 0 {
            word.wrapping_neg()
        } else {
            word
        }
    }
}

/// Changes a field of an instruction; about half of these programs break a rule then.
fn change(code: &mut [Instruction], [how, where_, low, high]: [u8; 4]) {
    let at = usize::from(where_) % code.len();
    let number = i16::from_le_bytes([low, high]);
    let changed = &mut code[at];
    match how % 8 {
        0 => changed.dst = low % 11,
        1 => changed.src = low % 11,
        2 => changed.offset = number,
        3 => changed.offset = changed.offset.wrapping_add(i16::from(low as i8)),
        4 => changed.imm = i32::from(number),
        5 => changed.imm = changed.imm.wrapping_add(i32::from(low as i8)),
        6 => changed.opcode ^= 1 << (low % 8),
        _ => changed.opcode = low,
    }
}

/// Mostly the same one, so that texts are often equal for long.
fn letter(from: &mut Source<'_>) -> u8 {
    match from.byte() {
        0 => 0,
        1 => b'b',
        2 => 0xff,
        _ => b'a',
    }
}

fn datum(from: &mut Source<'_>, literals: &[u8]) -> Datum {
    let kind = from.below(8);
    if kind < 3 {
        return Datum::Integer(from.word());
    }
    if kind == 3 {
        return Datum::Single(from.word() as u32);
    }
    if kind == 4 {
        return Datum::Double((from.word() as i64 as f64 / 2.0).to_bits() ^ from.word());
    }
    if from.below(8) == 0 {
        return if kind == 5 {
            Datum::Terminated(None)
        } else {
            Datum::Counted(None)
        };
    }
    // Some of the literals, and something behind them.
    let start = from.below(literals.len() + 1);
    let length = from.below(literals.len() - start + 1);
    let mut text = literals[start..start + length].to_vec();
    let more = from.below(4) * from.below(16);
    text.extend((0..more).map(|_| letter(from)));
    if kind == 5 {
        text.retain(|byte| *byte != 0);
        Datum::Terminated(Some(text))
    } else {
        Datum::Counted(Some(text))
    }
}
