//! The operations of a program in order, and where it ends.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::encode::{Operand, Register};
use super::link::{Assembler, Label, Linked};
use super::live::Live;
use super::slow::{self, Call};
use super::texts::Longer;
use super::{CannotEmit, Target};
use crate::lowered::{Lowered, MOST_REGISTERS, Op};
use crate::place::Place;
use crate::program::Verdict;

/// The registers of the first words of an event, by the C calling convention. The point is before them.
const ARGUMENTS: [Register; slow::IN_REGISTERS] = [
    Register::RSI,
    Register::RDX,
    Register::RCX,
    Register::R8,
    Register::R9,
];

/// Code that is being made, in the order of the operations.
pub struct Emitter<'e> {
    pub lowered: &'e Lowered,
    places: &'e [Place],
    target: &'e Target,
    pub code: Assembler,
    pub live: Live,
    /// Where each operation begins.
    labels: Vec<Label>,
    /// Where each verdict ends, by its number.
    ends: [End; 3],
    calls: Vec<Pending>,
    pub longer: Vec<Longer>,
    /// Calls `help`, and goes on behind the call.
    pub help: Label,
    /// Calls `help`, and goes on where that says.
    pub help_and_go: Label,
    /// The register whose value is in rax.
    pub held: Option<u8>,
    /// Where in the red zone registers are.
    pub slots: [Option<u8>; MOST_REGISTERS],
    pub used_slots: u8,
    /// Whether what comes next follows what was made last.
    pub falls: bool,
}

/// The code of a verdict: where the first operation is that comes to it by itself, else behind all.
#[derive(Debug, Clone, Copy)]
struct End {
    label: Label,
    is_used: bool,
    is_placed: bool,
}

/// A call of `help`, see [`Emitter::pending`].
struct Pending {
    op: usize,
    ends: Option<[Label; 3]>,
    from: Option<Label>,
}

/// Code that was made; the fields are those of [`super::Emitted`] and [`slow::Table`].
pub struct Made {
    pub linked: Linked,
    pub starts: Vec<u16>,
    pub calls: Box<[Call]>,
    pub back: u16,
}

impl<'e> Emitter<'e> {
    pub fn new(lowered: &'e Lowered, places: &'e [Place], target: &'e Target) -> Self {
        let mut code = Assembler::default();
        let labels = lowered.ops.iter().map(|_| code.label()).collect();
        let ends = [(); 3].map(|()| End {
            label: code.label(),
            is_used: false,
            is_placed: false,
        });
        let [help, help_and_go] = [(); 2].map(|()| code.label());
        Self {
            lowered,
            places,
            target,
            code,
            live: Live::of(&lowered.ops),
            labels,
            ends,
            calls: Vec::new(),
            longer: Vec::new(),
            help,
            help_and_go,
            held: None,
            slots: [None; MOST_REGISTERS],
            used_slots: 0,
            falls: true,
        }
    }

    pub fn made(mut self, table: u64) -> Result<Made, CannotEmit> {
        let lowered = self.lowered;
        for (at, op) in lowered.ops.iter().enumerate() {
            self.code.bind(self.labels[at]);
            if self.live.is_target(at) {
                self.held = None;
            }
            self.op(at, *op)?;
        }
        for number in 0..self.ends.len() {
            if self.ends[number].is_used && !self.ends[number].is_placed {
                self.place_end(number);
            }
        }
        for text in core::mem::take(&mut self.longer) {
            self.longer(text);
        }
        let back = self.code.label();
        for (number, pending) in self.calls.iter().enumerate() {
            if let Some(from) = pending.from {
                self.code.bind(from);
                self.code.constant(Register::RAX, number as u64);
                self.code.jump(self.help_and_go);
            }
        }
        if !self.calls.is_empty() {
            self.code.bind(self.help_and_go);
            self.code.call(self.help);
            self.code.bind(back);
            self.code.jump_to_rax();
            self.code.bind(self.help);
            self.code.push(table);
            self.code.jump_to(slow::address());
        }
        let linked = self.code.finish().ok_or(CannotEmit::Size)?;
        let calls = self.calls.iter().map(|pending| Call {
            op: pending.op as u16,
            ends: pending
                .ends
                .map_or([0; 3], |ends| ends.map(|end| linked.place(end))),
        });
        Ok(Made {
            calls: calls.collect(),
            starts: self
                .labels
                .iter()
                .map(|label| linked.place(*label))
                .collect(),
            back: linked.place(back),
            linked,
        })
    }

    fn op(&mut self, at: usize, op: Op) -> Result<(), CannotEmit> {
        match op {
            Op::Jump { then } => {
                let to = self.label_of(then);
                self.go(at, to);
            }
            Op::IfText {
                how,
                import,
                literal,
                yes,
                no,
                absent,
            } => {
                let ends = [yes, no, absent].map(|end| self.label_of(end));
                self.if_text(at, how, import, literal, ends);
            }
            Op::End(verdict) => {
                let number = self.number(verdict);
                if !self.ends[number].is_placed {
                    self.place_end(number);
                } else if self.falls {
                    self.code.jump(self.ends[number].label);
                }
                self.falls = false;
            }
            _ => self.number_op(at, op)?,
        }
        Ok(())
    }

    /// A verdict by its number; two that lead to the same are one.
    pub fn number(&self, verdict: Verdict) -> usize {
        match verdict {
            Verdict::RecordAndTrigger if self.target.trigger == self.target.accept => {
                Verdict::Record as usize
            }
            _ => verdict as usize,
        }
    }

    /// Where a verdict is.
    pub fn end(&mut self, verdict: Verdict) -> Label {
        let number = self.number(verdict);
        self.ends[number].is_used = true;
        self.ends[number].label
    }

    fn place_end(&mut self, number: usize) {
        let end = &mut self.ends[number];
        end.is_placed = true;
        self.code.bind(end.label);
        let to = match number {
            0 => self.target.reject,
            1 => self.target.accept,
            _ => self.target.trigger,
        };
        if number > 0 {
            self.code.load_constant(self.target.next as u64);
        }
        self.code.jump_to(to as u64);
    }

    /// Where a jump to an operation leads.
    pub fn label_of(&mut self, to: u16) -> Label {
        match self.lowered.ops.get(usize::from(to)) {
            Some(Op::End(verdict)) => self.end(*verdict),
            _ => self.labels[usize::from(to)],
        }
    }

    /// What follows an operation, if it does so without a jump.
    pub fn next(&self, at: usize) -> Option<Label> {
        match self.lowered.ops.get(at + 1)? {
            Op::End(verdict) => {
                let end = self.ends[self.number(*verdict)];
                (!end.is_placed).then_some(end.label)
            }
            _ => Some(self.labels[at + 1]),
        }
    }

    /// Goes on from an operation.
    pub fn go(&mut self, at: usize, to: Label) {
        self.falls = self.next(at) == Some(to);
        if !self.falls {
            self.code.jump(to);
        }
    }

    /// The place of an import, which was looked at before.
    pub fn place(&self, import: u8) -> Place {
        self.places[usize::from(import)]
    }

    /// Where a word of the event is.
    pub fn word(&self, at: u8) -> Operand {
        let index = usize::from(at);
        if self.target.by_record {
            return Operand::Memory(Register::RSI, 8 * i32::from(at));
        }
        match ARGUMENTS.get(index) {
            Some(register) => Operand::Register(*register),
            // Behind the return address.
            None => Operand::Memory(Register::RSP, 8 * (index - ARGUMENTS.len() + 1) as i32),
        }
    }

    /// The number of a new call of `help` for an operation. Where it goes on, if the operation decides that; and where
    /// it is made, if that is behind all operations.
    pub fn pending(&mut self, op: usize, ends: Option<[Label; 3]>, from: Option<Label>) -> u64 {
        self.calls.push(Pending { op, ends, from });
        self.calls.len() as u64 - 1
    }
}
