//! What an instruction does to what is known, and which operation on numbers it is.

use super::Rule;
use super::call::call;
use super::state::{Kind, State};
use crate::arithmetic::{Binary, Relation, Unary};
use crate::lowered::{Op, Part};
use crate::program::{Class, Program, STACK, Verdict};
use crate::step::{Operand, Step};

/// The register of the first word of the stack.
const FIRST_WORD: u8 = 10;

/// What an instruction does.
#[derive(Debug)]
pub struct Effect {
    /// The operation; nothing if only an address is moved.
    pub op: Option<Op>,
    /// The instruction to which it may jump.
    pub target: Option<usize>,
    /// Whether the next instruction may follow.
    pub goes_on: bool,
}

impl Effect {
    /// The effect of a step, if it breaks no rule. The state is then that behind it.
    pub fn of(
        step: Step,
        at: usize,
        program: &Program<'_>,
        state: &mut State,
        target: impl Fn(i32) -> Result<usize, Rule>,
    ) -> Result<Self, Rule> {
        let op = match step {
            Step::Move { to, from } => copy(state, to, from)?,
            Step::Binary {
                how,
                wide,
                to,
                with,
            } => binary(state, (how, wide), to, with)?,
            Step::Unary { how, to, from } => {
                let kind = match number(state, from)? {
                    Kind::Constant(value) => Kind::Constant(how.of(value)),
                    _ => Kind::Number,
                };
                set(state, to, kind, Op::Unary { how, to, from })
            }
            Step::Literals { to, at } => {
                state.write(to, Kind::Literals(at as i32));
                None
            }
            Step::Load {
                to,
                base,
                offset,
                part,
            } => load(program, state, to, (base, offset), part)?,
            Step::Store {
                base,
                offset,
                part,
                from,
            } => store(state, (base, offset), part, from)?,
            Step::Jump { by } => {
                let target = target(by)?;
                return Ok(Self {
                    op: Some(Op::Jump {
                        then: target as u16,
                    }),
                    target: Some(target),
                    goes_on: false,
                });
            }
            Step::If {
                is,
                wide,
                one,
                other,
                by,
            } => {
                let target = target(i32::from(by))?;
                let to = (target as u16, at as u16 + 1);
                return Ok(Self {
                    op: Some(compare(state, (is, wide), one, other, to)?),
                    target: Some(target),
                    goes_on: true,
                });
            }
            Step::Call { helper } => Some(call(program, state, helper)?),
            Step::Exit => {
                let op = match state.read(0) {
                    Ok(Kind::Constant(value)) => Op::End(Verdict::of(value)),
                    Ok(kind) if !kind.is_address() => Op::Return { from: 0 },
                    _ => return Err(Rule::Result),
                };
                return Ok(Self {
                    op: Some(op),
                    target: None,
                    goes_on: false,
                });
            }
        };
        Ok(Self {
            op,
            target: None,
            goes_on: true,
        })
    }
}

/// What a register has, if it is a number.
pub fn number(state: &State, register: u8) -> Result<Kind, Rule> {
    let kind = state.read(register)?;
    if kind.is_address() {
        Err(Rule::Address)
    } else {
        Ok(kind)
    }
}

/// What an operand is, and if it is not known, its register.
fn operand(state: &State, operand: Operand) -> Result<Kind, Rule> {
    match operand {
        Operand::Constant(value) => Ok(Kind::Constant(value)),
        Operand::Register(register) => state.read(register),
    }
}

/// A register has something else from now on: by an operation, but nothing is done for addresses, and a number that is
/// known need not be calculated.
fn set(state: &mut State, to: u8, kind: Kind, op: Op) -> Option<Op> {
    state.write(to, kind);
    match kind {
        Kind::Constant(value) => Some(Op::Constant { to, value }),
        _ if kind.is_address() => None,
        _ => Some(op),
    }
}

fn copy(state: &mut State, to: u8, from: Operand) -> Result<Option<Op>, Rule> {
    let kind = operand(state, from)?;
    let op = match from {
        Operand::Register(from) => Op::Copy { to, from },
        Operand::Constant(value) => Op::Constant { to, value },
    };
    Ok(set(state, to, kind, op))
}

fn binary(
    state: &mut State,
    (how, wide): (Binary, bool),
    to: u8,
    with: Operand,
) -> Result<Option<Op>, Rule> {
    let one = to;
    let (first, second) = (state.read(one)?, operand(state, with)?);
    if first.is_address() || second.is_address() {
        let moved = match (how, wide, second) {
            (Binary::Add, true, Kind::Constant(by)) => first.moved(by),
            _ => None,
        };
        state.write(to, moved.ok_or(Rule::Address)?);
        return Ok(None);
    }
    let kind = match (first, second) {
        (Kind::Constant(one), Kind::Constant(other)) => Kind::Constant(how.of(wide, one, other)),
        _ => Kind::Number,
    };
    let op = match (second, with) {
        (Kind::Constant(value), _) | (_, Operand::Constant(value)) => Op::BinaryConstant {
            how,
            wide,
            to,
            one,
            value,
        },
        (_, Operand::Register(other)) => Op::Binary {
            how,
            wide,
            to,
            one,
            other,
        },
    };
    Ok(set(state, to, kind, op))
}

/// The slot of the context that is accessed, with the part of it.
fn slot(program: &Program<'_>, at: i64, part: Part) -> Result<(u8, Part), Rule> {
    let at = usize::try_from(at).map_err(|_| Rule::Context)?;
    let (slot, byte) = (at / 8, at % 8);
    let class = program.imports.get(slot).map(|import| import.class);
    if class != Some(Class::Integer) || byte % part.bytes() as usize != 0 {
        return Err(Rule::Context);
    }
    Ok((slot as u8, part.at(byte as u8)))
}

/// The word of the stack that is accessed, from its lowest address, with the part of it.
fn word(at: i64, part: Part) -> Result<(u8, Part), Rule> {
    let at = usize::try_from(at + STACK as i64).map_err(|_| Rule::Stack)?;
    if at >= STACK || at % part.bytes() as usize != 0 {
        return Err(Rule::Stack);
    }
    Ok(((at / 8) as u8, part.at((at % 8) as u8)))
}

/// A part of the literals as a number.
fn loaded(literals: &[u8], at: i64, part: Part) -> Result<u64, Rule> {
    let at = usize::try_from(at).map_err(|_| Rule::Literal)?;
    let rest = literals.get(at..).ok_or(Rule::Literal)?;
    let bytes = rest.get(..part.bytes() as usize).ok_or(Rule::Literal)?;
    let mut word = [0; 8];
    word.iter_mut()
        .zip(bytes)
        .for_each(|(to, from)| *to = *from);
    Ok(part.of(u64::from_le_bytes(word)))
}

fn load(
    program: &Program<'_>,
    state: &mut State,
    to: u8,
    (base, offset): (u8, i16),
    part: Part,
) -> Result<Option<Op>, Rule> {
    let place = |at: i32| i64::from(at) + i64::from(offset);
    let (kind, op) = match state.read(base)? {
        Kind::Context(at) => {
            let (import, part) = slot(program, place(at), part)?;
            (
                Kind::Import { import, part },
                Op::Import { to, import, part },
            )
        }
        Kind::Stack(at) => {
            let (word, part) = word(place(at), part)?;
            let from = FIRST_WORD + word;
            let op = if part.is_whole() {
                Op::Copy { to, from }
            } else {
                Op::Extract { to, from, part }
            };
            (state.load(word, part)?, op)
        }
        Kind::Literals(at) => {
            let value = loaded(program.literals, place(at), part)?;
            (Kind::Constant(value), Op::Constant { to, value })
        }
        _ => return Err(Rule::Address),
    };
    Ok(set(state, to, kind, op))
}

fn store(
    state: &mut State,
    (base, offset): (u8, i16),
    part: Part,
    from: Operand,
) -> Result<Option<Op>, Rule> {
    let Kind::Stack(at) = state.read(base)? else {
        return Err(Rule::Store);
    };
    let (word, part) = word(i64::from(at) + i64::from(offset), part)?;
    let kind = operand(state, from)?;
    let to = FIRST_WORD + word;
    let op = match (part.is_whole(), kind, from) {
        (false, kind, _) if kind.is_address() => return Err(Rule::Store),
        (true, kind, _) if kind.is_address() => None,
        (true, Kind::Constant(value), _) | (true, _, Operand::Constant(value)) => {
            Some(Op::Constant { to, value })
        }
        (true, _, Operand::Register(from)) => Some(Op::Copy { to, from }),
        (false, Kind::Constant(value), _) | (false, _, Operand::Constant(value)) => {
            Some(Op::InsertConstant {
                to,
                one: to,
                part,
                value,
            })
        }
        (false, _, Operand::Register(other)) => Some(Op::Insert {
            to,
            one: to,
            other,
            part,
        }),
    };
    state.store(word, part, kind);
    Ok(op)
}

fn compare(
    state: &State,
    (is, wide): (Relation, bool),
    one: u8,
    with: Operand,
    (then, or): (u16, u16),
) -> Result<Op, Rule> {
    let (first, second) = (number(state, one)?, operand(state, with)?);
    if second.is_address() {
        return Err(Rule::Address);
    }
    Ok(match (first, second, with) {
        (Kind::Import { import, part }, Kind::Constant(value), _) => {
            // The lower 32 bits are compared as what they are, extended by their sign, see `Relation::holds`.
            let (part, value) = if wide {
                (part, value)
            } else {
                (part.signed_32(), Unary::Extend32.of(value))
            };
            Op::IfImport {
                is,
                import,
                part,
                value,
                then,
                or,
            }
        }
        (_, Kind::Constant(value), _) | (_, _, Operand::Constant(value)) => Op::IfConstant {
            is,
            wide,
            one,
            value,
            then,
            or,
        },
        (_, _, Operand::Register(other)) => Op::If {
            is,
            wide,
            one,
            other,
            then,
            or,
        },
    })
}
