//! `perflab bench` takes hyperfine's flags with hyperfine's meanings. What is executed is seen in a
//! log that the commands themselves write.

use std::process::Command;

use perflab_testing::{needs, not_checked, test_name};

use crate::support::Laboratory;

/// The lines that the commands of a bench appended to `log`.
#[track_caller]
fn log(arguments: &[&str]) -> Vec<String> {
    let laboratory = Laboratory::new();
    laboratory
        .call(&[&["bench", "--quiet"], arguments].concat())
        .code(0);
    laboratory.read("log").lines().map(str::to_owned).collect()
}

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
fn an_exact_number_of_runs() {
    assert_eq!(log(&["-r", "7", "echo x >> log"]).len(), 7);
    assert_eq!(log(&["-r", "1", "echo x >> log"]).len(), 1);
    assert_eq!(log(&["-w", "2", "-r", "3", "echo x >> log"]).len(), 5);
    assert_eq!(log(&["-N", "-r", "4", "sh -c 'echo x >> log'"]).len(), 4);
}

#[test]
fn bounds_on_the_number_of_runs() {
    assert_eq!(log(&["-M", "4", "echo x >> log"]).len(), 4);
    // Nine seconds and more would be over any budget.
    let runs = log(&["-m", "5", "-M", "5", "echo x >> log"]);
    assert_eq!(runs.len(), 5);
}

#[test]
fn what_is_executed_around_the_runs() {
    let around = [
        "-s",
        "echo setup >> log",
        "-p",
        "echo prepare >> log",
        "-C",
        "echo conclude >> log",
    ];
    let rest = [
        "-c",
        "echo cleanup >> log",
        "-w",
        "1",
        "-r",
        "2",
        "echo run >> log",
    ];
    let run = ["prepare", "run", "conclude"];
    let expected = [&["setup"][..], &run, &run, &run, &["cleanup"]].concat();
    assert_eq!(log(&[&around[..], &rest].concat()), expected);
}

#[test]
fn prepare_and_conclude_for_each_command() {
    let lines = log(&[
        "--order",
        "sequential",
        "-r",
        "1",
        "-p",
        "echo before a >> log",
        "-p",
        "echo before b >> log",
        "-C",
        "echo after a >> log",
        "-C",
        "echo after b >> log",
        "echo a >> log",
        "echo b >> log",
    ]);
    assert_eq!(
        lines,
        ["before a", "a", "after a", "before b", "b", "after b"]
    );
}

#[test]
fn parameters_are_filled_in_everywhere() {
    let arguments = [
        "--order",
        "sequential",
        "-r",
        "1",
        "-s",
        "echo setup {n} >> log",
        "-p",
        "echo prepare {n} >> log",
        "-C",
        "echo conclude {n} >> log",
        "-c",
        "echo cleanup {n} >> log",
    ];
    let mut lines = log(&[&arguments[..], &["-L", "n", "x,y", "echo run {n} >> log"]].concat());
    for value in ["x", "y"] {
        let own: Vec<String> = lines.drain(..5).collect();
        let expected = ["setup", "prepare", "run", "conclude", "cleanup"]
            .map(|what| format!("{what} {value}"));
        assert_eq!(own, expected);
    }
}

#[test]
fn lists_multiply_and_scans_count() {
    let sequential = ["--order", "sequential", "-r", "1"];
    let lists = ["-L", "a", "1,2", "-L", "b", "x,y", "echo {a}{b} >> log"];
    assert_eq!(
        log(&[&sequential[..], &lists].concat()),
        ["1x", "2x", "1y", "2y"]
    );
    let scan = ["-P", "n", "0.5", "2", "-D", "0.5", "echo {n} >> log"];
    assert_eq!(
        log(&[&sequential[..], &scan].concat()),
        ["0.5", "1.0", "1.5", "2.0"]
    );
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

#[test]
fn names_in_the_output() {
    let laboratory = Laboratory::new();
    let arguments = [
        "bench",
        "-r",
        "2",
        "-n",
        "first",
        "-n",
        "second {n}",
        "-L",
        "n",
        "1",
        "true",
        "true {n}",
    ];
    laboratory.call(&arguments).code(0).prints(&[
        "1: first (n = 1)\n",
        "2: second 1\n",
        "second 1 against first (n = 1)",
    ]);
}

#[test]
fn a_reference_comes_first() {
    let laboratory = Laboratory::new();
    let arguments = ["bench", "-r", "2", "--reference", "true base", "true other"];
    laboratory
        .call(&arguments)
        .code(0)
        .prints(&["1: true base\n", "true other against true base"]);
}

#[test]
fn exports_go_to_files_or_to_standard_output() {
    let laboratory = Laboratory::new();
    let json = laboratory.path("out.json");
    let arguments = [
        "bench",
        "-q",
        "-r",
        "3",
        "--export-json",
        json.to_str().unwrap(),
        "-L",
        "n",
        "1,2",
        "true {n}",
    ];
    let said = laboratory.call(&arguments).code(0);
    assert!(said.out.is_empty() && said.err.is_empty(), "{said:?}");
    let exported: serde_json::Value = serde_json::from_str(&laboratory.read("out.json")).unwrap();
    let results = exported["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    for (result, number) in results.iter().zip(["1", "2"]) {
        assert_eq!(result["command"], format!("true {number}"));
        assert_eq!(result["parameters"]["n"], number);
        assert_eq!(result["times"].as_array().unwrap().len(), 3);
        assert_eq!(result["exit_codes"], serde_json::json!([0, 0, 0]));
    }

    let said = laboratory
        .call(&["bench", "-q", "-r", "2", "--export-csv", "-", "true"])
        .code(0);
    assert!(
        said.out.starts_with("command,mean,stddev,median,"),
        "{}",
        said.out
    );
    let said = laboratory
        .call(&["bench", "-q", "-r", "2", "--export-markdown", "-", "true"])
        .code(0);
    assert!(said.out.starts_with("| Command |"), "{}", said.out);
    let said = laboratory
        .call(&[
            "bench",
            "-q",
            "-r",
            "6",
            "--export-report",
            "-",
            "true",
            "true 2",
        ])
        .code(0);
    assert_eq!(said.json()["rows"][0]["variant"], "true 2");
}

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

#[test]
fn comparisons_are_in_the_order_that_is_asked_for() {
    let laboratory = Laboratory::new();
    let commands = ["sleep 0.01", "sleep 0.05", "sleep 0.03"];
    for (method, expected) in [
        ("auto", ["sleep 0.05", "sleep 0.03"]),
        ("command", ["sleep 0.05", "sleep 0.03"]),
        ("mean-time", ["sleep 0.03", "sleep 0.05"]),
    ] {
        let flags = [
            "bench",
            "-q",
            "-N",
            "-r",
            "2",
            "--export-report",
            "-",
            "--sort",
            method,
        ];
        let report = laboratory
            .call(&[&flags[..], &commands].concat())
            .code(0)
            .json();
        let rows = report["rows"].as_array().unwrap().clone();
        let variants: Vec<_> = rows.iter().map(|row| row["variant"].clone()).collect();
        assert_eq!(variants, expected, "{method}");
    }
}

#[test]
fn styles() {
    let laboratory = Laboratory::new();
    let said = |style: &str| {
        let bench = [
            "bench",
            "-N",
            "-r",
            "6",
            "--style",
            style,
            "true",
            "sleep 0.02",
        ];
        laboratory.call(&bench).code(0).out
    };
    assert!(said("full").contains('\x1b') && said("color").contains('\x1b'));
    for style in ["auto", "basic", "nocolor"] {
        let out = said(style);
        assert!(
            out.contains("1: true") && !out.contains('\x1b'),
            "{style}: {out}"
        );
    }
    assert_eq!(said("none"), "");
}

#[test]
fn the_time_to_fill() {
    let runs = |seconds: &str| {
        let short = ["--min-benchmarking-time", seconds, "-m", "2"];
        log(&[&short[..], &["echo x >> log; sleep 0.02"]].concat()).len()
    };
    assert_eq!(runs("0"), 3);
    assert!((6..=30).contains(&runs("0.5")));
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

#[test]
fn runs_have_numbers() {
    let lines = log(&["-w", "1", "-r", "3", "echo $HYPERFINE_ITERATION >> log"]);
    assert_eq!(lines, ["warmup-0", "0", "1", "2"]);
}
