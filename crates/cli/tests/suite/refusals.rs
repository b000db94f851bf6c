//! What is refused, with which exit code, and in which words.

use crate::damaged_results::measured;
use crate::plain_files::with_good;
use crate::support::Laboratory;

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
