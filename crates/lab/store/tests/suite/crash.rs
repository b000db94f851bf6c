//! A laboratory that dies loses at most the run in progress.

use std::fs;

use perflab_store::{Notice, OpenedResult, ResultDir, Salvage};

use crate::fixture::{names, record, run_one, runs_file, with_runs};

#[test]
fn a_cut_at_any_byte_of_the_last_line_costs_that_run_alone() {
    let root = tempfile::tempdir().unwrap();
    drop(with_runs(root.path(), [1, 2, 3]));
    let file = runs_file(root.path());
    let whole = fs::read(&file).unwrap();
    let last = whole[..whole.len() - 1]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .unwrap()
        + 1;
    let original = [record(1), record(2), record(3)];
    let output = root.path().join("runs/000003");
    for end in last..whole.len() {
        fs::write(&file, &whole[..end]).unwrap();
        // It gets its name after the line.
        fs::rename(&output, output.with_extension("partial")).unwrap();
        let bytes = end - last;

        let reader = OpenedResult::open(root.path()).unwrap();
        assert_eq!(reader.records, original[..2], "{end}");
        let seen = (bytes > 0).then_some(Notice::CutLine {
            bytes,
            moved_to: None,
        });
        assert_eq!(reader.notices, seen.as_slice());
        assert_eq!(
            fs::read(&file).unwrap(),
            whole[..end],
            "reading changes nothing"
        );

        let mut results = ResultDir::resume(root.path()).unwrap();
        assert_eq!(results.records().unwrap(), original[..2]);
        assert_eq!(fs::read(&file).unwrap(), whole[..last]);
        let mut expected = Vec::new();
        if bytes > 0 {
            let side = "runs.jsonl.cut-1".to_owned();
            assert_eq!(fs::read(root.path().join(&side)).unwrap(), whole[last..end]);
            fs::remove_file(root.path().join(&side)).unwrap();
            expected.push(Notice::CutLine {
                bytes,
                moved_to: Some(side),
            });
        }
        expected.push(Notice::RemovedRaw {
            directories: vec!["000003.partial".into()],
        });
        assert_eq!(results.notices(), expected);
        run_one(&mut results, 3);
        assert_eq!(
            fs::read(&file).unwrap(),
            whole,
            "and the run can be measured again"
        );
    }
    assert_eq!(OpenedResult::open(root.path()).unwrap().notices, []);
}

#[test]
fn each_cut_line_is_kept_in_a_file_of_its_own() {
    let root = tempfile::tempdir().unwrap();
    drop(with_runs(root.path(), [1]));
    let whole = fs::read(runs_file(root.path())).unwrap();
    for n in 1..=3_usize {
        let mut cut = whole.clone();
        cut.extend_from_slice(&b"{\"schema\":1"[..n]);
        fs::write(runs_file(root.path()), cut).unwrap();
        let resumed = ResultDir::resume(root.path()).unwrap();
        let side = format!("runs.jsonl.cut-{n}");
        assert_eq!(fs::read(root.path().join(&side)).unwrap().len(), n);
        assert_eq!(
            resumed.notices(),
            [Notice::CutLine {
                bytes: n,
                moved_to: Some(side)
            }]
        );
    }
}

#[test]
fn a_long_cut_line_is_found_without_reading_everything() {
    let root = tempfile::tempdir().unwrap();
    drop(with_runs(root.path(), [1]));
    let whole = fs::read(runs_file(root.path())).unwrap();
    for bytes in [65_534, 65_535, 65_536, 65_537, 200_000] {
        let mut content = whole.clone();
        content.resize(whole.len() + bytes, 0);
        fs::write(runs_file(root.path()), &content).unwrap();
        let reader = OpenedResult::open(root.path()).unwrap();
        assert_eq!(
            reader.notices,
            [Notice::CutLine {
                bytes,
                moved_to: None
            }]
        );
        assert_eq!(reader.records, [record(1)]);
        // The same without a complete line before it.
        fs::write(runs_file(root.path()), vec![0; bytes]).unwrap();
        assert_eq!(
            Salvage::read(root.path()).notices,
            [Notice::CutLine {
                bytes,
                moved_to: None
            }]
        );
    }
}

#[test]
fn the_files_that_a_finished_experiment_leaves() {
    let root = tempfile::tempdir().unwrap();
    drop(with_runs(root.path(), [1, 2]));
    assert_eq!(
        names(root.path()),
        [
            "experiment.toml",
            "fingerprint.json",
            "lock",
            "meta.json",
            "plan.json",
            "runs",
            "runs.jsonl"
        ]
    );
}
