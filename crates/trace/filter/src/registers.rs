//! Where the values of a filter are while its program runs: in registers, else on the stack.
//!
//! Blocks lead forward only. So the program is looked at as one line, from a value's beginning to its last use,
//! whatever the ways between them. Two values whose parts of the line do not overlap may have the same place.

use std::collections::BTreeMap;
use std::ops::Range;

use perflab_bpf::STACK;

use crate::generate::TooLarge;
use crate::ir::{Block, Compute, End, Ir, Temporary, Test, Value};

/// A place for a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// A register.
    Register(u8),
    /// A word of the stack, by its offset from r10.
    Stack(i16),
}

/// Registers that have no value after a call. The others of that kind are needed by single instructions.
const LOST_IN_CALLS: [u8; 2] = [0, 5];

/// Registers that calls keep. r6 has the context.
const KEPT_IN_CALLS: [u8; 3] = [7, 8, 9];

/// All registers for values.
const REGISTERS: usize = LOST_IN_CALLS.len() + KEPT_IN_CALLS.len();

/// Places of values, best first, from 0: the registers, then the words of the stack.
const HOMES: usize = REGISTERS + STACK / 8;

impl Home {
    fn of(place: usize) -> Self {
        let mut registers = LOST_IN_CALLS.into_iter().chain(KEPT_IN_CALLS);
        match registers.nth(place) {
            Some(register) => Self::Register(register),
            None => Self::Stack(-8 * (place + 1 - REGISTERS) as i16),
        }
    }
}

/// Gives each value that is used a place.
///
/// # Errors
/// When there are more values at once than places.
pub fn homes(ir: &Ir, is_reached: &[bool]) -> Result<BTreeMap<Temporary, Home>, TooLarge> {
    let Line { lives, calls } = Line::of(ir, is_reached);
    let used = lives.into_iter().filter(|(_, life)| !life.is_empty());
    let mut used: Vec<(Temporary, Range<usize>)> = used.collect();
    used.sort_by_key(|(temporary, life)| (life.start, *temporary));
    // When each place is free again.
    let mut free = [0; HOMES];
    let mut homes = BTreeMap::new();
    for (temporary, life) in used {
        let next_call = calls.partition_point(|call| *call <= life.start);
        let is_kept = calls.get(next_call).is_some_and(|call| *call < life.end);
        let first = if is_kept { LOST_IN_CALLS.len() } else { 0 };
        let place = (first..HOMES).find(|place| free[*place] <= life.start);
        let place = place.ok_or(TooLarge::Values)?;
        free[place] = life.end;
        homes.insert(temporary, Home::of(place));
    }
    Ok(homes)
}

/// The program as one line: each computation and each end of a block is a position.
#[derive(Debug, Default)]
struct Line {
    /// From where each value is there to its last use, which may be where another begins. Empty if it is never used.
    lives: BTreeMap<Temporary, Range<usize>>,
    /// Where helpers are called. They read their arguments before they change registers.
    calls: Vec<usize>,
}

impl Line {
    fn of(ir: &Ir, is_reached: &[bool]) -> Self {
        let mut line = Self::default();
        let mut at = 0;
        for (block, _) in ir.blocks.iter().zip(is_reached).filter(|(_, is)| **is) {
            line.block(&ir.blocks, block, &mut at);
        }
        line
    }

    fn block(&mut self, all: &[Block], block: &Block, at: &mut usize) {
        for computed in &block.computed {
            self.used(&computed.how.operands(), *at);
            self.begins(computed.temporary, *at);
            if is_call(computed.how) {
                self.calls.push(*at);
            }
            *at += 1;
        }
        match &block.end {
            End::Branch { test, .. } => match test {
                Test::Compare(_, one, other) => self.used(&[Some(*one), Some(*other)], *at),
                Test::Text { .. } | Test::SameText(..) => self.calls.push(*at),
            },
            End::Jump(to, value) => {
                self.used(&[*value], *at);
                if let Some(parameter) = all[*to].parameter {
                    self.begins(parameter, *at);
                }
            }
            End::Return(_) => {}
        }
        *at += 1;
    }

    /// A value is there, from the first of these positions on.
    fn begins(&mut self, temporary: Temporary, at: usize) {
        self.lives.entry(temporary).or_insert(at..at);
    }

    fn used(&mut self, values: &[Option<Value>], at: usize) {
        for value in values.iter().flatten() {
            if let Value::Temporary(temporary) = value {
                self.lives.entry(*temporary).or_insert(at..at).end = at;
            }
        }
    }
}

/// Whether a helper computes it.
fn is_call(how: Compute) -> bool {
    match how {
        Compute::Byte(..)
        | Compute::DoubleOf(_)
        | Compute::DoubleOfInteger(_)
        | Compute::IntegerOfDouble(_)
        | Compute::CompareDoubles(..) => true,
        Compute::Import(_) | Compute::Binary(..) | Compute::Negate(_) | Compute::Not(_) => false,
    }
}
