//! What is refused, with which exit code, and in which words.

use std::fs::OpenOptions;

use crate::damaged_results::measured;
use crate::plain_files::with_good;
use crate::support::{Laboratory, Said};

/// A path that is not there is a slip on the command line; a file with nothing in it is no data.
#[test]
fn files_that_are_not_there_and_files_that_hold_nothing() {
    let laboratory = with_good();
    laboratory.write("empty", "");
    for (code, file) in [(2, "none"), (4, "empty")] {
        for command in [
            &["import", "good", file, "--out", "result"][..],
            &["compare", "a=good", &format!("b={file}")],
            &["steady", "good", file],
        ] {
            laboratory.call(command).code(code).says(&[file]);
        }
    }
    for command in [
        &["export", "none", "--to", "csv"][..],
        &["report", "none", "-o", "pages"],
        &["plan", "none", "--show", "1%"],
        &["compare", "none"],
        &["index", "none"],
        &["show", "none"],
    ] {
        laboratory.call(command).code(2).says(&["none"]);
    }
    // As the tool that it follows.
    for (file, code) in [("none", 1), ("empty", 2)] {
        laboratory.call(&["ministat", file, "good"]).code(code);
    }
}

#[test]
fn shares_that_are_negative() {
    let laboratory = measured();
    laboratory.write("good", "1\n2\n3\n4\n");
    for command in [
        &["compare", "a=good", "b=good", "--margin"][..],
        &["compare", "a=good", "b=good", "--confidence"],
        &["compare", "result", "--tail"],
        &["bench", "true", "false", "--margin"],
        &["steady", "good", "--margin"],
        &["plan", "--sd", "1%", "--show"],
        &["plan", "--show", "1%", "--sd"],
        &["plan", "--sd", "1%", "--show", "1%", "--power"],
    ] {
        let said = laboratory.call(&[command, &["-1%"]].concat()).code(2);
        let said = said.says(&["-1%"]);
        assert!(!said.err.contains("tip:"), "{}", said.err);
    }
}

#[test]
fn selections_of_what_no_run_has() {
    let laboratory = measured();
    let compare = |flags: &[&str]| laboratory.call(&[&["compare", "result"], flags].concat());
    compare(&["--benchmark", "zzz"])
        .code(2)
        .says(&["there is no benchmark or subset `zzz`: the result has no benchmarks; leave --benchmark out"]);
    let said = compare(&["--tail", "99%"]).code(2);
    let said = said.says(&["--tail 99% would do nothing: no run has several samples"]);
    assert!(said.out.is_empty(), "{}", said.out);
}

#[test]
fn parts_that_are_misspelt_come_with_subsets_too() {
    let laboratory = Laboratory::new();
    laboratory
        .run(
            "[design]\nruns = 1\nblock = 1\n[variants.a]\n[variants.b]\n[subsets]\nboth = ['GET', 'SET']\n\
             [workloads.w]\nshell = true\ndriver = 'generic'\ncommand = 'echo 1 2'\n\
             [[workloads.w.metrics]]\nname = 'took'\nunit = 's'\nbetter = 'lower'\npart = 'GET'\nregex = '^([0-9])'\n\
             [[workloads.w.metrics]]\nname = 'took'\nunit = 's'\nbetter = 'lower'\npart = 'SET'\nregex = '([0-9])$'\n",
        )
        .code(0);
    laboratory
        .call(&["compare", "result", "--benchmark", "gets"])
        .code(2)
        .says(&["there is no benchmark or subset `gets`; there are: GET, SET, both"]);
    laboratory
        .call(&["compare", "result", "--benchmark", "both"])
        .code(0);
}

#[test]
fn labels_without_a_file() {
    let laboratory = with_good();
    for results in [["a=", "b=good"], ["a=good", "b="]] {
        laboratory
            .call(&[&["compare"], &results[..]].concat())
            .code(2)
            .says(&["the file name behind `", "=` is empty"]);
    }
}

#[test]
fn no_run_at_all() {
    let laboratory = Laboratory::new();
    laboratory.write(
        "exp.toml",
        "[variants.a]\n[workloads.w]\ndriver = 'command'\ncommand = ['true']\n",
    );
    laboratory
        .call(&["run", "exp.toml", "--runs", "0"])
        .code(2)
        .says(&["--runs: at least one run of each cell is needed"]);
}

/// Help and versions are output, too.
#[test]
fn help_that_cannot_be_written() {
    let laboratory = Laboratory::new();
    for arguments in [
        &["help"][..],
        &["--help"],
        &["run", "--help"],
        &["--version"],
    ] {
        let mut command = laboratory.perflab(arguments);
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let said = Said::from(command.stdout(full).output().unwrap());
        said.code(4)
            .says(&["cannot write the output", "No space left"]);
        laboratory.call(arguments).code(0).prints(&["perflab"]);
    }
    laboratory.call(&["run"]).code(2).says(&["EXP.toml"]);
}
