//! Expressions and events that LTTng judges as its documents have it. What it does with others is in `differences`.

use crate::naive::{Binary, Event, Kind, Name, Piece, Tree, Unary, Value, kind};

/// LTTng's specializer forgets to take a value from its stack for each `<=`, and the stack has room for ten.
const LESS_OR_EQUAL: usize = 4;

/// Values that an expression may need at once. LTTng's interpreter has room for eight.
const VALUES: usize = 6;

/// An expression like this one, without what LTTng gets wrong.
pub fn tree(tree: &Tree, event: &Event) -> Tree {
    let mut common = Common {
        event,
        less_or_equal: 0,
    };
    let tree = common.expression(tree, true);
    assert!(values(&tree) <= VALUES, "too deep for LTTng: {tree:?}");
    tree
}

struct Common<'e> {
    event: &'e Event,
    /// How many there are so far.
    less_or_equal: usize,
}

impl Common<'_> {
    /// `is_left`: it is part of no right side of a comparison. Where that has a `<=`, LTTng compares the wrong values.
    fn expression(&mut self, tree: &Tree, is_left: bool) -> Tree {
        match tree {
            Tree::Integer(_) | Tree::Double(_) | Tree::Text(_) => tree.clone(),
            Tree::Name(name) => self.name(name),
            Tree::Unary(Unary::Not, of) if self.is_double(of) => {
                let of = self.expression(of, is_left);
                pair(Binary::Equal, of, Tree::Double(0.0))
            }
            Tree::Unary(operator, of) => {
                Tree::Unary(*operator, Box::new(self.expression(of, is_left)))
            }
            Tree::Binary(operator @ (Binary::And | Binary::Or), left, right) => {
                let left = self.condition(left, is_left);
                pair(*operator, left, self.condition(right, is_left))
            }
            Tree::Binary(operator, left, right) if is_bitwise(*operator) => {
                let left = self.expression(left, is_left);
                pair(*operator, left, self.expression(right, is_left))
            }
            Tree::Binary(operator, left, right) => {
                let left = self.expression(left, is_left);
                let right = self.expression(right, false);
                self.comparison(*operator, left, right, is_left)
            }
        }
    }

    fn name(&self, name: &Name) -> Tree {
        Tree::Name(match name {
            // Nobody knows it before the program runs.
            Name::Context(context) if context != "procname" => return Tree::Integer(7),
            // LTTng finds out that it is missing only when it evaluates it.
            Name::Missing(path) if path.starts_with('$') => Name::Missing("a.b".into()),
            // LTTng takes them for no text.
            Name::Argument(argument) if self.is_bytes(argument) => Name::Context("procname".into()),
            other => other.clone(),
        })
    }

    fn is_bytes(&self, argument: &str) -> bool {
        let mut arguments = self.event.arguments.iter();
        arguments.any(|each| each.name == argument && each.kind == "bytes")
    }

    /// An operand of `&&` or `||`.
    fn condition(&mut self, tree: &Tree, is_left: bool) -> Tree {
        let tree = self.expression(tree, is_left);
        if is_condition(&tree) {
            tree
        } else {
            pair(Binary::NotEqual, tree, Tree::Integer(0))
        }
    }

    fn comparison(
        &mut self,
        operator: Binary,
        mut left: Tree,
        mut right: Tree,
        is_left: bool,
    ) -> Tree {
        // LTTng matches a literal with a pattern as it is written.
        if let (Tree::Text(one), Tree::Text(other)) = (&mut left, &mut right) {
            let is_plain = |piece: &Piece| !matches!(piece, Piece::Byte(b'*' | b'\\'));
            if one.contains(&Piece::Star) {
                other.retain(is_plain);
            } else if other.contains(&Piece::Star) {
                one.retain(is_plain);
            }
        }
        // LTTng loses a double when it puts two more values on its stack.
        let (operator, left, right) = if self.is_double(&left) && values(&right) > 1 {
            (turned(operator), right, left)
        } else {
            (operator, left, right)
        };
        let operator = match operator {
            Binary::LessOrEqual if is_left && self.less_or_equal < LESS_OR_EQUAL => {
                self.less_or_equal += 1;
                operator
            }
            Binary::LessOrEqual => Binary::Less,
            other => other,
        };
        pair(operator, left, right)
    }

    fn is_double(&self, tree: &Tree) -> bool {
        kind(tree, self.event).unwrap() == Kind::Double
    }
}

fn pair(operator: Binary, left: Tree, right: Tree) -> Tree {
    Tree::Binary(operator, Box::new(left), Box::new(right))
}

fn is_bitwise(operator: Binary) -> bool {
    use Binary::{BitAnd, BitOr, BitXor, LeftShift, RightShift};
    matches!(operator, LeftShift | RightShift | BitAnd | BitXor | BitOr)
}

/// The operator for the sides in the other order.
fn turned(operator: Binary) -> Binary {
    match operator {
        Binary::Less => Binary::Greater,
        Binary::LessOrEqual => Binary::GreaterOrEqual,
        Binary::Greater => Binary::Less,
        Binary::GreaterOrEqual => Binary::LessOrEqual,
        other => other,
    }
}

/// Whether LTTng's validator takes this for a signed integer beside `&&` and `||`, whatever the other side is.
fn is_condition(tree: &Tree) -> bool {
    is_converted(tree)
        || match tree {
            Tree::Integer(_) | Tree::Double(_) => true,
            Tree::Unary(Unary::Plus | Unary::Not, of) => is_condition(of),
            Tree::Binary(operator, ..) => !is_bitwise(*operator),
            Tree::Name(_) | Tree::Text(_) | Tree::Unary(..) => false,
        }
}

/// Whether LTTng converts this to a signed integer. It does so with names, and fails with elements.
fn is_converted(tree: &Tree) -> bool {
    match tree {
        Tree::Unary(_, of) => is_converted(of),
        Tree::Name(name) => !matches!(name, Name::Byte(..)),
        _ => false,
    }
}

/// How many values LTTng has on its stack at once.
fn values(tree: &Tree) -> usize {
    match tree {
        Tree::Unary(_, of) => values(of),
        Tree::Binary(Binary::And | Binary::Or, left, right) => values(left).max(values(right)),
        Tree::Binary(_, left, right) => values(left).max(1 + values(right)),
        _ => 1,
    }
}

/// Changes an event of `tree` so that LTTng judges it as documented.
pub fn mend(event: &mut Event, tree: &Tree) {
    for argument in &mut event.arguments {
        match &mut argument.value {
            // It is `(null)` there.
            Value::Text(text) if text.is_none() && argument.kind == "cstr" => {
                *text = Some(Vec::new());
            }
            // With an index of less than eight times the length it reads what is behind.
            Value::Text(Some(bytes)) if argument.kind == "bytes" => {
                let mut all = Vec::new();
                indices(tree, &argument.name, &mut all);
                let behind = bytes.len()..8 * bytes.len();
                if all.iter().any(|index| behind.contains(index)) {
                    let last = all.iter().max().unwrap();
                    bytes.resize(last + 1, b'b');
                }
            }
            _ => {}
        }
    }
}

/// The indices with which the expression takes bytes of an argument.
fn indices(tree: &Tree, argument: &str, to: &mut Vec<usize>) {
    match tree {
        Tree::Name(Name::Byte(name, index)) if name == argument => to.push(*index as usize),
        Tree::Unary(_, of) => indices(of, argument, to),
        Tree::Binary(_, left, right) => {
            indices(left, argument, to);
            indices(right, argument, to);
        }
        _ => {}
    }
}
