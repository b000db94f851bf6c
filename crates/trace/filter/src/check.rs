//! An expression against the arguments of probes: types, imports, and constants computed.

use std::ops::Range;
use std::slice;

use perflab_bpf::{Class, ContextField, MOST_IMPORTS};

use crate::fields::{Field, Fields, instead_of, suggestion};
use crate::fold;
use crate::literal::{How, Literal};
use crate::number::Number;
use crate::problem::{Problem, ProblemKind};
use crate::program::Import;
use crate::tree::{BinaryOp, Name, Node, NodeId, NodeKind, Tree, UnaryOp};

/// An expression whose types are right for a probe.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// All names of the expression, in their order there, also those that a constant makes useless: as in LTTng a
    /// probe that lacks one never records.
    pub imports: Vec<Import>,
    terms: Vec<Typed>,
}

/// A node, and what it is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Typed {
    pub term: Term,
    pub class: Class,
}

/// A node whose names are imports.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Term {
    Number(Number),
    Literal(Literal),
    Import(u8),
    /// A byte of a text, from 0 to 255.
    Byte(u8, u32),
    Unary(UnaryOp, NodeId),
    Binary(BinaryOp, NodeId, NodeId),
}

impl Typed {
    fn number(number: Number) -> Self {
        let class = match number {
            Number::Integer(_) => Class::Integer,
            Number::Double(_) => Class::Double,
        };
        Self {
            term: Term::Number(number),
            class,
        }
    }
}

impl Checked {
    /// The number of the root.
    pub(crate) fn root(&self) -> NodeId {
        self.terms.len().saturating_sub(1)
    }

    /// What a node is; the numbers are those of the tree.
    pub(crate) fn typed(&self, id: NodeId) -> &Typed {
        &self.terms[id]
    }

    fn constant(&self, id: NodeId) -> Option<Number> {
        match self.typed(id).term {
            Term::Number(number) => Some(number),
            _ => None,
        }
    }

    fn literal(&self, id: NodeId) -> Option<&Literal> {
        match &self.typed(id).term {
            Term::Literal(literal) => Some(literal),
            _ => None,
        }
    }
}

/// Checks an expression against the arguments of one probe.
///
/// # Errors
/// The first problem. It is [`Problem::is_missing`] where the probe lacks a name, so that it never records.
pub fn check(tree: &Tree, fields: &Fields<'_>) -> Result<Checked, Problem> {
    let mut checker = Checker {
        tree,
        fields,
        checked: Checked {
            imports: Vec::new(),
            terms: Vec::new(),
        },
    };
    for node in tree.nodes() {
        let typed = checker.typed(node)?;
        checker.checked.terms.push(typed);
    }
    let root = checker.checked.root();
    checker.operand(root, &[Class::Integer], CONDITION)?;
    Ok(checker.checked)
}

const NUMBERS: &[Class] = &[Class::Integer, Class::Double];

const CONDITION: &str = "a condition such as a comparison";

/// What names of the context begin with.
const CONTEXT: &str = "$ctx.";

struct Checker<'t, 'f> {
    tree: &'t Tree,
    fields: &'f Fields<'f>,
    checked: Checked,
}

impl Checker<'_, '_> {
    fn typed(&mut self, node: &Node) -> Result<Typed, Problem> {
        match &node.kind {
            NodeKind::Number(number) => Ok(Typed::number(*number)),
            NodeKind::Literal(literal) => Ok(Typed {
                term: Term::Literal(literal.clone()),
                class: Class::Text,
            }),
            NodeKind::Name(name, index) => self.name(&node.at, name, *index),
            NodeKind::Unary(operator, operand) => self.unary(*operator, *operand),
            NodeKind::Binary(operator, left, right) => {
                self.binary(&node.at, *operator, *left, *right)
            }
        }
    }

    fn name(
        &mut self,
        at: &Range<usize>,
        name: &Name,
        index: Option<u32>,
    ) -> Result<Typed, Problem> {
        let (import, field) = match name {
            Name::Argument(name) => {
                let field = self.fields.field(name);
                let missing = || missing(at, name, slice::from_ref(self.fields));
                (name.clone(), field.ok_or_else(missing)?)
            }
            Name::Context(name) => (format!("{CONTEXT}{name}"), context(at, name)?),
            Name::Nothing(written) => return Err(nothing(at, written)),
        };
        let class = field.class;
        match index {
            None => Ok(Typed {
                term: Term::Import(self.import(at, class, import)?),
                class,
            }),
            Some(index) if field.has_bytes => Ok(Typed {
                term: Term::Byte(self.import(at, class, import)?, index),
                class: Class::Integer,
            }),
            Some(_) => Err(Problem::expected(
                at.clone(),
                "an argument of type `bytes` in front of an index",
                format!("`{import}`, {}", with_article(class)),
            )),
        }
    }

    fn import(&mut self, at: &Range<usize>, class: Class, name: String) -> Result<u8, Problem> {
        let imports = &mut self.checked.imports;
        let known = imports.iter().position(|import| import.name == name);
        let place = known.unwrap_or(imports.len());
        if known.is_none() {
            imports.push(Import { class, name });
        }
        u8::try_from(place)
            .ok()
            .filter(|_| place < MOST_IMPORTS)
            .ok_or_else(|| Problem::new(at.clone(), ProblemKind::TooManyNames))
    }

    fn unary(&self, operator: UnaryOp, operand: NodeId) -> Result<Typed, Problem> {
        let class = match operator {
            UnaryOp::Plus | UnaryOp::Minus => self.operand(operand, NUMBERS, "a number")?,
            UnaryOp::Not => {
                self.operand(operand, NUMBERS, CONDITION)?;
                Class::Integer
            }
            UnaryOp::BitNot => self.operand(operand, &[Class::Integer], "an integer")?,
        };
        let constant = self.checked.constant(operand);
        let folded = constant.and_then(|constant| fold::unary(operator, constant));
        let term = Term::Unary(operator, operand);
        Ok(folded.map_or(Typed { term, class }, Typed::number))
    }

    fn binary(
        &self,
        at: &Range<usize>,
        operator: BinaryOp,
        left: NodeId,
        right: NodeId,
    ) -> Result<Typed, Problem> {
        match operator {
            BinaryOp::Or | BinaryOp::And => {
                self.operand(left, NUMBERS, CONDITION)?;
                self.operand(right, NUMBERS, CONDITION)?;
            }
            BinaryOp::BitOr
            | BinaryOp::BitXor
            | BinaryOp::BitAnd
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRight => {
                self.operand(left, &[Class::Integer], "an integer")?;
                self.operand(right, &[Class::Integer], "an integer")?;
            }
            BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::LessOrEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterOrEqual => self.comparison(at, operator, left, right)?,
        }
        let class = Class::Integer;
        let term = Term::Binary(operator, left, right);
        let folded = self.folded(operator, left, right);
        Ok(folded.map_or(Typed { term, class }, Typed::number))
    }

    /// Whether two values can be compared.
    fn comparison(
        &self,
        at: &Range<usize>,
        operator: BinaryOp,
        left: NodeId,
        right: NodeId,
    ) -> Result<(), Problem> {
        let is_text = |id| self.class(id) == Class::Text;
        let is_pattern = |id| {
            let literal = self.checked.literal(id);
            literal.is_some_and(|literal| literal.how() != How::Equal)
        };
        let problem = match (is_text(left), is_text(right)) {
            (false, false) => return Ok(()),
            (true, true) => match operator {
                BinaryOp::Equal | BinaryOp::NotEqual if is_pattern(left) && is_pattern(right) => {
                    ProblemKind::Patterns
                }
                BinaryOp::Equal | BinaryOp::NotEqual => return Ok(()),
                _ => ProblemKind::Order,
            },
            _ => ProblemKind::Mixed(self.described(left), self.described(right)),
        };
        Err(Problem::new(at.clone(), problem))
    }

    fn folded(&self, operator: BinaryOp, left: NodeId, right: NodeId) -> Option<Number> {
        let checked = &self.checked;
        if let Some(constant) = checked.constant(left) {
            return match checked.constant(right) {
                Some(right) => fold::binary(operator, constant, right),
                None => fold::decided(operator, constant),
            };
        }
        let (left, right) = (checked.literal(left)?, checked.literal(right)?);
        let is_equal = match left.how() {
            How::Equal => right.is_matched_by(left.bytes()),
            How::Begins | How::Matches => left.is_matched_by(right.bytes()),
        };
        let is_true = is_equal == (operator == BinaryOp::Equal);
        Some(Number::Integer(i64::from(is_true)))
    }

    /// The class of an operand, if it is one of these.
    fn operand(&self, id: NodeId, classes: &[Class], expected: &str) -> Result<Class, Problem> {
        let class = self.class(id);
        if classes.contains(&class) {
            return Ok(class);
        }
        let at = self.tree.node(id).at.clone();
        Err(Problem::expected(at, expected, self.described(id)))
    }

    fn class(&self, id: NodeId) -> Class {
        self.checked.typed(id).class
    }

    /// A node in words: the name, and what it is.
    fn described(&self, id: NodeId) -> String {
        let class = with_article(self.class(id));
        match &self.tree.node(id).kind {
            NodeKind::Name(Name::Argument(name), None) => format!("`{name}`, {class}"),
            NodeKind::Name(Name::Context(name), None) => format!("`$ctx.{name}`, {class}"),
            _ => class.to_owned(),
        }
    }
}

fn with_article(class: Class) -> &'static str {
    match class {
        Class::Integer => "an integer",
        Class::Double => "a double",
        Class::Text => "a text",
    }
}

fn context(at: &Range<usize>, name: &str) -> Result<Field, Problem> {
    let found = ContextField::from_name(&format!("{CONTEXT}{name}"));
    let field = found.map(|found| Field {
        class: found.class(),
        has_bytes: false,
    });
    field.ok_or_else(|| {
        let known = ContextField::ALL.iter();
        let known = known.filter_map(|known| known.name().strip_prefix(CONTEXT));
        let help = suggestion(name, known);
        let name = name.to_owned();
        Problem::new(at.clone(), ProblemKind::Context { name, help })
    })
}

/// A name that is no argument of any of these probes.
pub(crate) fn missing(at: &Range<usize>, name: &str, probes: &[Fields<'_>]) -> Problem {
    let help = instead_of(name, probes);
    let name = name.to_owned();
    Problem::new(at.clone(), ProblemKind::Missing { name, help })
}

/// A name that no event has.
pub(crate) fn nothing(at: &Range<usize>, written: &str) -> Problem {
    let help = if written.starts_with('$') {
        "perflab has no contexts of applications"
    } else {
        "arguments have no parts"
    };
    let (name, help) = (written.to_owned(), help.to_owned());
    Problem::new(at.clone(), ProblemKind::Missing { name, help })
}
