//! Results that are cut short, altered or incomplete: said clearly, never computed with.

use std::fs;

use crate::support::{Laboratory, RUN};

pub const EXPERIMENT: &str = r#"
[design]
runs = 6

[variants.a]
vars = { base = "10" }

[variants.b]
vars = { base = "20" }

[workloads.w]
driver = "generic"
shell = true
command = "echo VALUE $(({base} + $$ % 5)) s time"

[[workloads.w.metrics]]
name = "time"
unit = "s"
better = "lower"
values = true
"#;

/// A laboratory with a complete result.
pub fn measured() -> Laboratory {
    let laboratory = Laboratory::new();
    laboratory.run(EXPERIMENT).code(0);
    laboratory.assert_complete(12);
    laboratory
}

/// Changes one byte in the middle of a file of the result.
fn alter(laboratory: &Laboratory, file: &str) {
    let path = laboratory.path("result").join(file);
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path, bytes).unwrap();
}

/// Checks that every command that reads results refuses this one.
#[track_caller]
fn refused(laboratory: &Laboratory, words: &[&str]) {
    for arguments in [
        &["compare", "result"][..],
        &["show", "result"],
        &["show", "result", "--run", "1"],
        &[&RUN[..], &["--resume"]].concat(),
    ] {
        let said = laboratory.call(arguments).code(4).says(words);
        assert!(said.out.is_empty(), "{}", said.out);
    }
}

#[test]
fn what_is_no_result() {
    let laboratory = Laboratory::new();
    laboratory.write("file", "1\n");
    fs::create_dir(laboratory.path("empty")).unwrap();
    laboratory
        .call(&["compare", "none"])
        .code(2)
        .says(&["none is no result directory"]);
    laboratory
        .call(&["compare", "file"])
        .code(2)
        .says(&["file is no result directory", "LABEL=FILE"]);
    laboratory
        .call(&["compare", "empty"])
        .code(4)
        .says(&["expected meta.json", "empty"]);
    laboratory
        .call(&["show", "none"])
        .code(2)
        .says(&["there is no directory none"]);
    laboratory
        .call(&["show", "empty"])
        .code(0)
        .prints(&["no results here yet"]);
    laboratory
        .call(&["show", "empty", "--run", "1"])
        .code(4)
        .says(&["expected meta.json"]);
    laboratory.call(&["compare"]).code(2).says(&["<RESULT>"]);
    for path in ["none", "file", "file/below"] {
        let none = format!("expected a results directory, found none at {path}");
        for arguments in [
            &["export", path, "--to", "csv"][..],
            &["plan", path, "--show", "1%"],
            &["report", path, "-o", "pages"],
        ] {
            laboratory.call(arguments).code(2).says(&[&none]);
        }
    }
}

#[test]
fn a_result_cannot_be_where_a_file_is() {
    let laboratory = Laboratory::new();
    laboratory.write("file", "1\n");
    laboratory.write("exp.toml", EXPERIMENT);
    for path in ["file", "file/below"] {
        for arguments in [
            &["run", "exp.toml", "--out", path][..],
            &["import", "file", "--out", path],
        ] {
            laboratory.call(arguments).code(2).says(&[path]);
        }
        let resumed = laboratory.call(&["run", "exp.toml", "--resume", "--out", path]);
        resumed.code(2).says(&["found none at", path]);
    }
    assert_eq!(laboratory.read("file"), "1\n");
}

#[test]
fn a_last_record_that_was_cut_off() {
    let laboratory = measured();
    let whole = laboratory.read("result/runs.jsonl");
    laboratory.write("result/runs.jsonl", &whole[..whole.len() - 20]);
    // No kill leaves that: the output gets its name after the whole line.
    let output = laboratory.path("result/runs/000012");
    for arguments in [["compare", "result"], ["show", "result"]] {
        let said = laboratory.call(&arguments).code(4);
        said.says(&["its output is in runs/000012"]);
    }
    laboratory
        .resume()
        .code(4)
        .says(&["its output is in runs/000012"]);
    fs::rename(&output, output.with_extension("partial")).unwrap();
    for arguments in [
        ["compare", "result", "--gate=none"],
        ["show", "result", "--"],
    ] {
        laboratory
            .call(&arguments)
            .code(0)
            .prints(&["runs.jsonl ends within a line"]);
    }
    laboratory
        .resume()
        .code(0)
        .says(&["runs.jsonl.cut-1", "measured again"]);
    laboratory.assert_complete(12);
    let kept = whole[..whole.len() - 1].rfind('\n').unwrap();
    assert!(
        laboratory
            .read("result/runs.jsonl")
            .starts_with(&whole[..=kept])
    );
}

#[test]
fn a_record_with_an_altered_byte() {
    let laboratory = measured();
    let whole = laboratory.read("result/runs.jsonl");
    let mut lines: Vec<&str> = whole.lines().collect();
    let third = lines[2].replacen("\"value\":", "\"value\":1", 1);
    lines[2] = &third;
    laboratory.write("result/runs.jsonl", lines.join("\n") + "\n");
    refused(&laboratory, &["result/runs.jsonl:3: ", "checksum"]);
}

#[test]
fn a_record_that_is_there_twice() {
    let laboratory = measured();
    let whole = laboratory.read("result/runs.jsonl");
    let first = whole.lines().next().unwrap();
    laboratory.write("result/runs.jsonl", format!("{whole}{first}\n"));
    refused(
        &laboratory,
        &["result/runs.jsonl:13: ", "already recorded in line 1"],
    );
}

#[test]
fn an_altered_file_beside_the_records() {
    let laboratory = measured();
    for file in ["experiment.toml", "plan.json", "fingerprint.json"] {
        alter(&laboratory, file);
        refused(&laboratory, &[&format!("result/{file}"), "altered"]);
        // The same once more undoes it.
        alter(&laboratory, file);
        laboratory.call(&["show", "result"]).code(0);
    }
    alter(&laboratory, "meta.json");
    refused(&laboratory, &["result/meta.json:1: ", "checksum"]);
}

#[test]
fn a_file_that_is_missing() {
    let laboratory = measured();
    let away = laboratory.path("away");
    for file in [
        "experiment.toml",
        "plan.json",
        "fingerprint.json",
        "runs.jsonl",
        "meta.json",
    ] {
        let path = laboratory.path("result").join(file);
        fs::rename(&path, &away).unwrap();
        refused(
            &laboratory,
            &[&format!("expected {file} in the results directory result")],
        );
        assert!(
            !laboratory.path("result/index.sqlite").exists(),
            "reading must not write"
        );
        fs::rename(&away, &path).unwrap();
        laboratory.call(&["show", "result"]).code(0);
    }
}

#[test]
fn a_note_of_the_end_that_was_altered() {
    let laboratory = measured();
    let note = r#"{"schema":1,"reason":"decided","blocks":1,"crc":"00000000"}"#;
    laboratory.write("result/stopped.json", format!("{note}\n"));
    let words = ["result/stopped.json:1: ", "checksum"];
    for arguments in [
        &["compare", "result"][..],
        &["show", "result"],
        &["show", "result", "--run", "1"],
        &["export", "result", "--to", "csv"],
        &["plan", "result", "--show", "1%"],
        &["steady", "result"],
    ] {
        let said = laboratory.call(arguments).code(4).says(&words);
        assert!(said.out.is_empty(), "{}", said.out);
    }
    for arguments in [["index", "."], ["show", "."]] {
        let listed = laboratory.call(&arguments).code(0).prints(&words);
        listed.prints(&["result  cannot be read:"]);
    }
    // What looks at damaged results says what is wrong, and shows the rest.
    let pages = laboratory
        .call(&["report", "result", "-o", "pages"])
        .code(4);
    pages.says(&words);
    assert!(laboratory.read("pages/index.html").contains("stopped.json"));
}

#[test]
fn a_result_in_which_one_variant_never_passed() {
    let laboratory = Laboratory::new();
    // With an order in which the experiment does not end before `a` has passed.
    let broken = EXPERIMENT
        .replace("runs = 6", "runs = 6\nseed = 1")
        .replace("echo VALUE", "[ {base} = 10 ] && echo VALUE");
    laboratory.run(&broken).code(4);
    let why = [
        "no run of `b` passed",
        "3 of its runs failed",
        "EXIT the workload ended with exit code 1",
    ];
    laboratory.call(&["compare", "result"]).code(4).says(&why);
    laboratory
        .call(&["compare", "result", "--baseline", "b"])
        .code(4)
        .says(&why);
    laboratory
        .call(&["show", "result"])
        .code(0)
        .prints(&["b/w: 3 EXIT"]);
}

#[test]
fn a_variant_that_never_passed_beside_two_that_did() {
    let laboratory = Laboratory::new();
    // Two runs each: too few to stop the experiment, and too few to prove anything.
    let broken = EXPERIMENT
        .replace("runs = 6", "runs = 2\nblock = 1\nmargin = '99%'")
        .replace(
            "[workloads.w]",
            "[variants.c]\nvars = { base = \"$(exit 7)\" }\n[workloads.w]",
        )
        .replace("echo VALUE", "[ '{variant}' != c ] || exit 7; echo VALUE");
    laboratory
        .run(&broken)
        .code(4)
        .says(&["no run of c/w passed"]);
    for gate in ["regression", "same"] {
        let said = laboratory
            .call(&["compare", "result", "--gate", gate])
            .code(4);
        said.says(&["no run of c/w passed"])
            .prints(&["2 of 2 runs of c failed", "exit code 7"]);
    }
    laboratory
        .call(&["compare", "result", "--gate", "none"])
        .code(0);
}

#[test]
fn a_damaged_result_does_not_hide_the_others_in_a_list() {
    let laboratory = measured();
    laboratory
        .call(&["run", "exp.toml", "--out", "other"])
        .code(0);
    alter(&laboratory, "plan.json");
    laboratory.call(&["show", "."]).code(0).prints(&[
        "result  cannot be read:",
        "altered",
        "other  ",
        "12/12 runs",
    ]);
}

#[test]
fn results_are_never_overwritten() {
    let laboratory = measured();
    let before = laboratory.read("result/runs.jsonl");
    laboratory
        .call(&RUN)
        .code(2)
        .says(&["new or empty directory", "--resume"]);
    assert_eq!(laboratory.read("result/runs.jsonl"), before);
}
