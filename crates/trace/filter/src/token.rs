//! An expression as tokens, which are those of LTTng.

use std::ops::Range;

use crate::number::{Number, number};
use crate::problem::{Problem, ProblemKind};

/// Most bytes of an expression.
pub const LONGEST_EXPRESSION: usize = 4096;

/// A token, and where it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Token<'a> {
    /// Its bytes in the expression.
    pub at: Range<usize>,
    /// What it is.
    pub kind: TokenKind<'a>,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TokenKind<'a> {
    /// A constant.
    Number(Number),
    /// What is between quotes, as it is written.
    Text(&'a str),
    /// A name. It may have colons, as names of application contexts do.
    Name(&'a str),
    /// A name with `$` in front.
    Global(&'a str),
    /// An operator, a bracket or another sign.
    Sign(&'a str),
}

/// Signs, the longer ones first.
const SIGNS: [&str; 34] = [
    "...", "->", ">>", "<<", "==", "!=", "<=", ">=", "&&", "||", ":=", "[", "]", "(", ")", "{",
    "}", "*", "+", "-", "%", "/", "<", ">", "!", ":", ";", ".", "=", ",", "&", "|", "^", "~",
];

/// Splits an expression. Spaces and comments, `/* */` and `//`, separate tokens; a comment need not end.
///
/// # Errors
/// When the expression is too long, or something in it begins no token.
pub fn tokens(text: &str) -> Result<Vec<Token<'_>>, Problem> {
    if text.len() > LONGEST_EXPRESSION {
        return Err(Problem::new(0..0, ProblemKind::TooLong(text.len())));
    }
    // A text ends there for everybody else.
    if let Some(at) = text.find('\0') {
        return Err(Problem::new(at..at + 1, ProblemKind::Character('\0')));
    }
    let mut tokens = Vec::new();
    let mut at = blank(text);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let (length, kind) = token(rest).map_err(|problem| Problem {
            at: at + problem.at.start..at + problem.at.end,
            ..problem
        })?;
        tokens.push(Token {
            at: at..at + length,
            kind,
        });
        at += length;
        at += blank(text.get(at..).unwrap_or_default());
    }
    Ok(tokens)
}

/// The length of spaces and comments at the beginning.
fn blank(text: &str) -> usize {
    let mut length = 0;
    loop {
        let rest = text.get(length..).unwrap_or_default();
        let passed = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(inside) = rest.strip_prefix("/*") {
            let end = inside.find("*/");
            end.map_or(rest.len(), |end| end + "/**/".len())
        } else {
            rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len()
        };
        if passed == 0 {
            return length;
        }
        length += passed;
    }
}

/// The token at the beginning of a text, which is not empty, and its length.
fn token(text: &str) -> Result<(usize, TokenKind<'_>), Problem> {
    let mut letters = text.chars();
    let (first, second) = (letters.next().unwrap_or_default(), letters.next());
    let begins_number = first.is_ascii_digit()
        || (first == '.' && second.is_some_and(|second| second.is_ascii_digit()));
    let is_wide = first == 'L' && matches!(second, Some('"' | '\''));
    if is_wide || matches!(first, '"' | '\'') {
        return quoted(text, usize::from(is_wide));
    }
    if begins_number {
        let word = text.get(..number_length(text)).unwrap_or(text);
        let kind = number(word).map(TokenKind::Number);
        let problem = || Problem::new(0..word.len(), ProblemKind::Number(word.to_owned()));
        return Ok((word.len(), kind.ok_or_else(problem)?));
    }
    if first == '$' {
        let length = 1 + name_length(text.get(1..).unwrap_or_default());
        if length > 1 {
            let name = text.get(..length).unwrap_or(text);
            return Ok((length, TokenKind::Global(name)));
        }
    }
    let name = text.get(..name_length(text)).unwrap_or_default();
    let is_sign = name.is_empty() || name == ":" || text.starts_with(":=");
    if !is_sign {
        return Ok((name.len(), TokenKind::Name(name)));
    }
    let sign = SIGNS.iter().find_map(|sign| {
        let length = text.starts_with(sign).then_some(sign.len())?;
        text.get(..length)
    });
    match sign {
        Some(sign) => Ok((sign.len(), TokenKind::Sign(sign))),
        None => Err(Problem::new(
            0..first.len_utf8(),
            ProblemKind::Character(first),
        )),
    }
}

/// A text between quotes, which begins behind so many bytes. No escape hides the quote that ends it.
fn quoted(text: &str, before: usize) -> Result<(usize, TokenKind<'_>), Problem> {
    let rest = text.get(before..).unwrap_or_default();
    let quote = rest.chars().next().unwrap_or('"');
    let inside = rest.get(1..).unwrap_or_default();
    let end = inside
        .find(quote)
        .ok_or_else(|| Problem::new(0..text.len(), ProblemKind::OpenText(quote)))?;
    let inside = inside.get(..end).unwrap_or(inside);
    let length = before + 1 + end + 1;
    if inside.is_empty() && quote == '\'' {
        let empty = "`\"\"` for an empty text";
        return Err(Problem::expected(0..length, empty, "`''`"));
    }
    Ok((length, TokenKind::Text(inside)))
}

/// The length of what looks like a number: what is not one as a whole is an error, as nothing can follow a number
/// without a space or a sign.
fn number_length(text: &str) -> usize {
    let exponent = if text.starts_with("0x") || text.starts_with("0X") {
        ['p', 'P']
    } else {
        ['e', 'E']
    };
    let mut before = None;
    let end = text.find(|letter: char| {
        let is_sign_of_exponent =
            matches!(letter, '+' | '-') && before.is_some_and(|before| exponent.contains(&before));
        before = Some(letter);
        !(letter.is_alphanumeric() || matches!(letter, '_' | '.' | ':') || is_sign_of_exponent)
    });
    end.unwrap_or(text.len())
}

/// The length of a name at the beginning. Letters of any alphabet count, and `$` behind the first, as arguments may be
/// called so; LTTng takes ASCII letters only.
fn name_length(text: &str) -> usize {
    let is_first = |letter: char| letter.is_alphabetic() || matches!(letter, '_' | ':');
    if !text.starts_with(is_first) {
        return 0;
    }
    let end =
        text.find(|letter: char| !(is_first(letter) || letter.is_alphanumeric() || letter == '$'));
    end.unwrap_or(text.len())
}
