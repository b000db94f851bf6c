//! Where the commands of `perflab bench` read from and write to.

use crate::support::Laboratory;

#[test]
fn input_and_output() {
    let laboratory = Laboratory::new();
    laboratory.write("in", "one\ntwo\n");
    laboratory
        .call(&[
            "bench", "-N", "-r", "2", "--input", "in", "--output", "./out", "cat",
        ])
        .code(0);
    assert_eq!(laboratory.read("out"), "one\ntwo\n");
    let said = laboratory
        .call(&["bench", "-q", "-r", "2", "--show-output", "echo seen"])
        .code(0);
    assert_eq!(said.out, "seen\nseen\n");
}

/// Writes to a file what its standard output is.
const KIND: &str = "sh -c 'stat -Lc %F - <&1 >> kinds; seq 100000'";

#[test]
fn output_goes_where_it_should() {
    let laboratory = Laboratory::new();
    for (place, kind) in [
        ("null", "character special file"),
        ("pipe", "fifo"),
        ("./pipe", "regular empty file"),
    ] {
        laboratory.write("kinds", "");
        laboratory
            .call(&["bench", "-N", "-q", "-r", "2", "--output", place, KIND])
            .code(0);
        assert_eq!(
            laboratory.read("kinds"),
            format!("{kind}\n").repeat(2),
            "{place}"
        );
    }
    assert_eq!(laboratory.read("pipe").lines().count(), 100_000);
    laboratory
        .call(&["bench", "-q", "-r", "2", "--output", "pipe", "true"])
        .code(0);
    laboratory
        .call(&["bench", "-q", "--output", "out", "true"])
        .code(2)
        .says(&["./out", "pipe"]);
}

#[test]
fn output_of_each_command() {
    let laboratory = Laboratory::new();
    let places = ["--output", "./a", "--output", "inherit", "--output", "./c"];
    let commands = ["--reference", "echo a", "echo b", "echo c"];
    let bench = [&["bench", "-q", "-r", "2"], &places[..], &commands].concat();
    let said = laboratory.call(&bench).code(0);
    assert_eq!(said.out, "b\nb\n");
    assert_eq!(
        (laboratory.read("a"), laboratory.read("c")),
        ("a\n".into(), "c\n".into())
    );
}
