//! What files of other tools hold on one side only, in another unit, or twice.

use crate::support::Laboratory;

/// Google Benchmark's JSON of one process.
fn benchmark(values: &[(&str, f64, &str)]) -> String {
    let runs = values.iter().map(|(name, time, unit)| {
        format!(
            r#"{{"name": "{name}", "run_name": "{name}", "run_type": "iteration", "repetitions": 1,
                "iterations": 10, "real_time": {time}, "cpu_time": {time}, "time_unit": "{unit}"}}"#
        )
    });
    let runs = runs.collect::<Vec<_>>().join(",");
    format!(r#"{{"context": {{"date": "2026-01-01T00:00:00+00:00"}}, "benchmarks": [{runs}]}}"#)
}

/// Eight processes of two programs; what each measured, given its number.
fn imported(laboratory: &Laboratory, old: impl Fn(f64) -> String, new: impl Fn(f64) -> String) {
    let mut arguments = vec!["import".to_owned()];
    for process in 0..8 {
        let number = f64::from(process);
        for (name, text) in [("old", old(number)), ("new", new(number))] {
            laboratory.write(&format!("{name}{process}.json"), text);
            arguments.push(format!("{name}={name}{process}.json"));
        }
    }
    arguments.extend(["--out".to_owned(), "result".to_owned()]);
    laboratory.call(&arguments).code(0);
}

#[test]
fn times_in_other_units_are_compared() {
    let laboratory = Laboratory::new();
    imported(
        &laboratory,
        |process| benchmark(&[("x", 900.0 + process, "us"), ("y", 50.0 + process, "ns")]),
        |process| {
            benchmark(&[
                ("x", 9.0 + 0.01 * process, "ms"),
                ("y", 50.5 + process, "ns"),
            ])
        },
    );
    let said = laboratory.call(&["compare", "result", "--benchmark", "x"]);
    said.code(1).prints(&["slower", "+90"]);
}

#[test]
fn what_one_side_lacks_is_named_and_passes_no_gate() {
    let laboratory = Laboratory::new();
    imported(
        &laboratory,
        |process| benchmark(&[("a", 100.0 + process, "ns"), ("b", 50.0 + process, "ns")]),
        |process| benchmark(&[("a", 100.5 + process, "ns")]),
    );
    let told = "old has runs of it, new has none";
    laboratory
        .call(&["compare", "result"])
        .code(4)
        .prints(&[told, "b real_time in ns"]);
    let same = ["compare", "result", "--gate", "same", "--margin", "50%"];
    laboratory.call(&same).code(4);
    let json = ["compare", "result", "--format", "json", "--gate", "none"];
    laboratory.call(&json).code(0).prints(&[told]);
    let table = ["compare", "result", "--format", "csv"];
    laboratory.call(&table).code(4).says(&[told]);
}

#[test]
fn a_regression_is_one_whatever_else_is_missing() {
    let laboratory = Laboratory::new();
    imported(
        &laboratory,
        |process| benchmark(&[("a", 100.0 + process, "ns"), ("b", 50.0 + process, "ns")]),
        |process| benchmark(&[("a", 200.0 + process, "ns")]),
    );
    laboratory.call(&["compare", "result"]).code(1);
}

#[test]
fn a_file_that_is_named_twice_is_refused() {
    let laboratory = Laboratory::new();
    let text = benchmark(&[("a", 100.0, "ns")]);
    for name in ["one.json", "copy.json"] {
        laboratory.write(name, &text);
    }
    laboratory
        .call(&["import", "old=one.json", "old=copy.json", "--out", "result"])
        .code(2)
        .says(&["copy.json holds the same as one.json", "counts once"]);
    // Counts may be equal by chance; the same file is not.
    for name in ["one.txt", "two.txt", "three.txt"] {
        let number = if name == "three.txt" { "4\n" } else { "5\n" };
        laboratory.write(name, number);
    }
    let columns = [
        "import",
        "old=one.txt",
        "old=two.txt",
        "new=three.txt",
        "--out",
        "counts",
    ];
    laboratory
        .call(&columns)
        .code(0)
        .says(&["two.txt holds the same as one.txt; if it is a copy"]);
    let twice = ["import", "old=one.txt", "old=./one.txt", "--out", "twice"];
    laboratory.call(&twice).code(2).says(&["counts once"]);
    // Two variants may have measured the same.
    laboratory
        .call(&["import", "old=one.json", "new=copy.json", "--out", "result"])
        .code(0);
}

#[test]
fn a_value_that_is_no_number_is_refused_with_file_and_place() {
    let laboratory = Laboratory::new();
    let text = benchmark(&[("x", 900.0, "us"), ("y", 50.0, "ns")]);
    laboratory.write("one.json", text.replace("50", "NaN"));
    laboratory
        .call(&["import", "one.json", "--out", "result"])
        .code(4)
        .says(&["one.json: expected a finite number at /benchmarks/1/real_time"]);
    assert!(!laboratory.path("result").exists());
}

#[test]
fn two_results_of_one_command_in_one_file_are_refused() {
    let laboratory = Laboratory::new();
    let result = |time: u32| {
        format!(
            r#"{{"command": "make", "mean": {time}, "stddev": 0, "median": {time}, "user": 0, "system": 0,
                "min": {time}, "max": {time}, "times": [{time}, {time}, {time}]}}"#
        )
    };
    laboratory.write(
        "h.json",
        format!(r#"{{"results": [{}, {}]}}"#, result(1), result(2)),
    );
    laboratory
        .call(&["import", "h.json", "--out", "result"])
        .code(4)
        .says(&[
            "h.json: /results/0 and /results/1 are both of the command `make`",
            "--command-name",
        ]);
}

#[test]
fn a_label_of_which_nothing_is_left_is_refused() {
    let laboratory = Laboratory::new();
    laboratory.write("one.json", benchmark(&[("x", 900.0, "us")]));
    laboratory
        .call(&["import", "é=one.json", "--out", "result"])
        .code(2)
        .says(&["`é=one.json`: expected a letter from a to z or a digit in the label"]);
    laboratory
        .call(&["import", "café crème=one.json", "--out", "result"])
        .code(0);
    assert!(laboratory.path("result").exists());
    laboratory
        .call(&["show", "result"])
        .code(0)
        .prints(&["caf-cr-me"]);
}
