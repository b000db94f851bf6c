//! What operators make of constants, as they do of values.

use crate::number::Number;
use crate::tree::{BinaryOp, UnaryOp};

/// A double without what is behind the point, as the instruction `cvttsd2si` makes it: what no integer of 64 bits can
/// hold becomes the smallest of them.
pub fn truncated(value: f64) -> i64 {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    if (-BEYOND..BEYOND).contains(&value) {
        value as i64
    } else {
        i64::MIN
    }
}

/// A number as logical operators take it: a double is truncated, so that 0.5 is false.
pub fn logical(number: Number) -> i64 {
    match number {
        Number::Integer(value) => value,
        Number::Double(value) => truncated(value),
    }
}

/// An operator in front of a constant; nothing for one that the type does not have.
pub fn unary(operator: UnaryOp, operand: Number) -> Option<Number> {
    Some(match (operator, operand) {
        (UnaryOp::Plus, same) => same,
        (UnaryOp::Minus, Number::Integer(value)) => Number::Integer(value.wrapping_neg()),
        (UnaryOp::Minus, Number::Double(value)) => Number::Double(-value),
        (UnaryOp::Not, Number::Integer(value)) => truth(value == 0),
        (UnaryOp::Not, Number::Double(value)) => truth(value == 0.0),
        (UnaryOp::BitNot, Number::Integer(value)) => Number::Integer(!value),
        (UnaryOp::BitNot, Number::Double(_)) => return None,
    })
}

/// An operator between constants; nothing for a shift that rejects, or an operator that the types do not have.
pub fn binary(operator: BinaryOp, left: Number, right: Number) -> Option<Number> {
    if let Some(decided) = decided(operator, left) {
        return Some(decided);
    }
    match operator {
        BinaryOp::Or | BinaryOp::And => Some(Number::Integer(logical(right))),
        BinaryOp::Equal
        | BinaryOp::NotEqual
        | BinaryOp::Less
        | BinaryOp::LessOrEqual
        | BinaryOp::Greater
        | BinaryOp::GreaterOrEqual => match (left, right) {
            (Number::Integer(left), Number::Integer(right)) => compared(operator, left, right),
            _ => compared(operator, double(left), double(right)),
        },
        BinaryOp::BitOr
        | BinaryOp::BitXor
        | BinaryOp::BitAnd
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRight => match (left, right) {
            (Number::Integer(left), Number::Integer(right)) => bits(operator, left, right),
            _ => None,
        },
    }
}

/// What a logical operator is without its right side.
pub fn decided(operator: BinaryOp, left: Number) -> Option<Number> {
    match (operator, logical(left)) {
        (BinaryOp::And, 0) => Some(Number::Integer(0)),
        (BinaryOp::Or, 1..=i64::MAX | i64::MIN..=-1) => Some(Number::Integer(1)),
        _ => None,
    }
}

fn compared<T: PartialOrd + Copy>(operator: BinaryOp, left: T, right: T) -> Option<Number> {
    Some(truth(match operator {
        BinaryOp::Equal => left == right,
        BinaryOp::NotEqual => left != right,
        BinaryOp::Less => left < right,
        BinaryOp::LessOrEqual => left <= right,
        BinaryOp::Greater => left > right,
        BinaryOp::GreaterOrEqual => left >= right,
        _ => return None,
    }))
}

fn bits(operator: BinaryOp, left: i64, right: i64) -> Option<Number> {
    let places = u32::try_from(right).ok();
    Some(Number::Integer(match operator {
        BinaryOp::BitOr => left | right,
        BinaryOp::BitXor => left ^ right,
        BinaryOp::BitAnd => left & right,
        BinaryOp::ShiftLeft => left.checked_shl(places?)?,
        BinaryOp::ShiftRight => left.cast_unsigned().checked_shr(places?)?.cast_signed(),
        _ => return None,
    }))
}

fn double(number: Number) -> f64 {
    match number {
        Number::Integer(value) => value as f64,
        Number::Double(value) => value,
    }
}

fn truth(is_true: bool) -> Number {
    Number::Integer(i64::from(is_true))
}
