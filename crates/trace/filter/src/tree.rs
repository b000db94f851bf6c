//! An expression as a tree.

use std::ops::Range;

use crate::literal::Literal;
use crate::number::Number;

/// Most levels of brackets and operators within each other. A chain of one logical operator, as `a && b && c`, is one
/// level.
pub const DEEPEST: u16 = 256;

/// An expression: its nodes, operands before what they belong to, the root last. There is at least one.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree(pub(crate) Vec<Node>);

/// The number of a node in its tree.
pub type NodeId = usize;

/// A value, or an operator with its operands.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Its bytes in the expression.
    pub at: Range<usize>,
    /// What it is.
    pub kind: NodeKind,
    /// Levels of operators and brackets: its own, and those in it.
    pub(crate) depth: u16,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeKind {
    /// A constant.
    Number(Number),
    /// A text between quotes.
    Literal(Literal),
    /// A name, and the index behind it; an index beyond 32 bits counts as the largest of them.
    Name(Name, Option<u32>),
    /// An operator in front of its operand.
    Unary(UnaryOp, NodeId),
    /// An operator between its operands.
    Binary(BinaryOp, NodeId, NodeId),
}

/// What a name stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Name {
    /// An argument of the probe.
    Argument(String),
    /// What is known of the thread: the name behind `$ctx.`.
    Context(String),
    /// What no event of perflab has, as it is written: a part of an argument, or `$app.PROVIDER:TYPE`.
    Nothing(String),
}

/// An operator in front of its operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOp {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `!`
    Not,
    /// `~`
    BitNot,
}

/// An operator between its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOp {
    /// `||`: 1, or the right side.
    Or,
    /// `&&`: 0, or the right side.
    And,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `&`
    BitAnd,
    /// `<<`
    ShiftLeft,
    /// `>>`, which fills with zeros.
    ShiftRight,
}

impl Tree {
    /// The nodes, operands before what they belong to, the root last.
    pub fn nodes(&self) -> &[Node] {
        &self.0
    }

    /// A node by its number, which must be one of this tree.
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.0[id]
    }

    /// The node that all others belong to.
    pub(crate) fn root(&self) -> &Node {
        self.node(self.0.len() - 1)
    }

    /// Names of arguments, as they occur.
    pub fn arguments(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|node| match &node.kind {
            NodeKind::Name(Name::Argument(name), _) => Some(name.as_str()),
            _ => None,
        })
    }
}
