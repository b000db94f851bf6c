//! Records that somebody removed: missed by every reader, and never measured again.

use std::fs;

use crate::damaged_results::measured;
use crate::support::{Laboratory, RUN};

/// Checks that all who read the result name the line, and that nothing is measured.
#[track_caller]
fn refused(laboratory: &Laboratory, line: usize) {
    let before = laboratory.read("result/runs.jsonl");
    let place = format!("result/runs.jsonl:{line}: ");
    let words = [&*place, "removed", "restore the file from a copy"];
    for arguments in [
        &["compare", "result"][..],
        &["show", "result"],
        &["show", "result", "--run", "1"],
        &["export", "result", "--to", "csv"],
        &[&RUN[..], &["--resume"]].concat(),
    ] {
        let said = laboratory.call(arguments).code(4).says(&words);
        assert!(said.out.is_empty(), "{}", said.out);
    }
    laboratory
        .call(&["show", "."])
        .code(0)
        .prints(&["result  cannot be read:", &place]);
    let _earlier = fs::remove_dir_all(laboratory.path("pages"));
    laboratory
        .call(&["report", "result", "-o", "pages"])
        .code(4)
        .says(&[&place]);
    let page = laboratory.read("pages/index.html");
    assert!(page.contains("This result is damaged"), "{page}");
    assert_eq!(laboratory.read("result/runs.jsonl"), before);
}

fn write(laboratory: &Laboratory, lines: &[&str]) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    laboratory.write("result/runs.jsonl", text);
}

#[test]
fn one_at_the_start_in_the_middle_and_at_the_end() {
    let laboratory = measured();
    let whole = laboratory.read("result/runs.jsonl");
    for removed in [0, 5, 11] {
        let mut lines: Vec<&str> = whole.lines().collect();
        lines.remove(removed);
        write(&laboratory, &lines);
        refused(&laboratory, removed + 1);
    }
    // The last four.
    let lines: Vec<&str> = whole.lines().collect();
    write(&laboratory, &lines[..8]);
    refused(&laboratory, 9);
    laboratory.write("result/runs.jsonl", &whole);
    laboratory.call(&["show", "result"]).code(0);
}

#[test]
fn an_experiment_that_went_on_is_as_good_as_one_in_one_piece() {
    let laboratory = measured();
    let whole = laboratory.read("result/runs.jsonl");
    laboratory.write("result/runs.jsonl", &whole[..whole.len() - 20]);
    // As a kill leaves it: the output gets its name after the whole line.
    let output = laboratory.path("result/runs/000012");
    fs::rename(&output, output.with_extension("partial")).unwrap();
    laboratory.resume().code(0).says(&["measured again"]);
    laboratory.assert_complete(12);
    let shown = laboratory.call(&["show", "result"]).code(0).out;
    assert!(!shown.contains("unchained"), "{shown}");
    let again = laboratory.read("result/runs.jsonl");
    let mut lines: Vec<&str> = again.lines().collect();
    lines.remove(10);
    write(&laboratory, &lines);
    refused(&laboratory, 11);
}

#[test]
fn of_an_import_all_runs_are_kept() {
    let laboratory = Laboratory::new();
    laboratory.write("old.txt", "1\n2\n3\n");
    laboratory.write("new.txt", "2\n3\n4\n");
    laboratory
        .call(&["import", "--out", "result", "old.txt", "new.txt"])
        .code(0);
    laboratory.call(&["show", "result"]).code(0);
    let whole = laboratory.read("result/runs.jsonl");
    let lines: Vec<&str> = whole.lines().collect();
    write(&laboratory, &lines[..5]);
    laboratory.call(&["compare", "result"]).code(4).says(&[
        "result/runs.jsonl:6: ",
        "record of run 6",
        "removed",
    ]);
    write(&laboratory, &lines[1..]);
    laboratory
        .call(&["compare", "result"])
        .code(4)
        .says(&["result/runs.jsonl:1: ", "removed"]);
}

#[test]
fn a_directory_with_a_number_beyond_the_plan_tells_of_no_record() {
    let laboratory = measured();
    for stray in ["000000", "000999", "000998.partial"] {
        fs::create_dir(laboratory.path("result/runs").join(stray)).unwrap();
    }
    laboratory.call(&["show", "result"]).code(0);
    laboratory
        .call(&["report", "result", "-o", "pages", "-q"])
        .code(0);
    // It is somebody else's, so that nothing removes it.
    laboratory.resume().code(0);
    assert!(laboratory.path("result/runs/000999").exists());
    assert!(laboratory.path("result/runs/000998.partial").exists());
    let whole = laboratory.read("result/runs.jsonl");
    let lines: Vec<&str> = whole.lines().collect();
    write(&laboratory, &lines[..8]);
    refused(&laboratory, 9);
}

#[test]
fn raw_output_that_was_removed_is_called_missing() {
    let laboratory = measured();
    let shown = |laboratory: &Laboratory| {
        let said = laboratory.call(&["show", "result", "--run", "5"]).code(0);
        let line = said.out.lines().last().unwrap_or_default();
        line.to_owned()
    };
    assert_eq!(shown(&laboratory), "raw output: result/runs/000005");
    fs::remove_dir_all(laboratory.path("result/runs/000005")).unwrap();
    let line = shown(&laboratory);
    assert!(line.contains("000005 (missing"), "{line}");
}

#[test]
fn a_result_of_an_older_version_is_called_unchained() {
    let laboratory = Laboratory::new();
    let sort = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/documents/results/sort");
    laboratory
        .call(&["show", sort])
        .code(0)
        .prints(&["36 of 36 runs recorded", "note: unchained"]);
    laboratory
        .call(&["compare", sort, "--gate", "none"])
        .code(0);
}
