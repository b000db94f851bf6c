//! A checked expression as blocks. Logical operators become jumps, in the order in which they are written, so that what
//! is behind one that decides is not evaluated.

use std::ops::Range;

use perflab_bpf::{Class, Verdict};

use crate::blocks::{Blocks, Label};
use crate::check::{Checked, Term};
use crate::fold;
use crate::ir::{Compute, End, Ir, Operation, Relation, Test, Value};
use crate::literal::Literal;
use crate::number::Number;
use crate::tree::{BinaryOp, NodeId, UnaryOp};

/// Lowers a checked expression: an event is recorded if it is not 0.
pub fn lower(checked: &Checked) -> Ir {
    let mut blocks = Blocks::default();
    let [record, reject] = blocks.labels();
    let mut lowering = Lowering {
        checked,
        blocks,
        reject,
        literals: Vec::new(),
        ranges: Vec::new(),
    };
    lowering.test(checked.root(), record, reject);
    let mut blocks = lowering.blocks;
    blocks.place(record);
    blocks.end(End::Return(Verdict::Record));
    blocks.place(reject);
    blocks.end(End::Return(Verdict::Reject));
    Ir {
        imports: checked.imports.clone(),
        literals: lowering.literals,
        blocks: blocks.finish(),
    }
}

struct Lowering<'c> {
    checked: &'c Checked,
    blocks: Blocks,
    reject: Label,
    literals: Vec<u8>,
    /// Where each literal is in them.
    ranges: Vec<Range<usize>>,
}

impl Lowering<'_> {
    /// Goes to one of two blocks, as a node is true.
    fn test(&mut self, id: NodeId, yes: Label, no: Label) {
        let checked = self.checked;
        match &checked.typed(id).term {
            Term::Number(number) => {
                let to = if fold::logical(*number) == 0 { no } else { yes };
                self.blocks.end(End::Jump(to, None));
            }
            Term::Unary(UnaryOp::Not, operand) => match checked.typed(*operand).class {
                Class::Double => {
                    let value = self.double(*operand);
                    let zero = Value::Constant(0);
                    self.compare_doubles(Relation::Equal, value, zero, yes, no);
                }
                Class::Integer | Class::Text => self.test(*operand, no, yes),
            },
            Term::Binary(operator @ (BinaryOp::And | BinaryOp::Or), ..) => {
                let (before, last) = self.chain(*operator, id);
                let decided = if *operator == BinaryOp::And { no } else { yes };
                self.tests(*operator, &before, decided);
                self.test(last, yes, no);
            }
            Term::Binary(operator, left, right) => match relation(*operator) {
                Some(relation) => self.compare(relation, *left, *right, yes, no),
                None => self.test_value(id, yes, no),
            },
            _ => self.test_value(id, yes, no),
        }
    }

    fn test_value(&mut self, id: NodeId, yes: Label, no: Label) {
        let value = self.logical(id);
        let test = Test::Compare(Relation::NotEqual, value, Value::Constant(0));
        self.blocks.end(End::Branch { test, yes, no });
    }

    /// Tests all but the last of a chain's operands; goes to a label as soon as one decides.
    fn tests(&mut self, operator: BinaryOp, operands: &[NodeId], decided: Label) {
        for operand in operands {
            let next = self.blocks.label();
            match operator {
                BinaryOp::And => self.test(*operand, next, decided),
                _ => self.test(*operand, decided, next),
            }
            self.blocks.place(next);
        }
    }

    /// The operands of a chain of one logical operator: all but the last, and the last.
    fn chain(&self, operator: BinaryOp, id: NodeId) -> (Vec<NodeId>, NodeId) {
        let (mut before, mut first, mut last) = (Vec::new(), id, id);
        while let Term::Binary(own, left, right) = &self.checked.typed(first).term
            && *own == operator
        {
            if first == id {
                last = *right;
            } else {
                before.push(*right);
            }
            first = *left;
        }
        before.push(first);
        before.reverse();
        (before, last)
    }

    fn compare(&mut self, relation: Relation, left: NodeId, right: NodeId, yes: Label, no: Label) {
        let class = |id| self.checked.typed(id).class;
        match (class(left), class(right)) {
            (Class::Text, _) | (_, Class::Text) => {
                let test = self.text_test(left, right);
                let (yes, no) = match relation {
                    Relation::NotEqual => (no, yes),
                    _ => (yes, no),
                };
                self.blocks.end(End::Branch { test, yes, no });
            }
            (Class::Integer, Class::Integer) => {
                let (left, right) = (self.value(left), self.value(right));
                // A constant is always the second.
                let test = match left {
                    Value::Constant(_) => Test::Compare(turned(relation), right, left),
                    Value::Temporary(_) => Test::Compare(relation, left, right),
                };
                self.blocks.end(End::Branch { test, yes, no });
            }
            _ => {
                let (left, right) = (self.double(left), self.double(right));
                self.compare_doubles(relation, left, right, yes, no);
            }
        }
    }

    fn compare_doubles(
        &mut self,
        relation: Relation,
        left: Value,
        right: Value,
        yes: Label,
        no: Label,
    ) {
        let order = self.blocks.compute(Compute::CompareDoubles(left, right));
        // Nothing but "differs" holds of what is no number, which gives 2.
        let (relation, than) = match relation {
            Relation::Equal | Relation::NotEqual | Relation::LessOrEqual => (relation, 0),
            Relation::Less => (Relation::Equal, -1),
            Relation::Greater => (Relation::Equal, 1),
            Relation::GreaterOrEqual | Relation::Below => (Relation::Below, 2),
        };
        let test = Test::Compare(relation, order, Value::Constant(than));
        self.blocks.end(End::Branch { test, yes, no });
    }

    fn text_test(&mut self, left: NodeId, right: NodeId) -> Test {
        let checked = self.checked;
        match (&checked.typed(left).term, &checked.typed(right).term) {
            (Term::Import(import), Term::Literal(literal))
            | (Term::Literal(literal), Term::Import(import)) => Test::Text {
                import: *import,
                literal: self.literal(literal),
                how: literal.how(),
            },
            (Term::Import(left), Term::Import(right)) => Test::SameText(*left, *right),
            _ => unreachable!("texts are imports or literals, and two literals are a constant"),
        }
    }

    /// The bytes of a literal, which are kept once.
    fn literal(&mut self, literal: &Literal) -> Range<usize> {
        let bytes = literal.bytes();
        let mut known = self.ranges.iter();
        let known = known.find(|range| self.literals.get((*range).clone()) == Some(bytes));
        if let Some(known) = known {
            return known.clone();
        }
        let range = self.literals.len()..self.literals.len() + bytes.len();
        self.literals.extend_from_slice(bytes);
        self.ranges.push(range.clone());
        range
    }

    /// A number as logical operators take it.
    fn logical(&mut self, id: NodeId) -> Value {
        let typed = self.checked.typed(id);
        match (&typed.term, typed.class) {
            (Term::Number(number), _) => Value::Constant(fold::logical(*number)),
            (_, Class::Double) => {
                let double = self.double(id);
                self.blocks.compute(Compute::IntegerOfDouble(double))
            }
            _ => self.value(id),
        }
    }

    /// An integer.
    fn value(&mut self, id: NodeId) -> Value {
        match self.checked.typed(id).term {
            Term::Number(number) => Value::Constant(fold::logical(number)),
            Term::Import(import) => self.blocks.compute(Compute::Import(import)),
            Term::Byte(import, index) => self.blocks.compute(Compute::Byte(import, index)),
            Term::Unary(UnaryOp::Plus, operand) => self.value(operand),
            Term::Unary(UnaryOp::Minus, operand) => {
                let value = self.value(operand);
                self.blocks.compute(Compute::Negate(value))
            }
            Term::Unary(UnaryOp::BitNot, operand) => {
                let value = self.value(operand);
                self.blocks.compute(Compute::Not(value))
            }
            Term::Binary(operator @ (BinaryOp::And | BinaryOp::Or), ..) => {
                self.last_of_chain(operator, id)
            }
            Term::Binary(operator, left, right) => match operation(operator) {
                Some(operation) => self.operation(operation, left, right),
                None => self.truth(id),
            },
            Term::Unary(UnaryOp::Not, _) => self.truth(id),
            Term::Literal(_) => unreachable!("a literal is no integer"),
        }
    }

    fn operation(&mut self, operation: Operation, left: NodeId, right: NodeId) -> Value {
        let (left, right) = (self.value(left), self.value(right));
        if matches!(operation, Operation::ShiftLeft | Operation::ShiftRight) {
            self.check_shift(right);
        }
        self.blocks.compute(Compute::Binary(operation, left, right))
    }

    /// A shift by less than 0 or more than 63 places rejects.
    fn check_shift(&mut self, places: Value) {
        let next = self.blocks.label();
        match places {
            Value::Constant(0..=63) => return,
            // Nothing leads to what comes then.
            Value::Constant(_) => self.blocks.end(End::Jump(self.reject, None)),
            Value::Temporary(_) => {
                let test = Test::Compare(Relation::Below, places, Value::Constant(64));
                let (yes, no) = (next, self.reject);
                self.blocks.end(End::Branch { test, yes, no });
            }
        }
        self.blocks.place(next);
    }

    /// Whether a node is true, as 1 or 0.
    fn truth(&mut self, id: NodeId) -> Value {
        let [yes, no, join] = self.blocks.labels();
        self.test(id, yes, no);
        self.blocks.place(yes);
        self.blocks.end(End::Jump(join, Some(Value::Constant(1))));
        self.blocks.place(no);
        self.blocks.end(End::Jump(join, Some(Value::Constant(0))));
        self.blocks.join(join)
    }

    /// The value of a chain: what decides it as 0 or 1, or its last operand.
    fn last_of_chain(&mut self, operator: BinaryOp, id: NodeId) -> Value {
        let [decided, join] = self.blocks.labels();
        let (before, last) = self.chain(operator, id);
        self.tests(operator, &before, decided);
        let value = self.logical(last);
        self.blocks.end(End::Jump(join, Some(value)));
        self.blocks.place(decided);
        let value = i64::from(operator == BinaryOp::Or);
        self.blocks
            .end(End::Jump(join, Some(Value::Constant(value))));
        self.blocks.join(join)
    }

    /// The bits of a double.
    fn double(&mut self, id: NodeId) -> Value {
        let typed = self.checked.typed(id);
        let bits = |value: f64| Value::Constant(value.to_bits().cast_signed());
        match typed.term {
            Term::Number(Number::Integer(value)) => bits(value as f64),
            Term::Number(Number::Double(value)) => bits(value),
            _ if typed.class == Class::Integer => {
                let value = self.value(id);
                self.blocks.compute(Compute::DoubleOfInteger(value))
            }
            Term::Import(import) => self.blocks.compute(Compute::DoubleOf(import)),
            Term::Unary(UnaryOp::Plus, operand) => self.double(operand),
            Term::Unary(UnaryOp::Minus, operand) => {
                let value = self.double(operand);
                let sign = Value::Constant(i64::MIN);
                self.blocks
                    .compute(Compute::Binary(Operation::Xor, value, sign))
            }
            _ => unreachable!("a double is a constant, an import, or one with a sign"),
        }
    }
}

fn relation(operator: BinaryOp) -> Option<Relation> {
    Some(match operator {
        BinaryOp::Equal => Relation::Equal,
        BinaryOp::NotEqual => Relation::NotEqual,
        BinaryOp::Less => Relation::Less,
        BinaryOp::LessOrEqual => Relation::LessOrEqual,
        BinaryOp::Greater => Relation::Greater,
        BinaryOp::GreaterOrEqual => Relation::GreaterOrEqual,
        _ => return None,
    })
}

fn operation(operator: BinaryOp) -> Option<Operation> {
    Some(match operator {
        BinaryOp::BitOr => Operation::Or,
        BinaryOp::BitXor => Operation::Xor,
        BinaryOp::BitAnd => Operation::And,
        BinaryOp::ShiftLeft => Operation::ShiftLeft,
        BinaryOp::ShiftRight => Operation::ShiftRight,
        _ => return None,
    })
}

/// The relation of the sides in the other order.
fn turned(relation: Relation) -> Relation {
    match relation {
        Relation::Less => Relation::Greater,
        Relation::LessOrEqual => Relation::GreaterOrEqual,
        Relation::Greater => Relation::Less,
        Relation::GreaterOrEqual => Relation::LessOrEqual,
        same => same,
    }
}
