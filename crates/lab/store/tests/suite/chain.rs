//! A line that was removed is missed, and what a kill leaves is not taken for that.

use std::fs;
use std::path::Path;

use perflab_experiment::Plan;
use perflab_store::{
    Imported, LineProblem, OpenedResult, ResultDir, Salvage, StopReason, Stopped, StoreError,
};
use serde_json::Value;

use crate::fixture::{
    EXPERIMENT, environment, link, names, origin, plan, planned, record, run_one, runs_file,
    sealed, unchain, with_runs,
};

/// The lines of the records, without line feeds.
fn lines(root: &Path) -> Vec<String> {
    let text = fs::read_to_string(runs_file(root)).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn write(root: &Path, lines: &[String]) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(runs_file(root), text).unwrap();
}

/// The line that all ways of reading refuse, and why; going on changes nothing.
#[track_caller]
fn refused(root: &Path) -> (usize, LineProblem) {
    let before = fs::read(runs_file(root)).unwrap();
    let output = names(&root.join("runs"));
    let of = |error| match error {
        StoreError::Line {
            path,
            line,
            problem,
        } if path == runs_file(root) => (line, problem),
        other => panic!("{other}"),
    };
    let read = of(OpenedResult::open(root).unwrap_err());
    assert_eq!(of(ResultDir::resume(root).unwrap_err()), read);
    let mut salvaged: Vec<_> = Salvage::read(root).problems.into_iter().map(of).collect();
    assert_eq!(salvaged.remove(0), read);
    assert!(salvaged.is_empty(), "said once: {salvaged:?}");
    assert_eq!(fs::read(runs_file(root)).unwrap(), before);
    assert_eq!(names(&root.join("runs")), output);
    read
}

fn result(runs: u32) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    drop(with_runs(root.path(), 1..=runs));
    root
}

#[test]
fn each_line_names_the_one_before_it_and_the_first_that_of_the_meta_file() {
    let root = result(3);
    let meta = fs::read_to_string(root.path().join("meta.json")).unwrap();
    let mut before = meta.trim_end().to_owned();
    for line in lines(root.path()) {
        let read: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(read["previous"], link(&before), "{line}");
        let (_, end) = line.rsplit_once(",\"previous\":").unwrap();
        assert_eq!(end.find(",\"crc\":"), Some(18), "{line}");
        before = line;
    }
}

#[test]
fn lines_that_are_removed_moved_or_brought_from_elsewhere() {
    let root = result(6);
    let whole = lines(root.path());
    for removed in 0..5 {
        let mut left = whole.clone();
        left.remove(removed);
        write(root.path(), &left);
        assert_eq!(refused(root.path()), (removed + 1, LineProblem::Gap));
    }
    for first in 0..5 {
        let mut moved = whole.clone();
        moved.swap(first, first + 1);
        write(root.path(), &moved);
        let of_output = OpenedResult::open(root.path()).unwrap_err();
        assert!(
            of_output
                .to_string()
                .contains(&format!("runs.jsonl:{}: ", first + 1))
        );
    }
    // The same runs of another result.
    let other = tempfile::tempdir().unwrap();
    let mut origin = origin();
    origin.name = "other".into();
    let made = ResultDir::create(other.path(), EXPERIMENT, &plan(), &environment(), origin);
    let mut made = made.unwrap();
    for run in 1..=6 {
        run_one(&mut made, run);
    }
    write(root.path(), &lines(other.path()));
    assert_eq!(refused(root.path()), (1, LineProblem::Gap));
    // A line that was rewritten with the right checksum shows in the next one.
    let mut forged = whole.clone();
    let (open, _) = whole[2].rsplit_once(",\"crc\"").unwrap();
    forged[2] = sealed(&(open.replace("\"wall_s\":2.0", "\"wall_s\":1.0") + "}"));
    assert_ne!(forged[2], whole[2]);
    write(root.path(), &forged);
    assert_eq!(refused(root.path()), (4, LineProblem::Gap));
}

#[test]
fn lines_at_the_end_are_missed_by_the_output_of_their_runs() {
    let root = result(3);
    let whole = lines(root.path());
    for kept in 0..3 {
        write(root.path(), &whole[..kept]);
        let (line, problem) = refused(root.path());
        assert_eq!(line, kept + 1);
        let LineProblem::Missing { run, why } = problem else {
            panic!("{problem}");
        };
        assert_eq!(run, kept as u32 + 1);
        assert!(why.contains(&format!("runs/{run:06}")), "{why}");
    }
    // The plan has three runs, so that nothing was ever recorded of another one.
    fs::create_dir(root.path().join("runs/000999")).unwrap();
    write(root.path(), &whole);
    assert_eq!(OpenedResult::open(root.path()).unwrap().records.len(), 3);
    // Half a line is no record, and the output gets its name after the whole one.
    fs::write(runs_file(root.path()), whole[..2].join("\n") + "\n{\"sch").unwrap();
    assert!(matches!(
        refused(root.path()),
        (3, LineProblem::Missing { run: 3, .. })
    ));
    let output = root.path().join("runs/000003");
    fs::rename(&output, output.with_extension("partial")).unwrap();
    let resumed = ResultDir::resume(root.path()).unwrap();
    assert_eq!(resumed.records().unwrap().len(), 2);
}

#[test]
fn lines_at_the_end_are_missed_by_the_plan_of_an_import() {
    let root = tempfile::tempdir().unwrap();
    let mut origin = origin();
    origin.imported = Some(Imported {
        format: "columns".into(),
        independent: false,
        files: Vec::new(),
        notes: Vec::new(),
    });
    let made = ResultDir::create(root.path(), EXPERIMENT, &plan(), &environment(), origin);
    let mut made = made.unwrap();
    for run in 1..=3 {
        made.append(&record(run)).unwrap();
    }
    drop(made);
    assert_eq!(OpenedResult::open(root.path()).unwrap().records.len(), 3);
    let whole = lines(root.path());
    write(root.path(), &whole[..2]);
    assert!(matches!(
        refused(root.path()),
        (3, LineProblem::Missing { run: 3, .. })
    ));
}

#[test]
fn lines_at_the_end_are_missed_by_the_note_of_the_end() {
    let root = tempfile::tempdir().unwrap();
    let runs = [1, 2, 3, 4].map(|run: u32| planned(run, run.div_ceil(2), 0));
    let plan = Plan {
        runs: runs.to_vec(),
        ..plan()
    };
    let made = ResultDir::create(root.path(), EXPERIMENT, &plan, &environment(), origin());
    let mut made = made.unwrap();
    for run in 1..=3 {
        made.append(&record(run)).unwrap();
    }
    // The second block is not finished.
    made.stop(Stopped::new(StopReason::Budget, 1)).unwrap();
    drop(made);
    let whole = lines(root.path());
    write(root.path(), &whole[..2]);
    assert_eq!(OpenedResult::open(root.path()).unwrap().records.len(), 2);
    write(root.path(), &whole[..1]);
    assert!(matches!(
        refused(root.path()),
        (2, LineProblem::Missing { run: 2, .. })
    ));
}

#[test]
fn going_on_continues_the_chain() {
    let root = result(2);
    let whole = lines(root.path());
    fs::write(
        runs_file(root.path()),
        format!("{}\n{}", whole[0], &whole[1][..50]),
    )
    .unwrap();
    fs::rename(
        root.path().join("runs/000002"),
        root.path().join("runs/000002.partial"),
    )
    .unwrap();
    let mut resumed = ResultDir::resume(root.path()).unwrap();
    run_one(&mut resumed, 2);
    run_one(&mut resumed, 3);
    drop(resumed);
    let all = lines(root.path());
    assert_eq!(all[..2], whole);
    assert_eq!(OpenedResult::open(root.path()).unwrap().records.len(), 3);
    write(root.path(), &[all[0].clone(), all[2].clone()]);
    assert_eq!(refused(root.path()), (2, LineProblem::Gap));
}

/// A laboratory that is killed between the record and the name of the output.
#[test]
fn output_that_was_not_renamed_in_time_is_still_found() {
    let root = result(2);
    let (named, partial) = (
        root.path().join("runs/000002"),
        root.path().join("runs/000002.partial"),
    );
    fs::rename(&named, &partial).unwrap();
    let opened = OpenedResult::open(root.path()).unwrap();
    assert_eq!(opened.records.len(), 2);
    assert!(opened.run_dir(2).join("stdout").exists());
    assert!(
        Salvage::read(root.path())
            .run_dir(2)
            .join("stdout")
            .exists()
    );
    let resumed = ResultDir::resume(root.path()).unwrap();
    assert_eq!(resumed.notices(), []);
    assert!(named.join("stdout").exists() && !partial.exists());
    assert_eq!(resumed.run_dir(2), named);
}

#[test]
fn results_of_older_versions_are_read_as_they_were_and_go_on_with_a_chain() {
    let root = result(4);
    unchain(root.path());
    let whole = lines(root.path());
    assert!(!whole.concat().contains("previous"));
    assert!(!OpenedResult::open(root.path()).unwrap().meta.chained);
    // As ever, this looks like an interruption.
    write(root.path(), &whole[..3]);
    assert_eq!(OpenedResult::open(root.path()).unwrap().records.len(), 3);
    let mut resumed = ResultDir::resume(root.path()).unwrap();
    for run in 4..=7 {
        run_one(&mut resumed, run);
    }
    drop(resumed);
    let opened = OpenedResult::open(root.path()).unwrap();
    assert_eq!(opened.records, [1, 2, 3, 4, 5, 6, 7].map(record));
    assert!(Salvage::read(root.path()).problems.is_empty());
    let all = lines(root.path());
    for (removed, line) in [(2, 3), (3, 4), (5, 6)] {
        let mut left = all.clone();
        left.remove(removed);
        write(root.path(), &left);
        assert_eq!(refused(root.path()), (line, LineProblem::Gap), "{removed}");
    }
    // Nor may lines that were added with a chain lose it.
    let mut left = all.clone();
    let record = serde_json::to_string(&record(7)).unwrap();
    left[6] = sealed(&record);
    write(root.path(), &left);
    assert_eq!(refused(root.path()), (7, LineProblem::Unchained));
    // Before the chain nothing tells.
    let mut left = all.clone();
    left.remove(0);
    write(root.path(), &left);
    assert_eq!(OpenedResult::open(root.path()).unwrap().records.len(), 6);
}

#[test]
fn lines_without_a_chain_after_some_with_one() {
    let root = result(2);
    let mut all = lines(root.path());
    for run in 3..=5 {
        all.push(sealed(&serde_json::to_string(&record(run)).unwrap()));
    }
    write(root.path(), &all);
    assert_eq!(refused(root.path()), (3, LineProblem::Unchained));
    // Nor may a result that was begun with one lose it.
    let meta = fs::read(root.path().join("meta.json")).unwrap();
    unchain(root.path());
    fs::write(root.path().join("meta.json"), meta).unwrap();
    assert_eq!(refused(root.path()), (1, LineProblem::Unchained));
}

#[test]
fn readers_beside_a_laboratory_miss_nothing() {
    let root = tempfile::tempdir().unwrap();
    let mut writing = with_runs(root.path(), []);
    std::thread::scope(|scope| {
        let writer = scope.spawn(move || {
            for run in 1..=150 {
                run_one(&mut writing, run);
            }
        });
        let mut seen = 0;
        while !writer.is_finished() {
            let records = OpenedResult::open(root.path()).unwrap().records;
            assert!(records.len() >= seen);
            seen = records.len();
            let salvage = Salvage::read(root.path());
            assert!(salvage.problems.is_empty(), "{:?}", salvage.problems);
        }
    });
    assert_eq!(OpenedResult::open(root.path()).unwrap().records.len(), 150);
}
