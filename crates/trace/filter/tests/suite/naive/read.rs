//! Text to a tree, after `filter-lexer.l` and `filter-parser.y` of lttng-tools, and what its next steps refuse
//! (`filter-visitor-generate-ir.c`, `filter-visitor-ir-validate-string.c`).

use super::{Binary, Name, Piece, Refused, Tree, Unary};

#[derive(Debug, Clone, PartialEq)]
enum Token<'t> {
    Integer(u64),
    Double(f64),
    Text(Vec<Piece>),
    /// An identifier, or one behind a `$`.
    Name(&'t str),
    Symbol(&'t str),
}

/// Reads an expression.
pub fn read(text: &str) -> Result<Tree, Refused> {
    let mut tokens = tokens(text)?;
    tokens.reverse();
    let mut reader = Reader { tokens };
    let tree = reader.binary(1)?;
    match reader.tokens.pop() {
        None => Ok(tree),
        Some(Token::Symbol("+" | "-" | "*" | "/" | "%")) => Err(Refused("arithmetic")),
        Some(_) => Err(Refused("more than an expression")),
    }
}

struct Reader<'t> {
    /// The next one is the last.
    tokens: Vec<Token<'t>>,
}

impl<'t> Reader<'t> {
    fn takes(&mut self, symbol: &str) -> bool {
        let is_next = matches!(self.tokens.last(), Some(Token::Symbol(next)) if *next == symbol);
        if is_next {
            self.tokens.pop();
        }
        is_next
    }

    /// Operators that bind at least so tightly, grouped from the left.
    fn binary(&mut self, at_least: u8) -> Result<Tree, Refused> {
        let mut left = self.unary()?;
        while let Some(Token::Symbol(next)) = self.tokens.last() {
            let mut rows = Binary::TABLE.iter();
            let row = rows.find(|(_, symbol, binds)| symbol == next && *binds >= at_least);
            let Some((operator, _, binds)) = row else {
                break;
            };
            self.tokens.pop();
            let right = self.binary(binds + 1)?;
            left = Tree::Binary(*operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Tree, Refused> {
        let operator = match self.tokens.pop().ok_or(Refused("the end"))? {
            Token::Symbol("+") => Unary::Plus,
            Token::Symbol("-") => Unary::Minus,
            Token::Symbol("!") => Unary::Not,
            Token::Symbol("~") => Unary::BitNot,
            Token::Symbol("(") => {
                let inside = self.binary(1)?;
                let is_closed = self.takes(")");
                return is_closed
                    .then_some(inside)
                    .ok_or(Refused("an open bracket"));
            }
            Token::Symbol(_) => return Err(Refused("a symbol in place of a value")),
            Token::Integer(constant) => return Ok(Tree::Integer(constant as i64)),
            Token::Double(constant) => return Ok(Tree::Double(constant)),
            Token::Text(pieces) => return Ok(Tree::Text(pieces)),
            Token::Name(name) => return self.path(name).map(Tree::Name),
        };
        Ok(Tree::Unary(operator, Box::new(self.unary()?)))
    }

    fn path(&mut self, first: &str) -> Result<Name, Refused> {
        if first.starts_with('$') {
            if !self.takes(".") {
                return Err(Refused("nothing of the context"));
            }
            let name = self.name()?.to_owned();
            return match (first, self.parts()?.as_slice()) {
                ("$app", _) => Ok(Name::Missing(format!("$app.{name}"))),
                ("$ctx", []) => Ok(Name::Context(name)),
                ("$ctx", _) => Err(Refused("a part of the context")),
                _ => Err(Refused("neither $ctx nor $app")),
            };
        }
        Ok(match self.parts()?.as_slice() {
            [] => Name::Argument(first.into()),
            [Part::Index(index)] => Name::Byte(first.into(), *index),
            parts => Name::Missing(
                parts
                    .iter()
                    .fold(first.to_owned(), |path, part| match part {
                        Part::Index(index) => format!("{path}[{index}]"),
                        Part::Name(name) => format!("{path}.{name}"),
                    }),
            ),
        })
    }

    fn name(&mut self) -> Result<&'t str, Refused> {
        match self.tokens.pop() {
            Some(Token::Name(name)) if !name.starts_with('$') => Ok(name),
            _ => Err(Refused("no name behind the dot")),
        }
    }

    /// What follows a name. An index of an index is no filter of ours: LTTng forgets it.
    fn parts(&mut self) -> Result<Vec<Part<'t>>, Refused> {
        let mut parts = Vec::new();
        loop {
            if self.takes(".") {
                parts.push(Part::Name(self.name()?));
            } else if self.takes("[") {
                let Some(Token::Integer(index)) = self.tokens.pop() else {
                    return Err(Refused("an index that is no constant"));
                };
                if !self.takes("]") || matches!(parts.last(), Some(Part::Index(_))) {
                    return Err(Refused("more than one index"));
                }
                parts.push(Part::Index(index));
            } else {
                return Ok(parts);
            }
        }
    }
}

enum Part<'t> {
    Name(&'t str),
    Index(u64),
}

fn tokens(text: &str) -> Result<Vec<Token<'_>>, Refused> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n']);
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment
                .split_once("*/")
                .ok_or(Refused("an open comment"))?
                .1;
        } else if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once('\n').map_or("", |(_, behind)| behind);
        } else if rest.is_empty() {
            return Ok(tokens);
        } else {
            let (token, behind) = token(rest)?;
            tokens.push(token);
            rest = behind;
        }
    }
}

const SYMBOLS: [&str; 25] = [
    "&&", "||", "<<", ">>", "==", "!=", "<=", ">=", "(", ")", "[", "]", "*", "+", "-", "%", "/",
    "<", ">", "!", "^", "&", "|", "~", ".",
];

/// The first token of a text, and what is behind it.
fn token(text: &str) -> Result<(Token<'_>, &str), Refused> {
    let quoted = text.strip_prefix('L').unwrap_or(text);
    if let Some(quote) = quoted
        .chars()
        .next()
        .filter(|first| ['"', '\''].contains(first))
    {
        let inside = quoted[1..].split_once(quote);
        let (inside, behind) = inside.ok_or(Refused("an open literal"))?;
        if quote == '\'' && inside.is_empty() {
            return Err(Refused("a character constant without a character"));
        }
        return Ok((Token::Text(pieces(inside)?), behind));
    }
    let name = text.strip_prefix('$').unwrap_or(text);
    if name.starts_with(|first: char| is_of_name(first) && !first.is_ascii_digit()) {
        let end = name
            .find(|next: char| !is_of_name(next))
            .unwrap_or(name.len());
        let (name, behind) = text.split_at(text.len() - name.len() + end);
        return Ok((Token::Name(name), behind));
    }
    let after_dot = text.strip_prefix('.').unwrap_or(text);
    if after_dot.starts_with(|first: char| first.is_ascii_digit()) {
        return number(text);
    }
    // `->` is a dot for LTTng, and a part of nothing for us.
    if text.starts_with("->") {
        return Err(Refused("an arrow"));
    }
    let mut symbols = SYMBOLS.iter();
    let symbol = symbols.find(|symbol| text.starts_with(**symbol));
    let symbol = symbol.ok_or(Refused("a character without meaning"))?;
    let (symbol, behind) = text.split_at(symbol.len());
    Ok((Token::Symbol(symbol), behind))
}

fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || ['_', ':'].contains(&letter)
}

/// What a literal means. A line break within it is nothing.
fn pieces(inside: &str) -> Result<Vec<Piece>, Refused> {
    let mut bytes = inside.bytes().filter(|byte| *byte != b'\n');
    let mut pieces = Vec::new();
    while let Some(byte) = bytes.next() {
        pieces.push(match byte {
            b'*' => Piece::Star,
            b'\\' => match bytes.next() {
                Some(byte @ (b'\\' | b'*')) => Piece::Byte(byte),
                _ => return Err(Refused("an escape other than of star and backslash")),
            },
            byte => Piece::Byte(byte),
        });
    }
    Ok(pieces)
}

/// A constant. One beyond 64 bits is the largest.
fn number(text: &str) -> Result<(Token<'_>, &str), Refused> {
    let hexadecimal = text.strip_prefix("0x").or(text.strip_prefix("0X"));
    let (base, exponent, digits) = match hexadecimal {
        Some(digits) => (16, 'p', digits),
        None => (10, 'e', text),
    };
    let (whole, rest) = split_digits(digits, base);
    let (fraction, rest, has_dot) = match rest.strip_prefix('.') {
        Some(behind) => {
            let (fraction, rest) = split_digits(behind, base);
            (fraction, rest, true)
        }
        None => ("", rest, false),
    };
    if whole.len() + fraction.len() == 0 {
        return Err(Refused("a number without digits"));
    }
    let power = power(rest, exponent);
    if has_dot || power.is_some() {
        let (power, rest) = power.unwrap_or((0, rest));
        let behind = rest.strip_prefix(['f', 'F', 'l', 'L']).unwrap_or(rest);
        let value = if base == 16 {
            let all = u64::from_str_radix(&format!("{whole}{fraction}"), 16);
            let all = all.map_err(|_| Refused("more than 64 bits in a hexadecimal double"))?;
            scaled(all as f64, power - 4 * fraction.len() as i32)
        } else {
            let decimal = format!("{whole}.{fraction}e{power}");
            let decimal = if whole.is_empty() {
                format!("0{decimal}")
            } else {
                decimal
            };
            decimal.parse().map_err(|_| Refused("no decimal double"))?
        };
        return Ok((Token::Double(value), behind));
    }
    let base = if base == 10 && whole.starts_with('0') {
        8
    } else {
        base
    };
    let mut value = 0_u64;
    for digit in whole.chars() {
        let digit = digit
            .to_digit(base)
            .ok_or(Refused("a digit beyond the base"))?;
        value = value
            .saturating_mul(base.into())
            .saturating_add(digit.into());
    }
    let mut suffixes = ["ull", "llu", "ul", "lu", "ll", "u", "l", ""].into_iter();
    let suffix = suffixes.find(|suffix| {
        // The two letters of `ll` are both small or both large.
        let cut = rest.get(..suffix.len()).unwrap_or_default();
        cut.eq_ignore_ascii_case(suffix) && !cut.contains("lL") && !cut.contains("Ll")
    });
    Ok((Token::Integer(value), &rest[suffix.map_or(0, str::len)..]))
}

fn split_digits(text: &str, base: u32) -> (&str, &str) {
    let end = text.find(|next: char| !next.is_digit(base));
    text.split_at(end.unwrap_or(text.len()))
}

/// The exponent behind its letter, if there is one, and what is behind it.
fn power(text: &str, letter: char) -> Option<(i32, &str)> {
    let signed = text.strip_prefix([letter, letter.to_ascii_uppercase()])?;
    let digits = signed.strip_prefix(['+', '-']).unwrap_or(signed);
    let (digits, behind) = split_digits(digits, 10);
    let size = digits.parse::<i32>().ok()?;
    Some((if signed.starts_with('-') { -size } else { size }, behind))
}

/// In steps, as a power of two may be too small for a double where the product is not.
fn scaled(mut value: f64, power: i32) -> f64 {
    for _ in 0..power.unsigned_abs().min(4096) {
        value *= if power < 0 { 0.5 } else { 2.0 };
    }
    value
}
