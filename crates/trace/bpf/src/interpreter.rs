//! Executes a program, in the traced program, also within its signal handlers: it allocates nothing and does not panic.
#![expect(
    unsafe_code,
    reason = "the words of an event are addresses of texts, which the caller vouches for"
)]

use crate::arithmetic::compare_doubles;
use crate::lowered::{Literal, Lowered, MOST_REGISTERS, Op};
use crate::place::{Context, Event, Place};
use crate::program::Verdict;
use crate::texts::TextTest;

/// Registers of nearly all programs.
const FEW_REGISTERS: usize = 8;

/// Judges an event. A value whose place or word is not there is 0, and a text that is not there is absent.
///
/// # Safety
/// The words that [`Place::Terminated`] names are null or addresses of texts that end with a zero; those that
/// [`Place::Counted`] names are addresses of texts with so many bytes as the next word says. These can be read.
#[inline]
pub unsafe fn judge(
    lowered: &Lowered,
    places: &[Place],
    words: &[u64],
    context: &Context,
) -> Verdict {
    let event = Event {
        places,
        words,
        context,
    };
    // SAFETY: what the caller promises.
    unsafe {
        if usize::from(lowered.registers) <= FEW_REGISTERS {
            run(lowered, event, &mut [0; FEW_REGISTERS])
        } else {
            judge_with_many(lowered, event)
        }
    }
}

/// With a larger frame.
///
/// # Safety
/// As [`judge`].
#[cold]
#[inline(never)]
unsafe fn judge_with_many(lowered: &Lowered, event: Event<'_>) -> Verdict {
    // SAFETY: what the caller promises.
    unsafe { run(lowered, event, &mut [0; MOST_REGISTERS]) }
}

/// The registers. Programs use no other numbers.
struct Registers<'r>(&'r mut [u64]);

impl Registers<'_> {
    #[inline(always)]
    fn get(&self, register: u8) -> u64 {
        self.0.get(usize::from(register)).copied().unwrap_or(0)
    }

    #[inline(always)]
    fn set(&mut self, register: u8, value: u64) {
        if let Some(to) = self.0.get_mut(usize::from(register)) {
            *to = value;
        }
    }
}

/// What a helper returns for a text that is not there.
const ABSENT: u64 = u64::MAX;

/// Whether a text passes a test: 1, 0, or [`ABSENT`].
///
/// # Safety
/// As [`judge`].
#[inline(always)]
pub(crate) unsafe fn tested(
    lowered: &Lowered,
    event: Event<'_>,
    how: TextTest,
    import: u8,
    literal: Literal,
) -> u64 {
    let padded = lowered.padded(literal);
    event.text(import, |text| {
        // SAFETY: what the caller promises.
        text.map_or(ABSENT, |text| {
            u64::from(unsafe { text.passes(how, padded) })
        })
    })
}

/// Whether two texts are equal: 1, 0, or [`ABSENT`].
///
/// # Safety
/// As [`judge`].
#[inline(always)]
pub(crate) unsafe fn same(event: Event<'_>, one: u8, other: u8) -> u64 {
    event.text(one, |one| {
        event.text(other, |other| match (one, other) {
            // SAFETY: what the caller promises.
            (Some(one), Some(other)) => u64::from(unsafe { one.is_same(other) }),
            _ => ABSENT,
        })
    })
}

/// A byte of a text, or [`ABSENT`].
///
/// # Safety
/// As [`judge`].
#[inline(always)]
pub(crate) unsafe fn byte_of(event: Event<'_>, import: u8, index: u64) -> u64 {
    let byte = event.text(import, |text| {
        // SAFETY: what the caller promises.
        text.and_then(|text| unsafe { text.at(index) })
    });
    byte.map_or(ABSENT, u64::from)
}

/// # Safety
/// As [`judge`].
#[inline(never)]
unsafe fn run(lowered: &Lowered, event: Event<'_>, registers: &mut [u64]) -> Verdict {
    let mut registers = Registers(registers);
    let mut next = 0;
    // All jumps lead forward, and the last operation ends the program.
    while let Some(op) = lowered.ops.get(next) {
        next += 1;
        match *op {
            Op::Constant { to, value } => registers.set(to, value),
            Op::Copy { to, from } => registers.set(to, registers.get(from)),
            Op::Extract { to, from, part } => registers.set(to, part.of(registers.get(from))),
            Op::Insert {
                to,
                one,
                other,
                part,
            } => registers.set(to, part.put(registers.get(one), registers.get(other))),
            Op::InsertConstant {
                to,
                one,
                part,
                value,
            } => registers.set(to, part.put(registers.get(one), value)),
            Op::Import { to, import, part } => registers.set(to, part.of(event.number(import))),
            Op::Unary { how, to, from } => registers.set(to, how.of(registers.get(from))),
            Op::Binary {
                how,
                wide,
                to,
                one,
                other,
            } => {
                let value = how.of(wide, registers.get(one), registers.get(other));
                registers.set(to, value);
            }
            Op::BinaryConstant {
                how,
                wide,
                to,
                one,
                value,
            } => registers.set(to, how.of(wide, registers.get(one), value)),
            Op::Text {
                how,
                to,
                import,
                literal,
            } => {
                // SAFETY: what the caller promises.
                let result = unsafe { tested(lowered, event, how, import, literal) };
                registers.set(to, result);
            }
            Op::SameText { to, one, other } => {
                // SAFETY: what the caller promises.
                let result = unsafe { same(event, one, other) };
                registers.set(to, result);
            }
            Op::Byte { to, import, index } => {
                // SAFETY: what the caller promises.
                let result = unsafe { byte_of(event, import, registers.get(index)) };
                registers.set(to, result);
            }
            Op::Double { to, import } => registers.set(to, event.number(import)),
            Op::CompareDoubles { to, one, other } => {
                let result = compare_doubles(registers.get(one), registers.get(other));
                registers.set(to, result);
            }
            Op::Jump { then } => next = usize::from(then),
            Op::If {
                is,
                wide,
                one,
                other,
                then,
                or,
            } => {
                let holds = is.holds(wide, registers.get(one), registers.get(other));
                next = usize::from(if holds { then } else { or });
            }
            Op::IfConstant {
                is,
                wide,
                one,
                value,
                then,
                or,
            } => {
                let holds = is.holds(wide, registers.get(one), value);
                next = usize::from(if holds { then } else { or });
            }
            Op::IfImport {
                is,
                import,
                part,
                value,
                then,
                or,
            } => {
                let holds = is.holds(true, part.of(event.number(import)), value);
                next = usize::from(if holds { then } else { or });
            }
            Op::IfText {
                how,
                import,
                literal,
                yes,
                no,
                absent,
            } => {
                // SAFETY: what the caller promises.
                let result = unsafe { tested(lowered, event, how, import, literal) };
                next = usize::from(match result {
                    0 => no,
                    1 => yes,
                    _ => absent,
                });
            }
            Op::Return { from } => return Verdict::of(registers.get(from)),
            Op::End(verdict) => return verdict,
        }
    }
    Verdict::Reject
}
