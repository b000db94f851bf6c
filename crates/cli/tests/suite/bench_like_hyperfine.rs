//! `perflab bench` executes, refuses and exports what the installed hyperfine does.

use std::process::Command;

use perflab_testing::{needs, not_checked, test_name};

use crate::bench_flags::log;
use crate::support::Laboratory;

fn hyperfine(arguments: &[&str]) -> Vec<String> {
    needs("hyperfine", "hyperfine");
    let laboratory = Laboratory::new();
    let output = Command::new("hyperfine")
        .args(["--style", "none"])
        .args(arguments)
        .current_dir(laboratory.path(""))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    laboratory.read("log").lines().map(str::to_owned).collect()
}

#[test]
fn the_same_as_hyperfine_itself() {
    for arguments in [
        &["-r", "3", "echo a >> log", "echo b >> log"][..],
        &[
            "-w",
            "2",
            "-r",
            "2",
            "-p",
            "echo p >> log",
            "echo a >> log",
            "echo b >> log",
        ],
        &[
            "-r",
            "2",
            "-s",
            "echo s >> log",
            "-c",
            "echo c >> log",
            "echo a >> log",
            "echo b >> log",
        ],
        &[
            "-r",
            "2",
            "-p",
            "echo pa >> log",
            "-p",
            "echo pb >> log",
            "echo a >> log",
            "echo b >> log",
        ],
        &[
            "-r",
            "2",
            "-L",
            "n",
            "1,2",
            "-L",
            "m",
            "x,y",
            "-s",
            "echo s {n} >> log",
            "echo {n} {m} >> log",
        ],
        &[
            "-r",
            "2",
            "-L",
            "n",
            "1,2",
            "echo a{n} >> log",
            "echo b{n} >> log",
        ],
        &[
            "-r",
            "2",
            "-P",
            "n",
            "1",
            "2",
            "echo a{n} >> log",
            "echo b{n} >> log",
        ],
        &[
            "-r",
            "2",
            "-L",
            "n",
            "1,2",
            "-p",
            "echo p >> log",
            "-p",
            "echo q >> log",
            "echo {n} >> log",
        ],
        &[
            "-r",
            "2",
            "-P",
            "n",
            "1",
            "3",
            "-p",
            "echo p {n} >> log",
            "echo {n} >> log",
        ],
        &[
            "-r",
            "2",
            "-P",
            "n",
            "-1.0",
            "1",
            "-D",
            "0.5",
            "echo {n} >> log",
        ],
        &["-r", "2", "-i", "echo a >> log; exit 1"],
    ] {
        let expected = hyperfine(arguments);
        assert!(!expected.is_empty(), "{arguments:?}");
        assert_eq!(
            log(&[&["--order", "sequential"], arguments].concat()),
            expected,
            "{arguments:?}"
        );
    }
}

/// The version of the hyperfine that is installed, as `(1, 20)`.
fn version() -> (u32, u32) {
    needs("hyperfine", "hyperfine");
    let output = Command::new("hyperfine").arg("--version").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut numbers = text.trim().trim_start_matches("hyperfine ").split('.');
    let mut number = || numbers.next().unwrap().parse().unwrap();
    (number(), number())
}

/// Invocations, and whether hyperfine 1.20.0 takes them.
const INVOCATIONS: [(&[&str], bool); 46] = [
    (&["true"], true),
    (&[""], false),
    (&["-N", " "], false),
    (&["true", ""], false),
    (&["-m", "5", "-M", "3", "true"], false),
    (&["-m", "3", "-M", "3", "true"], true),
    (&["-r", "3", "-m", "3", "true"], false),
    (&["-P", "n", "0.5", "1.5", "true {n}"], false),
    (&["-P", "n", "1", "1.5", "true {n}"], false),
    (&["-P", "n", "1", "2", "-D", "0.5", "true {n}"], true),
    (&["-P", "n", "0.5", "1.5", "-D", "1", "true {n}"], true),
    (&["-P", "n", "2", "1", "true {n}"], false),
    (&["-P", "n", "1", "2", "-D", "0", "true {n}"], false),
    (&["-P", "n", "a", "2", "true {n}"], false),
    (&["-D", "1", "true"], false),
    (&["-L", "n", "-1,2", "true {n}"], true),
    (&["-L", "n", "1", "-L", "n", "2", "true {n}"], false),
    (&["-L", "n", "1", "-P", "m", "1", "2", "true {n}"], false),
    (
        &[
            "-L", "n", "1,2", "-n", "a", "-n", "b", "-n", "c", "true {n}",
        ],
        false,
    ),
    (&["-L", "n", "1,2", "-n", "a", "true {n}"], true),
    (&["-n", "a", "-n", "b", "true"], false),
    (&["-n", "a", "true", "true 2"], true),
    (&["-p", "true", "-p", "true", "true", "true", "true"], false),
    (
        &[
            "-p",
            "true",
            "-p",
            "true",
            "--reference",
            "true",
            "true",
            "true",
        ],
        false,
    ),
    (
        &["-p", "true", "-p", "true", "--reference", "true", "true"],
        true,
    ),
    (&["-C", "true", "-C", "true", "true", "true 2"], true),
    (
        &["--reference", "true", "--reference-name", "r", "true 2"],
        true,
    ),
    (&["--reference-name", "r", "true"], false),
    (&["--output", "null", "true"], true),
    (&["--output", "pipe", "true"], true),
    (&["--output", "pipes", "true"], false),
    (&["--output", "./pipe", "true"], true),
    (
        &["--output", "null", "--output", "pipe", "true", "true 2"],
        true,
    ),
    (&["--output", "null", "--output", "pipe", "true"], false),
    (&["--output", "null", "--show-output", "true"], false),
    (&["--style", "basic", "--show-output", "true"], false),
    (&["--style", "nocolor", "true"], true),
    (&["--style", "colour", "true"], false),
    (&["--sort", "mean-time", "true"], true),
    (&["--sort", "mean", "true"], false),
    (
        &["--min-benchmarking-time", "0.01", "-m", "2", "true"],
        true,
    ),
    (&["--min-benchmarking-time", "x", "true"], false),
    (&["-S", "", "true"], false),
    (&["-S", "''", "true"], false),
    (&["-S", "sh", "-S", "sh -u", "true"], true),
    (&["--ignore-failure=", "false"], true),
];

#[test]
fn what_hyperfine_refuses_is_refused_and_the_rest_is_taken() {
    for (arguments, taken) in INVOCATIONS {
        let laboratory = Laboratory::new();
        let bounds = ["bench", "-M", "3"];
        let own_bounds = arguments
            .iter()
            .any(|flag| ["-r", "-m", "-M"].contains(flag));
        let bounds = &bounds[..if own_bounds { 1 } else { 3 }];
        let said = laboratory.call(&[bounds, arguments].concat());
        let expected = if taken { 0 } else { 2 };
        assert_eq!(said.code, expected, "{arguments:?}: {said:?}");
    }
    if version() < (1, 20) {
        not_checked(
            &test_name(),
            "the answers are those of hyperfine 1.20, and an older one is installed",
        );
        return;
    }
    for (arguments, taken) in INVOCATIONS {
        let laboratory = Laboratory::new();
        let bounds = ["--style", "none", "-M", "3"];
        let own_bounds = arguments
            .iter()
            .any(|flag| ["-r", "-m", "-M"].contains(flag));
        let own_style = arguments
            .iter()
            .any(|flag| ["--style", "--show-output"].contains(flag));
        let bounds = &bounds[if own_style { 2 } else { 0 }..if own_bounds { 2 } else { 4 }];
        let output = Command::new("hyperfine")
            .args(bounds)
            .args(arguments)
            .current_dir(laboratory.path(""))
            .output()
            .unwrap();
        assert_eq!(output.status.success(), taken, "{arguments:?}: {output:?}");
    }
}

/// A text with `0` for each number, and no blanks that make columns even.
fn shape(text: &str) -> String {
    let mut shape = String::new();
    for character in text.trim_end().chars() {
        let in_number = character.is_ascii_digit() || character == '.';
        if !in_number {
            shape.push(character);
        } else if !shape.ends_with('0') {
            shape.push('0');
        }
    }
    shape
}

const EXPORTS: [&str; 4] = ["csv", "markdown", "asciidoc", "orgmode"];

/// What `program` exports for these commands, each export by its shape.
fn exports(laboratory: &Laboratory, mut program: Command, arguments: &[&str]) -> Vec<String> {
    for format in EXPORTS {
        program.args([format!("--export-{format}"), format!("out.{format}")]);
    }
    let output = program.args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    EXPORTS
        .iter()
        .map(|format| shape(&laboratory.read(&format!("out.{format}"))))
        .collect()
}

#[test]
fn tables_are_those_of_hyperfine() {
    // In one unit, and with a sure order of the means.
    let mut cases = vec![
        vec!["sleep 0.01", "sleep 0.03"],
        vec![
            "-L",
            "b",
            "1",
            "-L",
            "a",
            "5",
            "-n",
            "{b} and | {a}",
            "sleep 0.0{b}{a}",
        ],
        vec!["--reference", "sleep 0.03", "sleep 0.01"],
    ];
    if version() >= (1, 20) {
        cases.push(vec!["--sort", "mean-time", "sleep 0.03", "sleep 0.01"]);
        cases.push(vec!["-L", "unused", "1", "sleep 0.01"]);
        let names = [
            "--reference",
            "sleep 0.03",
            "--reference-name",
            "r",
            "sleep 0.01",
        ];
        cases.push(names.to_vec());
    } else {
        not_checked(
            &format!(
                "{} (--sort, --reference-name, parameters that no command shows)",
                test_name()
            ),
            "hyperfine 1.20 has them, and an older one is installed",
        );
        cases.remove(2);
    }
    for arguments in cases {
        let common = ["-N", "-r", "3", "-u", "millisecond"];
        let arguments = [&common[..], &arguments].concat();
        let laboratory = Laboratory::new();
        let mut theirs = Command::new("hyperfine");
        theirs
            .args(["--style", "none"])
            .current_dir(laboratory.path(""));
        let theirs = exports(&laboratory, theirs, &arguments);
        let laboratory = Laboratory::new();
        let ours = exports(
            &laboratory,
            laboratory.perflab(&["bench", "-q"]),
            &arguments,
        );
        assert_eq!(ours, theirs, "{arguments:?}");
    }
}

#[test]
fn tables_of_what_only_newer_versions_have() {
    let laboratory = Laboratory::new();
    let common = [
        "bench",
        "-q",
        "-N",
        "-r",
        "2",
        "-u",
        "millisecond",
        "--export-orgmode",
        "-",
    ];
    for (arguments, expected) in [
        (
            &["--sort", "mean-time", "sleep 0.03", "sleep 0.01"][..],
            [
                "=sleep 0=  |  0 ± 0 |  0 |  0 |  0 |",
                "=sleep 0=  |  0 ± 0 |  0 |  0 |  0 ± 0 |",
            ],
        ),
        (
            &[
                "--reference",
                "sleep 0.01",
                "--reference-name",
                "r",
                "-L",
                "m",
                "x",
                "sleep 0.03",
            ],
            [
                "=r=  |  0 ± 0 |  0 |  0 |  0 |",
                "=sleep 0 (m = x)=  |  0 ± 0 |  0 |  0 |  0 ± 0 |",
            ],
        ),
    ] {
        let said = laboratory.call(&[&common[..], arguments].concat()).code(0);
        let rows: Vec<String> = said.out.lines().skip(2).map(shape).collect();
        let expected = expected.map(|row| format!("| {row}"));
        assert_eq!(rows, expected, "{arguments:?}");
    }
}
