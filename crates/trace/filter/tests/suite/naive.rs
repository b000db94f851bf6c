//! A naive evaluator of filter expressions, written apart from the crate: from the documents and sources of LTTng.
//! It shares nothing with the crate, so a mistake has to be made twice to stay unseen.
//!
//! The rules come from lttng-tools (`doc/man/lttng-event-rule.7.txt`, `src/common/filter/`) and from lttng-ust
//! (`src/lib/lttng-ust/lttng-bytecode-interpreter.c`). They are followed one by one, text is compared byte by byte.

mod event;
mod expressions;
mod hits;
mod lttng;
mod pairs;
mod print;
mod random;
mod read;
mod shrink;
mod tests;

pub use event::{Argument, Event, Value};

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree {
    Integer(i64),
    /// Neither negative nor NaN: there is no such constant, as a sign is an operator.
    Double(f64),
    Text(Vec<Piece>),
    Name(Name),
    Unary(Unary, Box<Tree>),
    Binary(Binary, Box<Tree>, Box<Tree>),
}

/// A part of a literal: a byte that is meant as it is, or a wildcard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    Byte(u8),
    Star,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Name {
    Argument(String),
    /// One byte of an argument.
    Byte(String, u64),
    /// Without `$ctx.`.
    Context(String),
    /// As it is written. No probe of ours has parts of arguments or a context of the application.
    Missing(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unary {
    Plus,
    Minus,
    Not,
    BitNot,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binary {
    LeftShift,
    RightShift,
    BitAnd,
    BitXor,
    BitOr,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
    And,
    Or,
}

impl Binary {
    /// The table of precedence of lttng-event-rule(7): operator, symbol, how tightly it binds.
    const TABLE: [(Self, &'static str, u8); 13] = [
        (Self::LeftShift, "<<", 8),
        (Self::RightShift, ">>", 8),
        (Self::BitAnd, "&", 7),
        (Self::BitXor, "^", 6),
        (Self::BitOr, "|", 5),
        (Self::Less, "<", 4),
        (Self::LessOrEqual, "<=", 4),
        (Self::Greater, ">", 4),
        (Self::GreaterOrEqual, ">=", 4),
        (Self::Equal, "==", 3),
        (Self::NotEqual, "!=", 3),
        (Self::And, "&&", 2),
        (Self::Or, "||", 1),
    ];
}

/// What a filter does with an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Yes,
    No,
    /// A name is missing: no event of this probe is ever recorded.
    Missing,
    /// This is no filter. LTTng refuses it, or never records with it.
    Refused,
}

/// What an expression gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Integer,
    Double,
    Text,
    /// The name is missing.
    Unknown,
}

#[derive(Debug, Clone, PartialEq)]
enum Datum {
    Integer(i64),
    Double(f64),
    Text(Vec<u8>),
    Literal(Vec<Piece>),
}

/// Why a text is no filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused(pub &'static str);

/// The evaluation ended before it had a value. The event is not recorded, wherever in the expression that was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rejected;

/// What the filter `text` does with an event.
pub fn answer(text: &str, event: &Event) -> Answer {
    read::read(text).map_or(Answer::Refused, |tree| judged(&tree, event))
}

fn judged(tree: &Tree, event: &Event) -> Answer {
    match kind(tree, event) {
        Err(Refused(_)) | Ok(Kind::Double | Kind::Text) => return Answer::Refused,
        Ok(Kind::Integer | Kind::Unknown) => {}
    }
    // LTTng links the whole filter before it evaluates anything, so `1 || nowhere` fails, too.
    if is_missing(tree, event) {
        return Answer::Missing;
    }
    match value(tree, event) {
        Ok(Datum::Integer(0)) | Err(Rejected) => Answer::No,
        Ok(Datum::Integer(_)) => Answer::Yes,
        Ok(other) => unreachable!("{other:?} at the root has the wrong kind"),
    }
}

/// Whether `event` lacks a name of the expression.
fn is_missing(tree: &Tree, event: &Event) -> bool {
    match tree {
        Tree::Integer(_) | Tree::Double(_) | Tree::Text(_) => false,
        Tree::Name(name) => event.is_missing(name),
        Tree::Unary(_, of) => is_missing(of, event),
        Tree::Binary(_, left, right) => is_missing(left, event) || is_missing(right, event),
    }
}

/// What an expression gives for events like this one.
pub fn kind(tree: &Tree, event: &Event) -> Result<Kind, Refused> {
    let (operator, left, right) = match tree {
        Tree::Integer(_) => return Ok(Kind::Integer),
        Tree::Double(_) => return Ok(Kind::Double),
        Tree::Text(_) => return Ok(Kind::Text),
        Tree::Name(name) => return event.kind(name),
        Tree::Unary(operator, of) => {
            return match (operator, kind(of, event)?) {
                (_, Kind::Text) => Err(Refused("an operator on text")),
                (Unary::BitNot, Kind::Double) => Err(Refused("~ of a double")),
                (Unary::Plus | Unary::Minus, same) => Ok(same),
                (Unary::Not | Unary::BitNot, _) => Ok(Kind::Integer),
            };
        }
        Tree::Binary(operator, left, right) => (operator, left, right),
    };
    let kinds = [kind(left, event)?, kind(right, event)?];
    let is_any = |kind| kinds.contains(&kind);
    match operator {
        Binary::And | Binary::Or if is_any(Kind::Text) => Err(Refused("text as a truth value")),
        Binary::And | Binary::Or => Ok(Kind::Integer),
        Binary::LeftShift
        | Binary::RightShift
        | Binary::BitAnd
        | Binary::BitXor
        | Binary::BitOr => {
            if is_any(Kind::Text) || is_any(Kind::Double) {
                return Err(Refused("bits of no integer"));
            }
            Ok(Kind::Integer)
        }
        Binary::Equal | Binary::NotEqual => {
            if is_any(Kind::Text) && (is_any(Kind::Integer) || is_any(Kind::Double)) {
                return Err(Refused("text compared with a number"));
            }
            if is_pattern(left) && is_pattern(right) {
                return Err(Refused("two patterns compared"));
            }
            Ok(Kind::Integer)
        }
        _ if is_any(Kind::Text) => Err(Refused("texts have no order")),
        _ => Ok(Kind::Integer),
    }
}

fn is_pattern(tree: &Tree) -> bool {
    matches!(tree, Tree::Text(pieces) if pieces.contains(&Piece::Star))
}

/// Evaluates an expression that [`kind`] has found good.
fn value(tree: &Tree, event: &Event) -> Result<Datum, Rejected> {
    Ok(match tree {
        Tree::Integer(constant) => Datum::Integer(*constant),
        Tree::Double(constant) => Datum::Double(*constant),
        Tree::Text(pieces) => Datum::Literal(pieces.clone()),
        Tree::Name(name) => event.datum(name).ok_or(Rejected)?,
        Tree::Unary(operator, of) => unary(*operator, value(of, event)?),
        // Neither gives a truth value: `a && b` is 0 or b, `a || b` is 1 or b.
        Tree::Binary(Binary::And, left, right) => {
            Datum::Integer(match whole(value(left, event)?) {
                0 => 0,
                _ => whole(value(right, event)?),
            })
        }
        Tree::Binary(Binary::Or, left, right) => Datum::Integer(match whole(value(left, event)?) {
            0 => whole(value(right, event)?),
            _ => 1,
        }),
        Tree::Binary(operator, left, right) => Datum::Integer(binary(
            *operator,
            value(left, event)?,
            value(right, event)?,
        )?),
    })
}

fn unary(operator: Unary, of: Datum) -> Datum {
    match (operator, of) {
        (Unary::Plus, of) => of,
        (Unary::Minus, Datum::Integer(of)) => Datum::Integer(of.wrapping_neg()),
        (Unary::Minus, Datum::Double(of)) => Datum::Double(-of),
        (Unary::Not, Datum::Integer(of)) => Datum::Integer(i64::from(of == 0)),
        (Unary::Not, Datum::Double(of)) => Datum::Integer(i64::from(of == 0.0)),
        (Unary::BitNot, Datum::Integer(of)) => Datum::Integer(!of),
        (operator, of) => unreachable!("{operator:?} of {of:?}"),
    }
}

/// A double is cut to an integer before `&&` and `||` look at it. What does not fit, and NaN, is the smallest integer,
/// as the processor's `cvttsd2si` gives it.
fn whole(datum: Datum) -> i64 {
    const END: f64 = 9_223_372_036_854_775_808.0;
    match datum {
        Datum::Integer(value) => value,
        Datum::Double(value) if (-END..END).contains(&value) => value as i64,
        Datum::Double(_) => i64::MIN,
        other => unreachable!("{other:?} as a truth value"),
    }
}

fn binary(operator: Binary, left: Datum, right: Datum) -> Result<i64, Rejected> {
    Ok(match (left, right) {
        (Datum::Integer(left), Datum::Integer(right)) => integers(operator, left, right)?,
        (Datum::Integer(left), Datum::Double(right)) => compared(operator, &(left as f64), &right),
        (Datum::Double(left), Datum::Integer(right)) => compared(operator, &left, &(right as f64)),
        (Datum::Double(left), Datum::Double(right)) => compared(operator, &left, &right),
        (left, right) => compared(operator, &is_same(&left, &right), &true),
    })
}

fn integers(operator: Binary, left: i64, right: i64) -> Result<i64, Rejected> {
    Ok(match operator {
        Binary::LeftShift | Binary::RightShift if !(0..64).contains(&right) => {
            return Err(Rejected);
        }
        Binary::LeftShift => ((left as u64) << right) as i64,
        Binary::RightShift => ((left as u64) >> right) as i64,
        Binary::BitAnd => left & right,
        Binary::BitXor => left ^ right,
        Binary::BitOr => left | right,
        comparison => compared(comparison, &left, &right),
    })
}

fn compared<T: PartialOrd>(operator: Binary, left: &T, right: &T) -> i64 {
    i64::from(match operator {
        Binary::Less => left < right,
        Binary::LessOrEqual => left <= right,
        Binary::Greater => left > right,
        Binary::GreaterOrEqual => left >= right,
        Binary::Equal => left == right,
        Binary::NotEqual => left != right,
        other => unreachable!("{other:?} is no comparison"),
    })
}

fn is_same(left: &Datum, right: &Datum) -> bool {
    match (left, right) {
        (Datum::Text(left), Datum::Text(right)) => left == right,
        (Datum::Literal(pieces), Datum::Text(text)) => is_match(pieces, text),
        (Datum::Text(text), Datum::Literal(pieces)) => is_match(pieces, text),
        (Datum::Literal(left), Datum::Literal(right)) => match plain(right) {
            Some(text) => is_match(left, &text),
            None => is_match(right, &plain(left).unwrap_or_default()),
        },
        (left, right) => unreachable!("{left:?} compared with {right:?}"),
    }
}

/// The bytes of a literal without a wildcard.
fn plain(pieces: &[Piece]) -> Option<Vec<u8>> {
    let bytes = pieces.iter().map(|piece| match piece {
        Piece::Byte(byte) => Some(*byte),
        Piece::Star => None,
    });
    bytes.collect()
}

/// Whether the pattern matches the whole text: which prefixes of the text the pieces so far match, piece by piece.
fn is_match(pieces: &[Piece], text: &[u8]) -> bool {
    let mut matched = vec![false; text.len() + 1];
    matched[0] = true;
    for piece in pieces {
        let ends = 0..matched.len();
        matched = ends
            .map(|end| match piece {
                Piece::Byte(byte) => end > 0 && matched[end - 1] && text[end - 1] == *byte,
                Piece::Star => matched[..=end].contains(&true),
            })
            .collect();
    }
    matched[text.len()]
}
