//! Calls of helpers: each argument is what the helper takes, and slots and literals are constants.

use super::effect::number;
use super::state::{Kind, State};
use super::{HelperCall, Rule};
use crate::arithmetic::Unary;
use crate::lowered::{Literal, Op};
use crate::program::{Class, Helper, LONGEST_LITERAL, Program};
use crate::texts::TextTest;

/// A call: r1 to r5 have no value after it, and r0 has a number.
pub fn call(program: &Program<'_>, state: &mut State, helper: i32) -> Result<Op, Rule> {
    let helper = Helper::from_number(helper).ok_or(Rule::Helper(HelperCall::Unknown))?;
    if state.read(1)? != Kind::Context(0) {
        return Err(Rule::Helper(HelperCall::Context));
    }
    let to = 0;
    let tested = |how| -> Result<Op, Rule> {
        let import = argument(program, state, 2, Class::Text)?;
        let literal = literal(program, state, how)?;
        Ok(Op::Text {
            how,
            to,
            import,
            literal,
        })
    };
    // That a register has a number.
    let from = |register| -> Result<u8, Rule> { number(state, register).map(|_| register) };
    let op = match helper {
        Helper::TextIs => tested(TextTest::Is)?,
        Helper::TextBegins => tested(TextTest::Begins)?,
        Helper::TextMatches => tested(TextTest::Matches)?,
        Helper::TextSame => Op::SameText {
            to,
            one: argument(program, state, 2, Class::Text)?,
            other: argument(program, state, 3, Class::Text)?,
        },
        Helper::TextByte => Op::Byte {
            to,
            import: argument(program, state, 2, Class::Text)?,
            index: from(3)?,
        },
        Helper::DoubleOf => Op::Double {
            to,
            import: argument(program, state, 2, Class::Double)?,
        },
        Helper::DoubleOfInteger => Op::Unary {
            how: Unary::DoubleOfInteger,
            to,
            from: from(2)?,
        },
        Helper::IntegerOfDouble => Op::Unary {
            how: Unary::IntegerOfDouble,
            to,
            from: from(2)?,
        },
        Helper::CompareDoubles => Op::CompareDoubles {
            to,
            one: from(2)?,
            other: from(3)?,
        },
    };
    (1..=5).for_each(|register| state.write(register, Kind::Unset));
    state.write(to, Kind::Number);
    Ok(op)
}

/// The slot that a register names, which must have this class.
fn argument(program: &Program<'_>, state: &State, at: u8, class: Class) -> Result<u8, Rule> {
    let wrong = Rule::Helper(HelperCall::Slot);
    let Kind::Constant(offset) = state.read(at)? else {
        return Err(wrong);
    };
    let slot = usize::try_from(offset / 8).map_err(|_| wrong)?;
    match program.imports.get(slot) {
        Some(import) if import.class == class && offset % 8 == 0 => Ok(slot as u8),
        _ => Err(wrong),
    }
}

/// The literal that r3 and r4 name.
fn literal(program: &Program<'_>, state: &State, how: TextTest) -> Result<Literal, Rule> {
    let wrong = Rule::Helper(HelperCall::Literal);
    let (Kind::Literals(at), Kind::Constant(bytes)) = (state.read(3)?, state.read(4)?) else {
        return Err(wrong);
    };
    let at = u16::try_from(at).map_err(|_| wrong)?;
    let bytes = u16::try_from(bytes).map_err(|_| wrong)?;
    let start = usize::from(at);
    let text = program.literals.get(start..start + usize::from(bytes));
    let text = text.ok_or(wrong)?;
    if text.len() > LONGEST_LITERAL {
        return Err(Rule::Helper(HelperCall::Long));
    }
    if how != TextTest::Matches && text.contains(&0) {
        return Err(Rule::Helper(HelperCall::Zero));
    }
    Ok(Literal { at, bytes })
}
