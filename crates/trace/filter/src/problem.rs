//! What is wrong with an expression, and where.

use std::ops::Range;

use perflab_bpf::{LONGEST_LITERAL, MOST_IMPORTS};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::token::LONGEST_EXPRESSION;
use crate::tree::DEEPEST;

/// Columns that are shown of a long line: before the place, of it, and behind it.
const BEFORE: usize = 30;
const MARKED: usize = 40;
const BEHIND: usize = 30;

/// What is wrong with an expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct Problem {
    /// The bytes of the expression that it is about. They are none where something is missing at its end.
    pub at: Range<usize>,
    /// What is wrong.
    pub kind: ProblemKind,
}

/// What can be wrong with an expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProblemKind {
    /// It has so many bytes.
    #[error("the expression has {0} bytes, expected at most {most}", most = LONGEST_EXPRESSION)]
    TooLong(usize),
    /// It has no token.
    #[error("the expression is empty, expected a condition such as `size > 512`")]
    Empty,
    /// It is nested deeper than the limit.
    #[error("the expression is nested deeper than {most} levels", most = DEEPEST)]
    TooDeep,
    /// No token begins so.
    #[error("`{}` has no meaning in an expression", printable(.0))]
    Character(char),
    /// A text without the quote that ends it.
    #[error(
        "the text has no closing {0}; write a text that contains a quote between quotes of the other kind"
    )]
    OpenText(char),
    /// A backslash that is none of the two escapes.
    #[error(
        "expected `*` or `\\` behind a backslash in a text: there are no other escapes, as in LTTng"
    )]
    Escape,
    /// A text has so many bytes.
    #[error("the text has {0} bytes, expected at most {most}", most = LONGEST_LITERAL)]
    TextTooLong(usize),
    /// Something that begins as a number does.
    #[error(
        "`{0}` is no number: expected digits, octal ones after 0 and hexadecimal ones after 0x, or a point"
    )]
    Number(String),
    /// Another token or another type than there must be.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What would be right.
        expected: String,
        /// What is there.
        found: String,
    },
    /// An operator of C that computes.
    #[error("arithmetic is not supported, as in LTTng: `{0}` between two values")]
    Arithmetic(String),
    /// A second index.
    #[error("a value has one index at most")]
    SecondIndex,
    /// `$` and a name that stands for nothing.
    #[error("`{0}` is unknown, expected `$ctx` or `$app`")]
    Global(String),
    /// No such context.
    #[error("no context is called `{name}`: {help}")]
    Context {
        /// What is behind `$ctx.`.
        name: String,
        /// Which there are.
        help: String,
    },
    /// The probe has no such argument, or its arguments have no such part, so it never records.
    #[error("no argument is called `{name}`: {help}")]
    Missing {
        /// As it is written.
        name: String,
        /// Which there are.
        help: String,
    },
    /// Each argument is one of some probe, but no probe has all.
    #[error("no probe has all of the arguments {0}")]
    Apart(String),
    /// It has more names than a program may import.
    #[error("the expression has more than {most} different names", most = MOST_IMPORTS)]
    TooManyNames,
    /// A text and a number, in their order there.
    #[error("{0}{comma} cannot be compared with {1}", comma = if .0.contains(',') { "," } else { "" })]
    Mixed(String, String),
    /// Two texts are ordered.
    #[error("two texts are compared by `==` or `!=`, not by order")]
    Order,
    /// Neither side of a comparison is a text without wildcards.
    #[error("two patterns cannot be compared: expected a text without `*` on one side")]
    Patterns,
}

impl Problem {
    pub(crate) fn new(at: Range<usize>, kind: ProblemKind) -> Self {
        Self { at, kind }
    }

    pub(crate) fn expected(
        at: Range<usize>,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        let (expected, found) = (expected.into(), found.into());
        Self::new(at, ProblemKind::Expected { expected, found })
    }

    /// Whether the probe lacks a name that the expression has: then it never records, and another probe may.
    pub fn is_missing(&self) -> bool {
        matches!(
            self.kind,
            ProblemKind::Missing { .. } | ProblemKind::Apart(_)
        )
    }

    /// The problem, the line of the expression that it is in, and a line of carets below the place. Of a long line only
    /// what is around the place is shown, and control characters are replaced.
    pub fn shown(&self, expression: &str) -> String {
        let message = self.to_string();
        if matches!(self.kind, ProblemKind::TooLong(_) | ProblemKind::Empty) {
            return message;
        }
        let begin = expression.get(..self.at.start).unwrap_or(expression);
        let line_at = begin.rfind('\n').map_or(0, |end| end + 1);
        let line = expression.get(line_at..).unwrap_or_default();
        let line = line.split('\n').next().unwrap_or_default();
        let (before, rest) = line.split_at(begin.len() - line_at);
        let marked = rest.get(..self.at.len()).unwrap_or(rest);
        let behind = rest.get(marked.len()..).unwrap_or_default();

        let before = backwards(&cut(before.chars().rev(), BEFORE));
        let (marked, behind) = (cut(marked.chars(), MARKED), cut(behind.chars(), BEHIND));
        let (space, carets) = (
            " ".repeat(before.width()),
            "^".repeat(marked.width().max(1)),
        );
        format!("{message}\n  {before}{marked}{behind}\n  {space}{carets}")
    }
}

/// The first columns of a text, and dots instead of the others.
fn cut(letters: impl Iterator<Item = char>, columns: usize) -> String {
    let mut shown = String::new();
    let mut left = columns;
    for letter in letters {
        let letter = printable(&letter);
        match left.checked_sub(letter.width().unwrap_or(0)) {
            Some(rest) => left = rest,
            None => return shown + "...",
        }
        shown.push(letter);
    }
    shown
}

fn printable(letter: &char) -> char {
    match letter {
        '\t' => ' ',
        control if control.is_control() => char::REPLACEMENT_CHARACTER,
        other => *other,
    }
}

fn backwards(text: &str) -> String {
    text.chars().rev().collect()
}
