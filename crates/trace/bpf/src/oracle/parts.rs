//! The instructions of programs that are made of any bytes.
//!
//! After a beginning that gives r6 to r9 and some of the stack a value, a program is a sequence of parts that keep
//! these. So a jump from one to the beginning of a later one breaks no rule.

use alloc::vec::Vec;

use super::Datum;
use super::made::{Source, class};
use crate::instruction::{Instruction, opcode::*};
use crate::program::Class;

/// Most parts of a program.
const MOST_PARTS: usize = 40;

const JUMPS: [u8; 11] = [JEQ, JGT, JGE, JSET, JNE, JSGT, JSGE, JLT, JLE, JSLT, JSLE];

/// Arithmetic of two numbers, with the offset.
const ARITHMETIC: [(u8, i16); 17] = [
    (ADD, 0),
    (SUB, 0),
    (MUL, 0),
    (DIV, 0),
    (DIV, 1),
    (OR, 0),
    (AND, 0),
    (LSH, 0),
    (RSH, 0),
    (MOD, 0),
    (MOD, 1),
    (XOR, 0),
    (MOV, 0),
    (ARSH, 0),
    (MOV, 8),
    (MOV, 16),
    (MOV, 32),
];

pub struct Maker<'i> {
    from: Source<'i>,
    data: &'i [Datum],
    literals: &'i [u8],
    code: Vec<Instruction>,
    /// Jumps, and how many parts they skip.
    jumps: Vec<(usize, usize)>,
}

impl<'i> Maker<'i> {
    /// Makes a program for these values of imports, with these literals.
    pub fn new(from: Source<'i>, data: &'i [Datum], literals: &'i [u8]) -> Self {
        Self {
            from,
            data,
            literals,
            code: Vec::new(),
            jumps: Vec::new(),
        }
    }

    /// The program.
    pub fn made(mut self) -> Vec<Instruction> {
        self.put(ALU64 | MOV | X, 6, 1, 0, 0);
        for (index, register) in [7, 8, 9].into_iter().enumerate() {
            self.constant(register);
            self.put(STX | MEM | DW, 10, register, -8 * (index as i16 + 1), 0);
        }
        let mut parts = Vec::new();
        while parts.len() < MOST_PARTS && !self.from.is_empty() {
            parts.push(self.code.len());
            self.part();
        }
        parts.push(self.code.len());
        let result = self.number();
        self.put(ALU64 | MOV | X, 0, result, 0, 0);
        self.put(JMP | EXIT, 0, 0, 0, 0);
        for (at, skipped) in core::mem::take(&mut self.jumps) {
            let behind = parts.iter().filter(|part| **part > at);
            let behind: Vec<usize> = behind.copied().collect();
            let target = behind[skipped.min(behind.len() - 1)];
            let by = target - at - 1;
            let jump = &mut self.code[at];
            if jump.opcode == JMP32 | JA {
                jump.imm = by as i32;
            } else {
                jump.offset = by as i16;
            }
        }
        self.code
    }

    fn put(&mut self, opcode: u8, dst: u8, src: u8, offset: i16, imm: i32) {
        self.code.push(Instruction {
            opcode,
            dst,
            src,
            offset,
            imm,
        });
    }

    fn wide(&mut self, to: u8, source: u8, low: i32, high: i32) {
        self.put(WIDE, to, source, 0, low);
        self.put(0, 0, 0, 0, high);
    }

    /// A register that has a number.
    fn number(&mut self) -> u8 {
        self.from.of(&[7, 8, 9])
    }

    /// A class of 64 or 32 bits.
    fn width(&mut self, wide: u8, narrow: u8) -> u8 {
        if self.from.below(2) == 0 {
            wide
        } else {
            narrow
        }
    }

    fn imm(&mut self) -> i32 {
        self.from.word() as i32
    }

    /// Any number into a register.
    fn constant(&mut self, to: u8) {
        let value = self.from.word();
        match self.from.below(3) {
            0 => self.wide(to, 0, value as i32, (value >> 32) as i32),
            1 => self.put(ALU | MOV, to, 0, 0, value as i32),
            _ => self.put(ALU64 | MOV, to, 0, 0, value as i32),
        }
    }

    /// The jump that comes next leads to the beginning of a later part.
    fn jumps(&mut self) {
        let skipped = self.from.below(4);
        self.jumps.push((self.code.len(), skipped));
    }

    /// A jump to a later part that depends on a register.
    fn jump_if(&mut self, register: u8) {
        self.jumps();
        let class = self.width(JMP, JMP32);
        let jump = class | self.from.of(&JUMPS);
        if self.from.below(3) == 0 {
            let other = self.number();
            self.put(jump | X, register, other, 0, 0);
        } else {
            let imm = self.imm();
            self.put(jump, register, 0, 0, imm);
        }
    }

    fn part(&mut self) {
        match self.from.below(16) {
            0 => self.arithmetic(),
            1 => self.one_number(),
            2 | 3 => self.import(),
            4 => self.access(),
            5 => self.literal_number(),
            6..=8 => self.text(),
            9 => self.two_texts_or_byte(),
            10 => self.double(),
            11 => {
                let register = self.number();
                self.jump_if(register);
            }
            12 => {
                // Around a jump that always leads away.
                let register = self.number();
                self.put(JMP | JEQ | X, register, register, 1, 0);
                self.jumps();
                let jump = self.width(JMP, JMP32);
                self.put(jump | JA, 0, 0, 0, 0);
            }
            13 => {
                // Around an end.
                let (register, imm) = (self.number(), self.imm());
                self.put(JMP32 | JNE, register, 0, 2, imm);
                let result = self.from.below(3) as i32;
                self.put(ALU64 | MOV, 0, 0, 0, result);
                self.put(JMP | EXIT, 0, 0, 0, 0);
            }
            14 => {
                // The context is stored and comes back.
                self.put(STX | MEM | DW, 10, 6, -32, 0);
                self.put(LDX | MEM | DW, 6, 10, -32, 0);
            }
            _ => self.anything(),
        }
    }

    fn arithmetic(&mut self) {
        let (operation, offset) = self.from.of(&ARITHMETIC);
        let class = if offset == 32 {
            ALU64
        } else {
            self.width(ALU64, ALU)
        };
        let (to, from, imm) = (self.number(), self.number(), self.imm());
        if offset >= 8 || self.from.below(2) == 0 {
            self.put(class | operation | X, to, from, offset, 0);
        } else {
            self.put(class | operation, to, 0, offset, imm);
        }
    }

    fn one_number(&mut self) {
        let to = self.number();
        let class = self.width(ALU64, ALU);
        let bits = self.from.of(&[16, 32, 64]);
        match self.from.below(3) {
            0 => self.put(class | NEG, to, 0, 0, 0),
            1 => self.put(class | END, to, 0, 0, bits),
            _ => self.put(ALU | END | X, to, 0, 0, bits),
        }
    }

    /// A slot of a class: its offset.
    fn slot(&mut self, wanted: Class) -> Option<i32> {
        let slots = self.data.iter().enumerate();
        let slots = slots.filter(|(_, datum)| class(datum) == wanted);
        let slots: Vec<i32> = slots.map(|(index, _)| 8 * index as i32).collect();
        (!slots.is_empty()).then(|| self.from.of(&slots))
    }

    fn import(&mut self) {
        let Some(slot) = self.slot(Class::Integer) else {
            return self.arithmetic();
        };
        let (to, (opcode, byte)) = (self.number(), self.load());
        let (base, offset) = self.address(6, slot as i16 + byte);
        self.put(opcode, to, base, offset, 0);
        if self.from.below(2) == 0 {
            self.jump_if(to);
        }
    }

    /// A load of a part of a word: the opcode, and the first byte.
    fn load(&mut self) -> (u8, i16) {
        let (size, bytes) = self.from.of(&[(DW, 8), (W, 4), (H, 2), (B, 1)]);
        let mode = if bytes == 8 {
            MEM
        } else {
            self.width(MEM, MEMSX)
        };
        let byte = self.from.below(8 / bytes) * bytes;
        (LDX | mode | size, byte as i16)
    }

    fn access(&mut self) {
        let (load, byte) = self.load();
        let offset = byte - 8 * (1 + self.from.below(3) as i16);
        let (register, imm) = (self.number(), self.imm());
        let size = load & SIZE;
        let (base, offset) = self.address(10, offset);
        match self.from.below(3) {
            0 => self.put(load, register, base, offset, 0),
            1 => self.put(ST | MEM | size, base, 0, offset, imm),
            _ => self.put(STX | MEM | size, base, register, offset, 0),
        }
    }

    /// A register and an offset from the address in it: these, or a copy to which something was added.
    fn address(&mut self, base: u8, offset: i16) -> (u8, i16) {
        if self.from.below(4) != 0 {
            return (base, offset);
        }
        let by = self.from.byte() as i8;
        self.put(ALU64 | MOV | X, 5, base, 0, 0);
        self.put(ALU64 | ADD, 5, 0, 0, i32::from(by));
        (5, offset - i16::from(by))
    }

    fn literal_number(&mut self) {
        let ((load, byte), to) = (self.load(), self.number());
        // Eight bytes of the literals, of which a part is loaded.
        let Some(room) = self.literals.len().checked_sub(8) else {
            return self.arithmetic();
        };
        let at = self.from.below(room + 1) as i32;
        self.wide(to, 6, 0, at);
        let (base, offset) = self.address(to, byte);
        self.put(load, to, base, offset, 0);
    }

    fn text(&mut self) {
        let Some(slot) = self.slot(Class::Text) else {
            return self.arithmetic();
        };
        let helper = 1 + self.from.below(3) as i32;
        let start = self.from.below(self.literals.len() + 1);
        let rest = &self.literals[start..];
        let zero = rest.iter().position(|byte| *byte == 0);
        let most = if helper == 3 { None } else { zero };
        let length = self.from.below(most.unwrap_or(rest.len()) + 1);
        self.put(ALU64 | MOV | X, 1, 6, 0, 0);
        self.put(ALU64 | MOV, 2, 0, 0, slot);
        self.wide(3, 6, 0, start as i32);
        self.put(ALU64 | MOV, 4, 0, 0, length as i32);
        self.put(JMP | CALL, 0, 0, 0, helper);
        self.result();
    }

    /// What is done with the result of a helper.
    fn result(&mut self) {
        match self.from.below(4) {
            0 => {
                let to = self.number();
                self.put(ALU64 | MOV | X, to, 0, 0, 0);
            }
            1 => self.jump_if(0),
            2 => {
                self.jump_if(0);
                self.jump_if(0);
            }
            _ => {
                self.jumps();
                let (jump, imm) = (self.from.of(&JUMPS), self.from.below(3) as i32 - 1);
                self.put(JMP | jump, 0, 0, 0, imm);
            }
        }
    }

    fn two_texts_or_byte(&mut self) {
        let Some(slot) = self.slot(Class::Text) else {
            return self.arithmetic();
        };
        self.put(ALU64 | MOV | X, 1, 6, 0, 0);
        self.put(ALU64 | MOV, 2, 0, 0, slot);
        if self.from.below(2) == 0 {
            let other = self.slot(Class::Text).unwrap_or(slot);
            self.put(ALU64 | MOV, 3, 0, 0, other);
            self.put(JMP | CALL, 0, 0, 0, 4);
        } else {
            let index = self.number();
            self.put(ALU64 | MOV | X, 3, index, 0, 0);
            self.put(JMP | CALL, 0, 0, 0, 5);
        }
        self.result();
    }

    fn double(&mut self) {
        let slot = self.slot(Class::Double);
        let helper = 6 + self.from.below(4) as i32;
        self.put(ALU64 | MOV | X, 1, 6, 0, 0);
        match slot {
            Some(slot) if helper == 6 => self.put(ALU64 | MOV, 2, 0, 0, slot),
            _ => {
                let (one, other) = (self.number(), self.number());
                self.put(ALU64 | MOV | X, 2, one, 0, 0);
                self.put(ALU64 | MOV | X, 3, other, 0, 0);
            }
        }
        let helper = if slot.is_none() && helper == 6 {
            9
        } else {
            helper
        };
        self.put(JMP | CALL, 0, 0, 0, helper);
        self.result();
    }

    /// Any instruction; most of these break a rule.
    fn anything(&mut self) {
        if self.from.below(8) != 0 {
            return self.arithmetic();
        }
        let bytes = [(); 8].map(|()| self.from.byte());
        self.code.push(Instruction::decode(bytes));
    }
}
