//! How tight operators bind, and how deep they may be nested.

use perflab_filter::{Name, NodeKind, Number, ProblemKind, Tree, parse};

/// A tree with brackets around each operator.
fn shown(text: &str) -> String {
    let tree = parse(text).unwrap_or_else(|problem| panic!("{text:?}: {problem}"));
    node(&tree, tree.nodes().len() - 1)
}

fn node(tree: &Tree, id: usize) -> String {
    match &tree.nodes()[id].kind {
        NodeKind::Number(Number::Integer(value)) => value.to_string(),
        NodeKind::Number(Number::Double(value)) => format!("{value:?}"),
        NodeKind::Literal(literal) => format!("\"{}\"", literal.bytes().escape_ascii()),
        NodeKind::Name(name, index) => {
            let name = match name {
                Name::Argument(name) => name.clone(),
                Name::Context(name) => format!("context {name}"),
                Name::Nothing(written) => format!("nothing {written}"),
            };
            index.map_or(name.clone(), |index| format!("{name}[{index}]"))
        }
        NodeKind::Unary(operator, operand) => format!("({operator:?} {})", node(tree, *operand)),
        NodeKind::Binary(operator, left, right) => {
            let (left, right) = (node(tree, *left), node(tree, *right));
            format!("({left} {operator:?} {right})")
        }
    }
}

#[test]
fn precedence() {
    for (text, expected) in [
        // Unlike C.
        ("2 & 2 == 2", "((2 BitAnd 2) Equal 2)"),
        (
            "a < b | c ^ d & e << f",
            "(a Less (b BitOr (c BitXor (d BitAnd (e ShiftLeft f)))))",
        ),
        (
            "a >> b & c ^ d | e >= f",
            "(((((a ShiftRight b) BitAnd c) BitXor d) BitOr e) GreaterOrEqual f)",
        ),
        ("a == b < c", "(a Equal (b Less c))"),
        ("a <= b != c", "((a LessOrEqual b) NotEqual c)"),
        ("a || b && c == d", "(a Or (b And (c Equal d)))"),
        ("a && b || c", "((a And b) Or c)"),
        // To the left.
        ("a == b != c == d", "(((a Equal b) NotEqual c) Equal d)"),
        ("a > b > c", "((a Greater b) Greater c)"),
        ("a << b >> c", "((a ShiftLeft b) ShiftRight c)"),
        ("a && b && c", "((a And b) And c)"),
        ("a || b || c", "((a Or b) Or c)"),
        ("(a || b) && c", "((a Or b) And c)"),
        ("a && (b && c)", "(a And (b And c))"),
        // In front.
        ("-a == ~b", "((Minus a) Equal (BitNot b))"),
        ("!a == +b", "((Not a) Equal (Plus b))"),
        ("- - !~1", "(Minus (Minus (Not (BitNot 1))))"),
        ("-a[3] & 1", "((Minus a[3]) BitAnd 1)"),
    ] {
        assert_eq!(shown(text), expected, "{text:?}");
    }
}

#[test]
fn names() {
    for (text, expected) in [
        ("a", "a"),
        ("a[7]", "a[7]"),
        ("a[0x10]", "a[16]"),
        ("a [ 99999999999 ]", "a[4294967295]"),
        ("a[18446744073709551615]", "a[4294967295]"),
        ("$ctx.vtid", "context vtid"),
        ("$ctx . procname", "context procname"),
        ("$ctx.a.b", "context a.b"),
        ("$app.shop:stock", "nothing $app.shop:stock"),
        ("a.b", "nothing a.b"),
        ("a[7] /* c */ .\nc", "nothing a[7].c"),
    ] {
        assert_eq!(shown(text), expected, "{text:?}");
    }
}

#[test]
fn nodes_know_where_they_are() {
    let text = "(a || -b) == c [1]";
    let tree = parse(text).unwrap();
    let parts: Vec<&str> = tree
        .nodes()
        .iter()
        .map(|node| &text[node.at.clone()])
        .collect();
    assert_eq!(
        parts,
        ["a", "b", "-b", "a || -b", "c [1]", "(a || -b) == c [1]"]
    );
}

#[test]
fn what_is_nested_too_deep() {
    let is_too_deep = |text: &str| match parse(text) {
        Ok(_) => false,
        Err(problem) => {
            assert_eq!(problem.kind, ProblemKind::TooDeep, "{text}");
            true
        }
    };
    let within = |open: &str, times: usize, close: &str| {
        format!("{}1{}", open.repeat(times), close.repeat(times))
    };
    for (levels, expected) in [(256, false), (257, true), (2000, true)] {
        for (each, open, close) in [(1, "!", ""), (1, "(", ")"), (1, "1|", ""), (2, "!(", ")")] {
            let text = match open {
                "1|" => vec!["1"; levels + 1].join("|"),
                _ => {
                    let rest = "!".repeat(levels % each);
                    rest + &within(open, levels / each, close)
                }
            };
            assert_eq!(is_too_deep(&text), expected, "{levels} of {open}");
        }
    }
    assert!(!is_too_deep(&within("1|(", 128, ")")));
    assert!(is_too_deep(&within("1|(", 129, ")")));
    // A chain is as deep as its operands, but only of one logical operator.
    for (operator, expected) in [("&&", false), ("||", false), ("==", true), ("|", true)] {
        let chain = vec!["1"; 1000].join(operator);
        assert_eq!(is_too_deep(&chain), expected, "{operator}");
    }
    let turns = format!("{}1{}", "0||(".repeat(300), ")".repeat(300));
    assert!(is_too_deep(&turns));
    assert!(is_too_deep(&within("1||1&&1==1<(1|1^1&1<<", 100, ")")));
}
