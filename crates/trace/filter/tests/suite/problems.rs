//! Problems as they are shown: what is wrong, the expression, and carets below the place.

use perflab_filter::{check, parse};

use crate::fields;

/// The problem of an expression, shown.
fn shown(text: &str) -> String {
    let tree = parse(text).and_then(|tree| check(&tree, &fields()));
    tree.unwrap_err().shown(text)
}

#[test]
fn syntax() {
    for expected in [
        "\
expected a value, found the end
  fd == 1 &&
            ^",
        "\
expected a value, found `)`
  (fd ==) 1
        ^",
        "\
expected `)`, found the end
  (fd == 1
          ^",
        "\
expected an operator or the end, found `=`, which is no operator: `==` compares
  fd = 1
     ^",
        "\
expected an operator or the end, found `and`, which is a name: the operator is `&&`
  fd == 1 and size
          ^^^",
        "\
expected an operator or the end, found a text
  name \"SET\"
       ^^^^^",
        "\
expected an operator or the end, found `->`
  data->length
      ^^",
        "\
arithmetic is not supported, as in LTTng: `-` between two values
  size - 1 > 5
       ^",
        "\
`512kB` is no number: expected digits, octal ones after 0 and hexadecimal ones after 0x, or a point
  size > 512kB
         ^^^^^",
        "\
`§` has no meaning in an expression
  größe == §
           ^",
        "\
the text has no closing \"; write a text that contains a quote between quotes of the other kind
  name == \"SET
          ^^^^",
        "\
expected `*` or `\\` behind a backslash in a text: there are no other escapes, as in LTTng
  name == \"a\\n\"
            ^",
        "\
expected `\"\"` for an empty text, found `''`
  name == ''
          ^^",
        "\
expected a constant without a sign, found `-`
  data[-1] == 0
       ^",
        "\
expected `]`, found `+`
  data[1+1] == 0
        ^",
        "\
a value has one index at most
  data[1][2] == 0
         ^",
        "\
expected `.` and a name behind `$ctx`, found `==`
  $ctx == 0
      ^",
        "\
expected a name, found `44`
  $ctx . 44 == 0
         ^^",
        "\
`$env` is unknown, expected `$ctx` or `$app`
  $env.HOME == \"/\"
  ^^^^^^^^^",
    ] {
        let (_, rest) = expected.split_once("\n  ").unwrap();
        let (text, _) = rest.split_once('\n').unwrap();
        assert_eq!(shown(text), expected);
    }
}

#[test]
fn names_and_types() {
    for expected in [
        "\
no argument is called `nmae`: did you mean `name`?
  nmae == \"SET\" && size > 512
  ^^^^",
        "\
no argument is called `Size`: did you mean `size`?
  name == \"SET\" && Size > 512
                   ^^^^",
        "\
no argument is called `SET`: it is 1 of `kind`
  kind == SET
          ^^^",
        "\
no argument is called `key.length`: arguments have no parts
  key.length == 0
  ^^^^^^^^^^",
        "\
no argument is called `$app.shop:stock`: perflab has no contexts of applications
  $app.shop:stock == 0
  ^^^^^^^^^^^^^^^",
        "\
no context is called `tid`: did you mean `vtid`?
  $ctx.tid == 1
  ^^^^^^^^",
        "\
no context is called `uid.x`: there are `cpu_id`, `ip`, `procname`, `pthread_id`, `vpid`, `vtid`
  fd == $ctx.uid.x
        ^^^^^^^^^^",
        "\
`name`, a text, cannot be compared with an integer
  size > 1 && name == 512
              ^^^^^^^^^^^",
        "\
a double cannot be compared with `key`, a text
  (1.5 == key)
   ^^^^^^^^^^",
        "\
two texts are compared by `==` or `!=`, not by order
  name < \"b\"
  ^^^^^^^^^^",
        "\
two patterns cannot be compared: expected a text without `*` on one side
  \"a*\" == \"*b\"
  ^^^^^^^^^^^^",
        "\
expected a condition such as a comparison, found `name`, a text
  fd == 1 && name
             ^^^^",
        "\
expected a condition such as a comparison, found a double
  -mean
  ^^^^^",
        "\
expected an integer, found `ratio`, a double
  ratio & 1 == 1
  ^^^^^",
        "\
expected a number, found a text
  -\"a\" == 1
   ^^^",
        "\
expected an argument of type `bytes` in front of an index, found `name`, a text
  name[0] == 1
  ^^^^^^^",
    ] {
        let (_, rest) = expected.split_once("\n  ").unwrap();
        let (text, _) = rest.split_once('\n').unwrap();
        assert_eq!(shown(text), expected);
    }
}

#[test]
fn long_and_broken_lines() {
    // Only the line of the problem, and only its surroundings.
    assert_eq!(
        shown("fd == 1 &&\n\tsise == 2 ||\nsize == 3"),
        "no argument is called `sise`: did you mean `size`?\n   sise == 2 ||\n   ^^^^"
    );
    let (before, behind) = ("size == 1234 || ".repeat(10), " || fd == 2".repeat(10));
    assert_eq!(
        shown(&format!("{before}sise == 1{behind}")),
        format!(
            "no argument is called `sise`: did you mean `size`?\n  \
             ...ze == 1234 || size == 1234 || sise == 1 || fd == 2 || fd == 2 ||...\n  {}^^^^",
            " ".repeat(33)
        )
    );
    // Of a place of several lines, the first.
    assert_eq!(
        shown("name ==\n1"),
        "`name`, a text, cannot be compared with an integer\n  name ==\n  ^^^^^^^"
    );
    assert_eq!(
        shown(&format!("name == \"{}", "x".repeat(100))),
        format!(
            "the text has no closing \"; write a text that contains a quote between quotes of the other kind\n  \
             name == \"{}...\n          {}",
            "x".repeat(39),
            "^".repeat(43)
        )
    );
    // Letters that are two columns wide, and what would steer a terminal.
    assert_eq!(
        shown("name == \"漢字\" && \u{1b}"),
        "`\u{fffd}` has no meaning in an expression\n  name == \"漢字\" && \u{fffd}\n                    ^"
    );
    assert_eq!(
        shown(""),
        "the expression is empty, expected a condition such as `size > 512`"
    );
    assert_eq!(
        shown(&"1 || ".repeat(1000)),
        "the expression has 5000 bytes, expected at most 4096"
    );
    assert_eq!(
        shown(&format!("name == \"{}\"", "x".repeat(1025)))
            .lines()
            .next(),
        Some("the text has 1025 bytes, expected at most 1024")
    );
}
