//! Random expressions over a random probe.

use super::random::{DOUBLES, LENGTHS, Random, edge, word};
use super::{Binary, Name, Piece, Tree, Unary};

/// Type and name of each argument.
pub type Probe = [(&'static str, &'static str)];

const KINDS: [&str; 22] = [
    "i8",
    "i16",
    "i32",
    "i64",
    "u8",
    "u16",
    "u32",
    "u64",
    "bool",
    "ptr",
    "enum(GET=0,SET=1)",
    "f32",
    "f64",
    "cstr",
    "cstr",
    "cstr",
    "str",
    "str",
    "bytes",
    "cstr_nofault",
    "str_nofault",
    "bytes_nofault",
];

/// Some look like a part of something else: `L` in front of a literal, a suffix, an exponent.
const NAMES: [&str; 11] = [
    "a",
    "name",
    "L",
    "u",
    "e1",
    "x0",
    "_",
    "value",
    "length_of_key",
    "f",
    "GET",
];

pub fn probe(random: &mut Random) -> Vec<(&'static str, &'static str)> {
    probe_of(random, &KINDS)
}

/// A probe whose arguments have some of these types.
pub fn probe_of(random: &mut Random, kinds: &[&'static str]) -> Vec<(&'static str, &'static str)> {
    let first = random.below(NAMES.len());
    let arguments = 1 + random.below(8);
    (first..first + arguments)
        .map(|number| (random.pick(kinds), NAMES[number % NAMES.len()]))
        .collect()
}

/// An expression that is a filter: it gives an integer. Rarely it has a name that the probe lacks.
pub fn tree(random: &mut Random, probe: &Probe) -> Tree {
    let depth = random.below(6);
    integer(random, probe, depth)
}

fn integer(random: &mut Random, probe: &Probe, depth: usize) -> Tree {
    if depth == 0 {
        return integer_leaf(random, probe);
    }
    let depth = depth - 1;
    match random.below(12) {
        0 => {
            let operators = [Unary::Plus, Unary::Minus, Unary::Not, Unary::BitNot];
            Tree::Unary(
                random.pick(&operators),
                Box::new(integer(random, probe, depth)),
            )
        }
        1 => Tree::Unary(Unary::Not, Box::new(double(random, probe, depth))),
        2 => {
            let operator = random.pick(&[Binary::BitAnd, Binary::BitXor, Binary::BitOr]);
            let left = integer(random, probe, depth);
            pair(operator, left, integer(random, probe, depth))
        }
        3 => {
            let operator = random.pick(&[Binary::LeftShift, Binary::RightShift]);
            let left = integer(random, probe, depth);
            let by = if random.chance(80) {
                Tree::Integer(random.below(64) as i64)
            } else {
                integer(random, probe, depth)
            };
            pair(operator, left, by)
        }
        4 | 5 => {
            let (operator, _, _) = Binary::TABLE[5 + random.below(6)];
            let left = number(random, probe, depth);
            pair(operator, left, number(random, probe, depth))
        }
        6..=8 => texts(random, probe),
        _ => {
            let operator = random.pick(&[Binary::And, Binary::Or]);
            let left = number(random, probe, depth);
            pair(operator, left, number(random, probe, depth))
        }
    }
}

fn pair(operator: Binary, left: Tree, right: Tree) -> Tree {
    Tree::Binary(operator, Box::new(left), Box::new(right))
}

fn number(random: &mut Random, probe: &Probe, depth: usize) -> Tree {
    if random.chance(75) {
        integer(random, probe, depth)
    } else {
        double(random, probe, depth)
    }
}

fn integer_leaf(random: &mut Random, probe: &Probe) -> Tree {
    let name = match random.below(100) {
        0 => Some(Name::Argument("nowhere".into())),
        1 => Some(Name::Missing(
            random.pick(&["a.b", "a[7].c", "$app.p:t"]).into(),
        )),
        2..=50 => named(random, probe, |kind| {
            !is_text(kind) && !kind.starts_with('f')
        })
        .map(Name::Argument),
        51..=65 => named(random, probe, |kind| kind.starts_with("bytes"))
            .map(|name| Name::Byte(name, random.pick(&LENGTHS) as u64)),
        66..=72 => {
            let numbers = ["vtid", "vpid", "cpu_id", "pthread_id", "ip"];
            Some(Name::Context(random.pick(&numbers).into()))
        }
        _ => None,
    };
    name.map_or_else(|| Tree::Integer(edge(random)), Tree::Name)
}

fn double(random: &mut Random, probe: &Probe, depth: usize) -> Tree {
    if depth > 0 && random.chance(20) {
        let operator = random.pick(&[Unary::Plus, Unary::Minus]);
        return Tree::Unary(operator, Box::new(double(random, probe, depth - 1)));
    }
    match named(random, probe, |kind| kind.starts_with('f')) {
        Some(name) if random.chance(70) => Tree::Name(Name::Argument(name)),
        _ => Tree::Double(random.pick(&DOUBLES)),
    }
}

/// Two texts compared. LTTng compares no two patterns.
fn texts(random: &mut Random, probe: &Probe) -> Tree {
    let operator = random.pick(&[Binary::Equal, Binary::NotEqual]);
    let one = text_name(random, probe);
    let (one, other) = match random.below(10) {
        0 => {
            let mut plain = literal(random);
            plain.retain(|piece| *piece != Piece::Star);
            (Tree::Text(plain), Tree::Text(literal(random)))
        }
        1 | 2 => (one, text_name(random, probe)),
        _ => (one, Tree::Text(literal(random))),
    };
    if random.chance(50) {
        pair(operator, one, other)
    } else {
        pair(operator, other, one)
    }
}

fn text_name(random: &mut Random, probe: &Probe) -> Tree {
    let name = named(random, probe, is_text);
    Tree::Name(name.map_or(Name::Context("procname".into()), Name::Argument))
}

pub fn is_text(kind: &str) -> bool {
    ["cstr", "str", "bytes"]
        .iter()
        .any(|begin| kind.starts_with(begin))
}

fn named(random: &mut Random, probe: &Probe, is_wanted: fn(&str) -> bool) -> Option<String> {
    let wanted = probe.iter().filter(|(kind, _)| is_wanted(kind));
    let names: Vec<_> = wanted.map(|(_, name)| *name).collect();
    (!names.is_empty()).then(|| random.pick(&names).into())
}

fn literal(random: &mut Random) -> Vec<Piece> {
    let mut bytes = word(random.pick(&LENGTHS));
    if !bytes.is_empty() && random.chance(30) {
        let place = random.below(bytes.len());
        bytes[place] = random.pick(br#"A*\"?L "#);
    }
    if random.chance(5) {
        bytes.extend("größe".bytes());
    }
    let mut pieces: Vec<_> = bytes.into_iter().map(Piece::Byte).collect();
    match random.below(10) {
        0 | 1 => pieces.push(Piece::Star),
        2 => pieces.insert(0, Piece::Star),
        3 => {
            for _ in 0..1 + random.below(3) {
                // Only between letters of one byte: a star within `ö` would leave no UTF-8.
                let ascii = pieces.iter().take_while(|piece| is_ascii(**piece)).count();
                pieces.insert(random.below(ascii + 1), Piece::Star);
            }
        }
        _ => {}
    }
    pieces
}

fn is_ascii(piece: Piece) -> bool {
    !matches!(piece, Piece::Byte(byte) if !byte.is_ascii())
}
