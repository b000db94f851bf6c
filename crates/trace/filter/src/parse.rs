//! Tokens as a tree, by LTTng's precedence: bitwise operators bind tighter than comparisons.

use std::ops::Range;

use perflab_bpf::LONGEST_LITERAL;

use crate::literal::Literal;
use crate::number::Number;
use crate::problem::{Problem, ProblemKind};
use crate::token::{Token, TokenKind, tokens};
use crate::tree::{BinaryOp, DEEPEST, Name, Node, NodeId, NodeKind, Tree, UnaryOp};

/// How tight an operator binds, and what it is; nothing for those that are not supported.
fn operator(sign: &str) -> Option<(u8, Option<BinaryOp>)> {
    Some(match sign {
        "||" => (1, Some(BinaryOp::Or)),
        "&&" => (2, Some(BinaryOp::And)),
        "==" => (3, Some(BinaryOp::Equal)),
        "!=" => (3, Some(BinaryOp::NotEqual)),
        "<" => (4, Some(BinaryOp::Less)),
        "<=" => (4, Some(BinaryOp::LessOrEqual)),
        ">" => (4, Some(BinaryOp::Greater)),
        ">=" => (4, Some(BinaryOp::GreaterOrEqual)),
        "|" => (5, Some(BinaryOp::BitOr)),
        "^" => (6, Some(BinaryOp::BitXor)),
        "&" => (7, Some(BinaryOp::BitAnd)),
        "<<" => (8, Some(BinaryOp::ShiftLeft)),
        ">>" => (8, Some(BinaryOp::ShiftRight)),
        "+" | "-" => (9, None),
        "*" | "/" | "%" => (10, None),
        _ => return None,
    })
}

/// Reads an expression.
///
/// # Errors
/// When it is none of LTTng's language, with the place.
pub fn parse(text: &str) -> Result<Tree, Problem> {
    let mut parser = Parser {
        text,
        tokens: tokens(text)?,
        next: 0,
        open: 0,
        nodes: Vec::new(),
    };
    if parser.tokens.is_empty() {
        return Err(Problem::new(0..0, ProblemKind::Empty));
    }
    parser.binary(0)?;
    if parser.next < parser.tokens.len() {
        return Err(parser.unexpected("an operator or the end"));
    }
    Ok(Tree(parser.nodes))
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    next: usize,
    /// Brackets and operators that the next token is in.
    open: u16,
    nodes: Vec<Node>,
}

impl<'a> Parser<'a> {
    /// Operators that bind at least so tight, with their operands.
    fn binary(&mut self, least: u8) -> Result<NodeId, Problem> {
        let start = self.begin();
        let mut left = self.unary()?;
        while let Some((strength, found)) = self
            .sign()
            .and_then(operator)
            .filter(|(strength, _)| *strength >= least)
        {
            let Some(operator) = found else {
                let (at, sign) = (self.place(), self.sign().unwrap_or_default());
                return Err(Problem::new(at, ProblemKind::Arithmetic(sign.to_owned())));
            };
            self.next += 1;
            let right = self.binary(strength + 1)?;
            left = self.add(start, NodeKind::Binary(operator, left, right))?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<NodeId, Problem> {
        let start = self.begin();
        let operator = match self.sign() {
            Some("+") => UnaryOp::Plus,
            Some("-") => UnaryOp::Minus,
            Some("!") => UnaryOp::Not,
            Some("~") => UnaryOp::BitNot,
            _ => return self.primary(),
        };
        self.open()?;
        let operand = self.unary()?;
        self.open -= 1;
        self.add(start, NodeKind::Unary(operator, operand))
    }

    fn primary(&mut self) -> Result<NodeId, Problem> {
        let start = self.begin();
        let kind = match self.peek() {
            Some(TokenKind::Number(number)) => {
                self.next += 1;
                NodeKind::Number(number)
            }
            Some(TokenKind::Text(inside)) => NodeKind::Literal(self.literal(inside)?),
            Some(TokenKind::Name(_) | TokenKind::Global(_)) => self.name()?,
            Some(TokenKind::Sign("(")) => {
                self.open()?;
                let inner = self.binary(0)?;
                self.open -= 1;
                self.close(")")?;
                if let Some(node) = self.nodes.get_mut(inner) {
                    node.depth += 1;
                    if node.depth > DEEPEST {
                        return Err(Problem::new(start..self.end(), ProblemKind::TooDeep));
                    }
                }
                return Ok(inner);
            }
            _ => return Err(self.unexpected("a value")),
        };
        self.add(start, kind)
    }

    fn literal(&mut self, inside: &str) -> Result<Literal, Problem> {
        let at = self.place();
        self.next += 1;
        let literal = Literal::parse(inside).map_err(|place| {
            // The text ends in front of the last quote.
            let place = at.end - 1 - inside.len() + place;
            Problem::new(place..place + 1, ProblemKind::Escape)
        })?;
        match literal.length() {
            long if long > LONGEST_LITERAL => Err(Problem::new(at, ProblemKind::TextTooLong(long))),
            _ => Ok(literal),
        }
    }

    /// Names with points between them, each of which may have an index.
    fn name(&mut self) -> Result<NodeKind, Problem> {
        let start = self.begin();
        let first = self.peek();
        let (mut index, mut written) = self.part(String::new())?;
        let mut parts = 1;
        while self.sign() == Some(".") {
            self.next += 1;
            let Some(TokenKind::Name(_)) = self.peek() else {
                return Err(self.unexpected("a name"));
            };
            (index, written) = self.part(written + ".")?;
            parts += 1;
        }
        let at = start..self.end();
        let name = match (first, parts) {
            (Some(TokenKind::Name(name)), 1) => Name::Argument(name.to_owned()),
            (Some(TokenKind::Name(_)), _) => Name::Nothing(written),
            (Some(TokenKind::Global(name @ ("$ctx" | "$app"))), 1) => {
                return Err(Problem::expected(
                    at.end..at.end,
                    format!("`.` and a name behind `{name}`"),
                    self.found(),
                ));
            }
            (Some(TokenKind::Global("$ctx")), _) if written.starts_with("$ctx.") => {
                let behind = written.trim_start_matches("$ctx.");
                let last = behind.split_once('[').filter(|_| index.is_some());
                Name::Context(last.map_or(behind, |(name, _)| name).to_owned())
            }
            (Some(TokenKind::Global("$app")), _) => Name::Nothing(written),
            (Some(TokenKind::Global(name)), _) => {
                return Err(Problem::new(at, ProblemKind::Global(name.to_owned())));
            }
            _ => return Err(Problem::new(at, ProblemKind::Global(written))),
        };
        Ok(NodeKind::Name(name, index))
    }

    /// A name and its index, which are added to what is written before them.
    fn part(&mut self, mut written: String) -> Result<(Option<u32>, String), Problem> {
        written += self.text.get(self.place()).unwrap_or_default();
        self.next += 1;
        let index = self.index()?;
        if let Some(index) = index {
            written += &format!("[{index}]");
        }
        Ok((index, written))
    }

    /// A constant between square brackets, if there is one.
    fn index(&mut self) -> Result<Option<u32>, Problem> {
        if self.sign() != Some("[") {
            return Ok(None);
        }
        self.next += 1;
        let Some(TokenKind::Number(Number::Integer(index))) = self.peek() else {
            return Err(self.unexpected("a constant without a sign"));
        };
        self.next += 1;
        self.close("]")?;
        if self.sign() == Some("[") {
            return Err(Problem::new(self.place(), ProblemKind::SecondIndex));
        }
        Ok(Some(u32::try_from(index).unwrap_or(u32::MAX)))
    }

    /// Goes behind a bracket or operator that encloses what comes next.
    fn open(&mut self) -> Result<(), Problem> {
        if self.open == DEEPEST {
            return Err(Problem::new(self.place(), ProblemKind::TooDeep));
        }
        self.open += 1;
        self.next += 1;
        Ok(())
    }

    fn close(&mut self, bracket: &'static str) -> Result<(), Problem> {
        if self.sign() != Some(bracket) {
            return Err(self.unexpected(&format!("`{bracket}`")));
        }
        self.next += 1;
        Ok(())
    }

    /// Adds a node that ends before the next token.
    fn add(&mut self, start: usize, kind: NodeKind) -> Result<NodeId, Problem> {
        let depth = |id: &NodeId| self.nodes.get(*id).map_or(0, |node| node.depth);
        let depth = match &kind {
            NodeKind::Number(_) | NodeKind::Literal(_) | NodeKind::Name(..) => 0,
            NodeKind::Unary(_, operand) => depth(operand) + 1,
            NodeKind::Binary(operator, left, right) => {
                let left_kind = self.nodes.get(*left).map(|node| &node.kind);
                let is_chain = matches!(operator, BinaryOp::And | BinaryOp::Or)
                    && matches!(left_kind, Some(NodeKind::Binary(own, ..)) if own == operator);
                (depth(left) + u16::from(!is_chain)).max(depth(right) + 1)
            }
        };
        let at = start..self.end();
        if depth > DEEPEST {
            return Err(Problem::new(at, ProblemKind::TooDeep));
        }
        self.nodes.push(Node { at, kind, depth });
        Ok(self.nodes.len() - 1)
    }

    fn peek(&self) -> Option<TokenKind<'a>> {
        self.tokens.get(self.next).map(|token| token.kind)
    }

    /// The next token, if it is a sign.
    fn sign(&self) -> Option<&'a str> {
        match self.peek() {
            Some(TokenKind::Sign(sign)) => Some(sign),
            _ => None,
        }
    }

    /// Where the next token is, or the end.
    fn place(&self) -> Range<usize> {
        let next = self.tokens.get(self.next).map(|token| token.at.clone());
        next.unwrap_or_else(|| self.end()..self.end())
    }

    /// Where the next token begins.
    fn begin(&self) -> usize {
        self.place().start
    }

    /// Where the token before the next one ends.
    fn end(&self) -> usize {
        let before = self.next.checked_sub(1).and_then(|at| self.tokens.get(at));
        before.map_or(0, |token| token.at.end)
    }

    /// The next token in words.
    fn found(&self) -> String {
        let written = self.text.get(self.place()).unwrap_or_default();
        match (self.peek(), written) {
            (None, _) => "the end".to_owned(),
            (Some(TokenKind::Text(_)), _) => "a text".to_owned(),
            (_, "=") => "`=`, which is no operator: `==` compares".to_owned(),
            (_, "and") => "`and`, which is a name: the operator is `&&`".to_owned(),
            (_, "or") => "`or`, which is a name: the operator is `||`".to_owned(),
            _ => format!("`{written}`"),
        }
    }

    fn unexpected(&self, expected: &str) -> Problem {
        Problem::expected(self.place(), expected, self.found())
    }
}
