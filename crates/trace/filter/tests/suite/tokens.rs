//! Tokens, which are those of LTTng's lexer.

use perflab_filter::{Number, TokenKind, tokens};

/// The tokens of an expression in words.
fn shown(text: &str) -> String {
    let tokens = tokens(text).unwrap_or_else(|problem| panic!("{text:?}: {problem}"));
    let each = tokens.iter().map(|token| match token.kind {
        TokenKind::Number(Number::Integer(value)) => format!("{value}"),
        TokenKind::Number(Number::Double(value)) => format!("{value:?}"),
        TokenKind::Text(inside) => format!("'{inside}'"),
        TokenKind::Name(name) => format!("<{name}>"),
        TokenKind::Global(name) => format!("<{name}>"),
        TokenKind::Sign(sign) => sign.to_owned(),
    });
    each.collect::<Vec<_>>().join(" ")
}

#[test]
fn signs_and_names() {
    for (text, expected) in [
        ("a<b", "<a> < <b>"),
        ("a<=b<<c>>d>=e", "<a> <= <b> << <c> >> <d> >= <e>"),
        ("a==b!=!c", "<a> == <b> != ! <c>"),
        ("a&&b&c||d|e", "<a> && <b> & <c> || <d> | <e>"),
        ("a->b - >c", "<a> -> <b> - > <c>"),
        ("a.b[0x1f]...", "<a> . <b> [ 31 ] ..."),
        ("a = b ; {c}", "<a> = <b> ; { <c> }"),
        // Names have colons, as those of application contexts.
        ("$app.shop:stock", "<$app> . <shop:stock>"),
        ("$ctx.perf:cpu:cycles", "<$ctx> . <perf:cpu:cycles>"),
        ("a:=b", "<a:> = <b>"),
        (":= : ::a", ":= : <::a>"),
        ("_a9 größe my$name", "<_a9> <größe> <my$name>"),
        ("L Lx L9", "<L> <Lx> <L9>"),
    ] {
        assert_eq!(shown(text), expected, "{text:?}");
    }
}

#[test]
fn numbers_end_where_something_else_begins() {
    for (text, expected) in [
        ("1+2", "1 + 2"),
        ("-1", "- 1"),
        ("1e+2", "100.0"),
        ("0x1e+2", "30 + 2"),
        ("0x1p-1", "0.5"),
        ("1.==.5", "1.0 == 0.5"),
        ("a.5", "<a> 0.5"),
        ("[7].c", "[ 7 ] . <c>"),
        ("1/2", "1 / 2"),
    ] {
        assert_eq!(shown(text), expected, "{text:?}");
    }
}

#[test]
fn texts() {
    for (text, expected) in [
        (r#""""#, "''"),
        (r#"L"a b"L'c'"#, "'a b' 'c'"),
        (r#"'a"b'"a'b""#, r#"'a"b' 'a'b'"#),
        // No escape hides a quote, and no comment begins within a text.
        (r#""a\" "b""#, r"'a\' 'b'"),
        (r#""/* a // b""#, "'/* a // b'"),
        ("\"a\nb\"", "'a\nb'"),
    ] {
        assert_eq!(shown(text), expected, "{text:?}");
    }
}

#[test]
fn comments_and_spaces() {
    for (text, expected) in [
        ("", ""),
        (" \t\r\n", ""),
        ("a/* b */c", "<a> <c>"),
        ("a/**/b/***/c/* * */", "<a> <b> <c>"),
        ("a // b\n c", "<a> <c>"),
        ("a // b", "<a>"),
        ("a /* b", "<a>"),
        ("a / * b", "<a> / * <b>"),
    ] {
        assert_eq!(shown(text), expected, "{text:?}");
    }
}

#[test]
fn tokens_know_where_they_are() {
    let tokens = tokens("  größe/* */>= \"a\\*\" ").unwrap();
    let places: Vec<_> = tokens.into_iter().map(|token| token.at).collect();
    assert_eq!(places, [2..9, 14..16, 17..22]);
}

#[test]
fn no_tokens() {
    for (text, at) in [
        ("a ? b", 2..3),
        ("ä == §", 6..8),
        ("a == 08", 5..7),
        ("a == 1x.5 && b", 5..9),
        ("a == 'b", 5..7),
        ("a == \"b'", 5..8),
        ("a == ''", 5..7),
        ("$", 0..1),
        ("a == \"\0\"", 6..7),
        (&"a".repeat(4097), 0..0),
    ] {
        assert_eq!(tokens(text).unwrap_err().at, at, "{text:?}");
    }
    assert!(tokens(&"a".repeat(4096)).is_ok());
}
