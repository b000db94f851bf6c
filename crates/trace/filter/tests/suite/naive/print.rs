//! Expressions as people could write them: with more brackets, blanks and comments than needed, constants in all forms.

use super::random::Random;
use super::{Binary, Name, Piece, Tree, Unary};

/// The expression as text: its tokens with something between them, or nothing.
pub fn printed(random: &mut Random, tree: &Tree) -> String {
    let tokens = tokens(random, tree);
    let mut text = gap(random).to_owned();
    for token in tokens {
        text += &token;
        text += gap(random);
    }
    text
}

/// The expression's tokens. No two of them become another one when they meet.
pub fn tokens(random: &mut Random, tree: &Tree) -> Vec<String> {
    let mut tokens = Vec::new();
    put(random, tree, 0, &mut tokens);
    tokens
}

fn gap(random: &mut Random) -> &'static str {
    const GAPS: [&str; 8] = [
        "  ",
        "\t",
        "\n",
        " \n\t",
        "/**/",
        "/***/",
        "/* a && \"b */",
        "// 'x' /*\n",
    ];
    match random.below(10) {
        0..=5 => "",
        6..=8 => " ",
        _ => random.pick(&GAPS),
    }
}

/// Above this only constants and names are.
const UNARY: u8 = 9;

fn put(random: &mut Random, tree: &Tree, at_least: u8, to: &mut Vec<String>) {
    let binds = match tree {
        Tree::Unary(..) => UNARY,
        Tree::Binary(operator, ..) => row(*operator).1,
        _ => u8::MAX,
    };
    let in_brackets = binds < at_least || random.chance(8);
    if in_brackets {
        to.push("(".into());
    }
    match tree {
        Tree::Integer(constant) => to.push(integer(random, *constant as u64)),
        Tree::Double(constant) => to.push(double(random, *constant)),
        Tree::Text(pieces) => to.push(literal(random, pieces)),
        Tree::Name(Name::Argument(name) | Name::Missing(name)) => to.push(name.clone()),
        Tree::Name(Name::Context(name)) => {
            to.extend(["$ctx", ".", name.as_str()].map(String::from));
        }
        Tree::Name(Name::Byte(name, index)) => {
            to.extend([name.as_str(), "["].map(String::from));
            to.push(integer(random, *index));
            to.push("]".into());
        }
        Tree::Unary(operator, of) => {
            let symbol = match operator {
                Unary::Plus => "+",
                Unary::Minus => "-",
                Unary::Not => "!",
                Unary::BitNot => "~",
            };
            to.push(symbol.into());
            put(random, of, UNARY, to);
        }
        Tree::Binary(operator, left, right) => {
            // All of them group from the left.
            put(random, left, binds, to);
            to.push(row(*operator).0.into());
            put(random, right, binds + 1, to);
        }
    }
    if in_brackets {
        to.push(")".into());
    }
}

fn row(operator: Binary) -> (&'static str, u8) {
    let mut rows = Binary::TABLE.iter();
    let found = rows.find(|(each, _, _)| *each == operator);
    let (_, symbol, binds) = found.expect("all operators are in the table");
    (symbol, *binds)
}

/// LTTng's `0u` is no constant, so nothing follows a zero.
fn integer(random: &mut Random, constant: u64) -> String {
    const SUFFIXES: [&str; 12] = [
        "u", "U", "l", "L", "ul", "UL", "ull", "ULL", "ll", "LL", "lu", "LLu",
    ];
    let digits = match random.below(6) {
        0 => format!("0{constant:o}"),
        1 => format!("{constant:#x}"),
        2 => format!("0x{constant:X}"),
        _ => constant.to_string(),
    };
    let has_suffix = constant != 0 && random.chance(20);
    let suffix = if has_suffix {
        random.pick(&SUFFIXES)
    } else {
        ""
    };
    digits + suffix
}

fn double(random: &mut Random, constant: f64) -> String {
    if constant.is_infinite() {
        return "1e999".into();
    }
    let digits = match random.below(6) {
        0 => format!("{constant:e}"),
        1 => format!("{constant:E}"),
        2 => hexadecimal(constant),
        3 => format!("{constant:?}").trim_start_matches('0').to_owned(),
        4 => {
            let digits = format!("{constant:?}");
            let whole = digits.strip_suffix(".0").map(|whole| format!("{whole}."));
            whole.unwrap_or(digits)
        }
        _ => format!("{constant:?}"),
    };
    let suffix = if random.chance(20) {
        random.pick(&["f", "F", "l", "L"])
    } else {
        ""
    };
    digits + suffix
}

/// Sign apart, a double is its 52 lower bits behind a 1, or a 0 if it is very small, times a power of two.
fn hexadecimal(constant: f64) -> String {
    let (bits, fraction) = (constant.to_bits(), constant.to_bits() & ((1 << 52) - 1));
    match (bits >> 52) & 0x7ff {
        0 => format!("0x0.{fraction:013x}p-1022"),
        exponent => format!("0x1.{fraction:013x}p{}", exponent as i64 - 1023),
    }
}

fn literal(random: &mut Random, pieces: &[Piece]) -> String {
    let has = |byte| pieces.contains(&Piece::Byte(byte));
    // There is no escape for a quote, and `''` is no literal.
    let quote = if has(b'"') {
        '\''
    } else if has(b'\'') || pieces.is_empty() || random.chance(60) {
        '"'
    } else {
        '\''
    };
    let mut bytes = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Star => bytes.push(b'*'),
            Piece::Byte(byte @ (b'*' | b'\\')) => bytes.extend([b'\\', *byte]),
            Piece::Byte(byte) => bytes.push(*byte),
        }
    }
    let text = String::from_utf8(bytes).expect("literals are UTF-8");
    let prefix = if random.chance(15) { "L" } else { "" };
    format!("{prefix}{quote}{text}{quote}")
}
