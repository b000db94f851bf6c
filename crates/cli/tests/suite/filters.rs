//! `perflab filter` as a user calls it, on programs with probes.

use std::process::Output;

use crate::life::{Place, printed, text};

fn check(place: &Place, words: &[&str]) -> Output {
    let mut command = place.perflab();
    command.args(["filter", "check"]).args(words);
    command.output().unwrap()
}

/// What is said on standard error, and the exit code.
fn refused(place: &Place, words: &[&str]) -> (String, Option<i32>) {
    let output = check(place, words);
    assert_eq!(text(&output.stdout), "", "{words:?}");
    (text(&output.stderr), output.status.code())
}

#[test]
fn the_probes_of_a_file() {
    let place = Place::new();
    let program = place.compile("pointers");
    let found = printed(&check(
        &place,
        &["text == \"fif*\" && number > 3", "pointers", &program],
    ));
    let expected = format!(
        "{program}
  pointers:bad   never recorded: no argument is called `text`: there are `good`, `high`, `low`, `null`, `part`
  pointers:cut   never recorded: no argument is called `number`: there are `data`, `text`
  pointers:end   never recorded: no argument is called `text`: there are `more`, `open`
  pointers:good  filtered by text (text), number (integer)
  pointers:null  never recorded: no argument is called `number`: there are `data`, `empty`, `none`, `text`
"
    );
    assert_eq!(found, expected);
    // A type that does not fit in one of the probes spoils nothing for the others.
    let found = printed(&check(
        &place,
        &["data[1] == 5 && text != \"\"", "*:c*,*:good", &program],
    ));
    let expected = format!(
        "{program}
  pointers:cut   filtered by data (text), text (text)
  pointers:good  never recorded: no argument is called `data`: there are `number`, `part`, `text`
"
    );
    assert_eq!(found, expected);
}

#[test]
fn files_as_linkers_leave_them() {
    let place = Place::new();
    for (name, words) in [
        ("life", &["-s"][..]),
        ("broken", &["-shared", "-fPIC"]),
        ("life", &["-static"]),
    ] {
        let program = place.compile_with(name, "program", words);
        let found = printed(&check(&place, &["x == 1", "*", &program]));
        assert!(
            found.ends_with("  filtered by x (integer)\n"),
            "{words:?}: {found}"
        );
    }
    let object = place.compile_with("life", "life.o", &["-c"]);
    let (said, code) = refused(&place, &["x == 1", "*", &object]);
    assert!(said.contains("life.o is not linked yet"), "{said}");
    assert_eq!(code, Some(4));
}

#[test]
fn the_probes_of_a_process() {
    let place = Place::new();
    let life = place.life("none");
    let pid = life.pid();
    let found = printed(&check(
        &place,
        &["x > 3 && $ctx.procname == \"li*\"", "--pid", &pid],
    ));
    let expected =
        format!("{pid} life\n  life:work  filtered by x (integer), $ctx.procname (text)\n");
    assert_eq!(found, expected);
    let (said, code) = refused(&place, &["y > 3", "life:*", "--pid", &pid]);
    assert_eq!(
        said,
        "error: no argument is called `y`: there is `x`\n  y > 3\n  ^\n"
    );
    assert_eq!(code, Some(2));
    // One that is not there is a failure, and spoils nothing for the other.
    let output = check(&place, &["x", "--pid", "999999999", "--pid", &pid]);
    assert_eq!(output.status.code(), Some(4));
    assert!(text(&output.stdout).ends_with("life:work  filtered by x (integer)\n"));
    assert_eq!(
        text(&output.stderr),
        "error: there is no process 999999999\n"
    );
}

#[test]
fn arguments_that_somebody_writes_down() {
    let place = Place::new();
    let list = "name: cstr, kind: enum(GET=0,SET=1), ratio: f32, data: bytes";
    let with = |expression| ["--arguments", list, expression];
    for (expression, taken) in [
        (
            "name == \"SET\" && kind == 1",
            "name (text), kind (integer)",
        ),
        ("-1 == ~0", "constants only"),
        ("-ratio < 0.5", "ratio (double)"),
        ("data[3] | $ctx.vtid", "data (text), $ctx.vtid (integer)"),
        ("1 || kind", "kind (integer)"),
    ] {
        let found = printed(&check(&place, &with(expression)));
        assert_eq!(found, format!("filtered by {taken}\n"), "{expression}");
    }
    for (expression, said) in [
        (
            "nmae == \"SET\"",
            "no argument is called `nmae`: did you mean `name`?\n  nmae == \"SET\"\n  ^^^^\n",
        ),
        (
            "kind = 1",
            "expected an operator or the end, found `=`, which is no operator: `==` compares\n  kind = 1\n       ^\n",
        ),
        (
            "name == 1",
            "`name`, a text, cannot be compared with an integer\n  name == 1\n  ^^^^^^^^^\n",
        ),
        (
            "kind == 1 &&",
            "expected a value, found the end\n  kind == 1 &&\n              ^\n",
        ),
    ] {
        let (found, code) = refused(&place, &with(expression));
        assert_eq!(found, format!("error: {said}"), "{expression}");
        assert_eq!(code, Some(2), "{expression}");
    }
}

#[test]
fn what_cannot_be_checked() {
    let place = Place::new();
    let program = place.file("life");
    let cases: [(&[&str], i32, &str); 9] = [
        (
            &["x", "none:*", &program],
            4,
            "no probe is called \"none:*\" there",
        ),
        (&["x", "*", "/bin/sh"], 4, "/bin/sh has no probes"),
        (
            &["x", "*", "/dev/null"],
            4,
            "is no program or shared object",
        ),
        (
            &["x", "*", "/does/not/exist"],
            4,
            "cannot read /does/not/exist: ",
        ),
        (
            &["x", "--pid", "999999999"],
            4,
            "there is no process 999999999",
        ),
        (&["x", &program], 2, "is no probe: expected provider:name"),
        (
            &["x", "*", &program, "--pid", "1"],
            2,
            "cannot be used with",
        ),
        (
            &["x", "*", "--arguments", "x: i32"],
            2,
            "cannot be used with",
        ),
        (
            &["x", "--arguments", "x"],
            2,
            "`x` is no argument, expected NAME: TYPE",
        ),
    ];
    for (words, expected_code, expected) in cases {
        let (said, code) = refused(&place, words);
        assert!(said.contains(expected), "{words:?}: {said}");
        assert_eq!(code, Some(expected_code), "{words:?}: {said}");
    }
}
