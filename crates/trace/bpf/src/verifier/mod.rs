//! Accepts programs that do no harm, whatever they were made by.
//!
//! Jumps only lead forward. So one pass in the order of the instructions is enough: when it comes to an instruction, it
//! has seen all ways that lead there, and knows what registers and stack have on each of them. It takes time in
//! proportion to the number of instructions. An accepted program is handed on as operations on numbers, without any
//! address: each access is to a place that is known.

mod call;
mod effect;
mod rules;
mod state;

use alloc::boxed::Box;
use alloc::vec::Vec;

pub use rules::{HelperCall, Refused, Rule, Size};

use crate::instruction::{Instruction, opcode};
use crate::lowered::Op;
use crate::program::{MOST_IMPORTS, MOST_INSTRUCTIONS, MOST_LITERALS, Program};
use crate::step::Step;
use effect::Effect;
use state::State;

/// A program that was accepted.
#[derive(Debug, Clone)]
pub struct Verified<'p> {
    pub(crate) program: Program<'p>,
    /// What each instruction does; nothing for second halves, and where addresses only are moved. Jumps lead to
    /// instructions.
    pub(crate) ops: Vec<Option<Op>>,
}

/// Looks whether a program keeps all rules.
///
/// # Errors
/// The first instruction that breaks one, in their order; but [`Rule::Size`], [`Rule::Opcode`], [`Rule::Wide`],
/// [`Rule::Frame`] and [`Rule::Call`] are looked at before all others.
pub fn verify<'p>(program: &Program<'p>) -> Result<Verified<'p>, Refused> {
    let steps = steps(program)?;
    let mut ops = Vec::with_capacity(steps.len());
    // What is known at the instructions to which a jump was seen.
    let mut ahead: Vec<Option<Box<State>>> = alloc::vec![None; steps.len()];
    let mut here = Some(State::start());
    let mut last = 0;
    for (at, step) in steps.iter().enumerate() {
        let Some(step) = step else {
            ops.push(None);
            continue;
        };
        last = at;
        let refused = |rule| Refused { at, rule };
        if let Some(jumped) = ahead.get_mut(at).and_then(Option::take) {
            match &mut here {
                Some(here) => here.meet(&jumped),
                None => here = Some(*jumped),
            }
        }
        let state = here.as_mut().ok_or(refused(Rule::Unreachable))?;
        let target = |by| target(&steps, at, by);
        let effect = Effect::of(*step, at, program, state, target).map_err(refused)?;
        if let Some(place) = effect.target.and_then(|target| ahead.get_mut(target)) {
            match place {
                Some(other) => other.meet(state),
                None => *place = Some(Box::new(state.clone())),
            }
        }
        if !effect.goes_on {
            here = None;
        }
        ops.push(effect.op);
    }
    if here.is_some() {
        return Err(Refused {
            at: last,
            rule: Rule::End,
        });
    }
    Ok(Verified {
        program: *program,
        ops,
    })
}

/// Reads all instructions; nothing for the second half of a wide one.
fn steps(program: &Program<'_>) -> Result<Vec<Option<Step>>, Refused> {
    let (code, rest) = program.code.as_chunks::<{ Instruction::BYTES }>();
    let sizes = [
        (!rest.is_empty(), Size::Part),
        (code.is_empty(), Size::Empty),
        (code.len() > MOST_INSTRUCTIONS, Size::Instructions),
        (program.literals.len() > MOST_LITERALS, Size::Literals),
        (program.imports.len() > MOST_IMPORTS, Size::Imports),
    ];
    let broken = sizes.iter().find(|(is_broken, _)| *is_broken);
    if let Some(size) = broken.map(|(_, size)| *size).or_else(|| misnamed(program)) {
        let rule = Rule::Size(size);
        return Err(Refused { at: 0, rule });
    }
    let mut steps = Vec::with_capacity(code.len());
    let instructions = code.iter().map(|bytes| Instruction::decode(*bytes));
    let mut instructions = instructions.enumerate();
    while let Some((at, read)) = instructions.next() {
        let refused = |rule| Refused { at, rule };
        if read.opcode == opcode::WIDE {
            let second = instructions.next().map(|(_, second)| second);
            let step = Step::wide(read, second, program.literals.len());
            steps.extend([Some(step.map_err(refused)?), None]);
        } else {
            steps.push(Some(Step::read(read).map_err(refused)?));
        }
    }
    Ok(steps)
}

/// What is wrong with the first import that has no name of its own.
fn misnamed(program: &Program<'_>) -> Option<Size> {
    let mut imports = program.imports.iter().enumerate();
    imports.find_map(|(index, import)| {
        let mut before = program.imports.iter().take(index);
        if !import.is_named() {
            return Some(Size::Name);
        }
        let is_known = before.any(|other| other.name == import.name);
        is_known.then_some(Size::SameName)
    })
}

/// Where a jump leads that skips so many instructions.
fn target(steps: &[Option<Step>], at: usize, by: i32) -> Result<usize, Rule> {
    let by = usize::try_from(by).map_err(|_| Rule::Backward)?;
    let target = (at + 1).saturating_add(by);
    match steps.get(target) {
        Some(Some(_)) => Ok(target),
        _ => Err(Rule::Target),
    }
}
