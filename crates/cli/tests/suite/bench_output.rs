//! What `perflab bench` prints and exports.

use crate::support::Laboratory;

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
fn a_single_run_has_a_time_and_no_deviation() {
    let laboratory = Laboratory::new();
    let said = laboratory.call(&["bench", "-N", "-r", "1", "true"]).code(0);
    let said = said.prints(&["   mean ", ", median "]);
    assert!(!said.out.contains('±'), "{}", said.out);
    let said = laboratory.call(&["bench", "-N", "-r", "2", "true"]).code(0);
    said.prints(&[" ± "]);
}

/// A name that serves several commands gets the parameters that it does not show itself.
#[test]
fn commands_under_one_name_can_be_told_apart() {
    for (name, names) in [
        (
            "N {x}",
            ["N a (y = 1)", "N b (y = 1)", "N a (y = 2)", "N b (y = 2)"],
        ),
        (
            "N",
            [
                "N (x = a, y = 1)",
                "N (x = b, y = 1)",
                "N (x = a, y = 2)",
                "N (x = b, y = 2)",
            ],
        ),
        ("{x}{y}", ["a1", "b1", "a2", "b2"]),
    ] {
        let laboratory = Laboratory::new();
        let fixed = ["bench", "-N", "-r", "2", "--export-markdown", "out.md"];
        let lists = ["-L", "x", "a,b", "-L", "y", "1,2", "true {x} {y}"];
        let said = laboratory
            .call(&[&fixed[..], &["-n", name], &lists].concat())
            .code(0);
        let table = laboratory.read("out.md");
        for (number, name) in (1..).zip(names) {
            let line = format!("{number}: {name}\n");
            assert!(said.out.contains(&line), "{}", said.out);
            assert!(table.contains(&format!("| `{name}` |")), "{table}");
        }
    }
}

/// What a flag does not do, and what it can change, its help says.
#[test]
fn limits_of_flags_are_in_their_help() {
    let help = Laboratory::new().call(&["bench", "--help"]).code(0).out;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "Unit of times in the lines on each command and in exported tables; the comparison below them chooses its own",
        "do less work where it goes to /dev/null, and pipe can then give the opposite verdict",
    ] {
        assert!(help.contains(words), "{words} is not in {help}");
    }
}
