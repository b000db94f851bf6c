//! Comparisons, and where they lead.

use super::encode::{Arithmetic, Operand, Register};
use super::link::{Condition, Label};
use super::program::Emitter;
use super::{CannotEmit, numbers};
use crate::arithmetic::Relation;
use crate::lowered::Op;
use crate::place::Place;
use crate::program::Verdict;

const RAX: Register = Register::RAX;
const IN_RAX: Operand = Operand::Register(RAX);

impl Emitter<'_> {
    /// An operation that needs no text to decide where it goes on.
    pub fn number_op(&mut self, at: usize, op: Op) -> Result<(), CannotEmit> {
        match op {
            Op::If {
                is,
                wide,
                one,
                other,
                then,
                or,
            } => {
                let other = self.fetch_both(one, other)?;
                if is == Relation::Common {
                    self.code.test(wide, other, RAX);
                } else {
                    self.code.arithmetic(Arithmetic::Compare, wide, RAX, other);
                }
                self.branch(at, condition(is), then, or);
            }
            Op::IfConstant {
                is,
                wide,
                one,
                value,
                then,
                or,
            } => {
                let one = self.where_is(one)?;
                self.compare_with(is, wide, one, value);
                self.branch(at, condition(is), then, or);
            }
            Op::IfImport {
                is,
                import,
                part,
                value,
                then,
                or,
            } => {
                let one = match self.place(import) {
                    Place::Number(word) if part.is_whole() => self.word(word),
                    _ => {
                        self.import(at, import, part);
                        IN_RAX
                    }
                };
                self.compare_with(is, true, one, value);
                self.branch(at, condition(is), then, or);
            }
            Op::Return { from } => {
                self.fetch(from)?;
                self.code.test(true, IN_RAX, RAX);
                let reject = self.end(Verdict::Reject);
                self.code.jump_if(Condition::EQUAL, reject);
                if self.number(Verdict::RecordAndTrigger) != self.number(Verdict::Record) {
                    let (how, trigger) = (Arithmetic::Compare, Verdict::RecordAndTrigger as i32);
                    self.code.arithmetic_with(how, true, IN_RAX, trigger);
                    let trigger = self.end(Verdict::RecordAndTrigger);
                    self.code.jump_if(Condition::EQUAL, trigger);
                }
                let record = self.end(Verdict::Record);
                self.go(at, record);
            }
            _ => self.value(at, op)?,
        }
        Ok(())
    }

    /// Compares with a number that is known, as a relation needs it.
    fn compare_with(&mut self, is: Relation, wide: bool, one: Operand, value: u64) {
        match (numbers::immediate(wide, value), one) {
            (Some(value), _) if is == Relation::Common => self.code.test_with(wide, one, value),
            (Some(0), Operand::Register(register)) => self.code.test(wide, one, register),
            (Some(value), _) => {
                self.code
                    .arithmetic_with(Arithmetic::Compare, wide, one, value);
            }
            (None, _) => {
                self.code.constant(Register::R11, value);
                if is == Relation::Common {
                    self.code.test(wide, one, Register::R11);
                } else {
                    self.code.compare(wide, one, Register::R11);
                }
            }
        }
    }

    /// Goes on from an operation as the flags say.
    fn branch(&mut self, at: usize, condition: Condition, then: u16, or: u16) {
        let [then, or] = [then, or].map(|to| self.label_of(to));
        self.branch_to(at, condition, then, or);
    }

    /// The same to labels.
    pub fn branch_to(&mut self, at: usize, condition: Condition, then: Label, or: Label) {
        let next = self.next(at);
        if next == Some(then) {
            self.code.jump_if(condition.inverse(), or);
            self.falls = true;
        } else {
            self.code.jump_if(condition, then);
            self.go(at, or);
        }
    }
}

fn condition(is: Relation) -> Condition {
    match is {
        Relation::Equal => Condition::EQUAL,
        Relation::NotEqual | Relation::Common => Condition::NOT_EQUAL,
        Relation::Greater => Condition::ABOVE,
        Relation::GreaterOrEqual => Condition::BELOW.inverse(),
        Relation::Less => Condition::BELOW,
        Relation::LessOrEqual => Condition::ABOVE.inverse(),
        Relation::SignedGreater => Condition::GREATER,
        Relation::SignedGreaterOrEqual => Condition::LESS.inverse(),
        Relation::SignedLess => Condition::LESS,
        Relation::SignedLessOrEqual => Condition::GREATER.inverse(),
    }
}
