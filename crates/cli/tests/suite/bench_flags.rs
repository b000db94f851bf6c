//! `perflab bench` takes hyperfine's flags with hyperfine's meanings. What is executed is seen in a
//! log that the commands themselves write.

use std::process::Command;

use perflab_testing::needs;

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
        "1: first\n",
        "2: second 1\n",
        "second 1 against first",
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
            "bench", "-N", "-r", "2", "--input", "in", "--output", "out", "cat",
        ])
        .code(0);
    assert_eq!(laboratory.read("out"), "one\ntwo\n");
    let said = laboratory
        .call(&["bench", "-q", "-r", "2", "--show-output", "echo seen"])
        .code(0);
    assert_eq!(said.out, "seen\nseen\n");
}
