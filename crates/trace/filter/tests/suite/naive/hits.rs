//! Random events of a random probe.

use super::expressions::{Probe, is_text};
use super::random::{DOUBLES, LENGTHS, Random, edge, word};
use super::{Argument, Event, Piece, Tree, Value};

/// An event of the probe. Its values are often those of the constants of `tree`, or beside them.
pub fn event(random: &mut Random, probe: &Probe, tree: &Tree) -> Event {
    let mut constants = Vec::new();
    gather(tree, &mut constants);
    let arguments = probe.iter().map(|(kind, name)| {
        let constant = (!constants.is_empty()).then(|| random.pick(&constants));
        let value = argument(random, kind, constant);
        Argument {
            kind: (*kind).into(),
            name: (*name).into(),
            value,
        }
    });
    Event::new(arguments.collect())
}

fn gather<'t>(tree: &'t Tree, constants: &mut Vec<&'t Tree>) {
    match tree {
        Tree::Name(_) => {}
        Tree::Integer(_) | Tree::Double(_) | Tree::Text(_) => constants.push(tree),
        Tree::Unary(_, of) => gather(of, constants),
        Tree::Binary(_, left, right) => {
            gather(left, constants);
            gather(right, constants);
        }
    }
}

fn argument(random: &mut Random, kind: &str, constant: Option<&Tree>) -> Value {
    if is_text(kind) {
        // What a text gives that the kernel cannot read is a matter of the agent.
        if !kind.ends_with("_nofault") && random.chance(8) {
            return Value::Text(None);
        }
        return Value::Text(Some(text(random, constant)));
    }
    if kind.starts_with('f') {
        let value = match constant {
            Some(Tree::Double(value)) if random.chance(50) => *value,
            Some(Tree::Integer(value)) if random.chance(50) => *value as f64,
            _ if random.chance(15) => f64::NAN,
            _ => random.pick(&DOUBLES),
        };
        let value = if random.chance(30) { -value } else { value };
        return Value::Double(if kind == "f32" {
            f64::from(value as f32)
        } else {
            value
        });
    }
    let value = match constant {
        Some(Tree::Integer(value)) if random.chance(60) => {
            value.wrapping_add(random.below(3) as i64 - 1)
        }
        _ => edge(random),
    };
    Value::Integer(match kind {
        "i8" => i64::from(value as i8),
        "i16" => i64::from(value as i16),
        "i32" => i64::from(value as i32),
        "u8" => i64::from(value as u8),
        "u16" => i64::from(value as u16),
        "u32" => i64::from(value as u32),
        "bool" => value & 1,
        _ => value,
    })
}

fn text(random: &mut Random, constant: Option<&Tree>) -> Vec<u8> {
    let mut bytes = match constant {
        Some(Tree::Text(pieces)) if random.chance(80) => filled(random, pieces),
        _ => word(random.pick(&LENGTHS)),
    };
    if !bytes.is_empty() && random.chance(25) {
        let place = random.below(bytes.len());
        bytes[place] = random.pick(b"A*\\\0\xff ");
    }
    match random.below(10) {
        0 => bytes.push(b'x'),
        1 => {
            bytes.pop();
        }
        2 => bytes.extend(*b"\0behind"),
        _ => {}
    }
    bytes
}

/// A text that the pieces match.
fn filled(random: &mut Random, pieces: &[Piece]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Byte(byte) => bytes.push(*byte),
            Piece::Star => bytes.extend(word(random.below(5))),
        }
    }
    bytes
}
