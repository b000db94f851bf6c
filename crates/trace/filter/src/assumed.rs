//! Arguments of probes of which nothing is known yet.

use std::collections::BTreeMap;

use crate::fields::Fields;
use crate::tree::{BinaryOp, Name, Node, NodeKind, Tree};

/// Most names that are tried as integers and as doubles, each apart from the others. More of them are integers.
const TRIED: usize = 3;

/// Most bytes of an argument's name: no probe has a longer one.
const LONGEST_NAME: usize = 128;

const INTEGER: &str = "i64";
const DOUBLE: &str = "f64";
const TEXT: &str = "cstr";
const BYTES: &str = "bytes";

/// What probes may offer that nobody has seen, such as those of shared objects that a program loads later. A name is a
/// text if it is compared with one. Any other may be an integer or a double, so there is one of these for each case.
/// The first one has integers only.
pub fn assumed(tree: &Tree) -> Vec<Fields<'_>> {
    let mut kinds = kinds(tree);
    kinds.retain(|name, _| name.len() <= LONGEST_NAME);
    let numbers: Vec<&str> = kinds
        .iter()
        .filter(|(_, kind)| **kind == INTEGER)
        .map(|(name, _)| *name)
        .collect();
    let cases = if numbers.len() <= TRIED {
        1 << numbers.len()
    } else {
        1
    };
    let case = |doubles: usize| {
        let arguments = kinds.iter().map(|(name, kind)| {
            let number = numbers.iter().position(|number| number == name);
            match number {
                Some(number) if doubles & (1 << number) != 0 => (DOUBLE, *name),
                _ => (*kind, *name),
            }
        });
        Fields::new(arguments).ok()
    };
    (0..cases).filter_map(case).collect()
}

/// The type of each argument, if all numbers are integers.
fn kinds(tree: &Tree) -> BTreeMap<&str, &'static str> {
    let mut kinds: BTreeMap<&str, &'static str> =
        tree.arguments().map(|name| (name, INTEGER)).collect();
    for node in tree.nodes() {
        if let NodeKind::Name(Name::Argument(name), Some(_)) = &node.kind {
            kinds.insert(name, BYTES);
        }
    }
    // That one name is a text may tell of another that it is.
    while let Some(name) = text_among(tree, &kinds) {
        kinds.insert(name, TEXT);
    }
    kinds
}

/// A name that is compared with a text, and counts as a number.
fn text_among<'t>(tree: &'t Tree, kinds: &BTreeMap<&str, &'static str>) -> Option<&'t str> {
    let kind = |name: &str| kinds.get(name).copied().unwrap_or(INTEGER);
    let is_text = |node: &Node| match &node.kind {
        NodeKind::Literal(_) => true,
        NodeKind::Name(Name::Context(name), None) => name == "procname",
        NodeKind::Name(Name::Argument(name), None) => kind(name) != INTEGER,
        _ => false,
    };
    tree.nodes().iter().find_map(|node| {
        let NodeKind::Binary(BinaryOp::Equal | BinaryOp::NotEqual, left, right) = &node.kind else {
            return None;
        };
        let sides = [*left, *right].map(|side| tree.node(side));
        let [left, right] = sides;
        [(left, right), (right, left)]
            .into_iter()
            .find_map(|(one, other)| match &one.kind {
                NodeKind::Name(Name::Argument(name), None)
                    if kind(name) == INTEGER && is_text(other) =>
                {
                    Some(name.as_str())
                }
                _ => None,
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{check_each, parse};

    /// The classes of the names of each program that an expression becomes.
    fn programs(expression: &str) -> Vec<String> {
        let tree = parse(expression).unwrap();
        let found = check_each(&tree, &assumed(&tree)).unwrap();
        let shown = found.programs.iter().map(|program| {
            let imports = program.imports.iter();
            let imports = imports.map(|import| format!("{} {}", import.name, import.class));
            imports.collect::<Vec<_>>().join(", ")
        });
        shown.collect()
    }

    #[test]
    fn numbers_may_be_of_either_kind() {
        assert_eq!(programs("a > 1"), ["a integer", "a double"]);
        assert_eq!(
            programs("a > 1 && b"),
            [
                "a integer, b integer",
                "a double, b integer",
                "a integer, b double",
                "a double, b double"
            ]
        );
        // Not where it cannot be.
        assert_eq!(programs("a & 1"), ["a integer"]);
        assert_eq!(programs("a && b && c && d").len(), 1);
    }

    #[test]
    fn names_that_no_argument_can_have() {
        let name = "n".repeat(LONGEST_NAME);
        assert_eq!(programs(&format!("{name} & 1")).len(), 1);
        for expression in [format!("{name}n > 1"), format!("{name}n == \"x\"")] {
            let tree = parse(&expression).unwrap();
            let problem = check_each(&tree, &assumed(&tree)).unwrap_err();
            assert!(problem.is_missing(), "{expression}");
        }
    }

    #[test]
    fn texts_are_compared_with_texts() {
        assert_eq!(programs("a == \"b*\""), ["a text"]);
        assert_eq!(programs("\"b\" != a"), ["a text"]);
        assert_eq!(
            programs("a == $ctx.procname"),
            ["a text, $ctx.procname text"]
        );
        assert_eq!(programs("a[3] == 1"), ["a text"]);
        assert_eq!(
            programs("a == b && b == c && c == \"x\""),
            ["a text, b text, c text"]
        );
        assert_eq!(programs("1").len(), 1);
    }
}
