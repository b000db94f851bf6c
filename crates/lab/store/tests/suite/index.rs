//! The index of many results.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use perflab_experiment::Status;
use perflab_store::{Index, ResultDir, ResultSummary, StoreError};
use rusqlite::Connection;
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::fixture::{
    create, environment, origin, plan, record, run_one, runs_file, sample, with_runs,
};

/// Results at both depths.
fn populated() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    drop(with_runs(&root.path().join("one"), [1, 2]));
    drop(with_runs(&root.path().join("project/two"), []));
    // Too deep, and what is no results directory.
    drop(with_runs(&root.path().join("a/b/three"), [1]));
    fs::create_dir_all(root.path().join("empty/empty")).unwrap();
    symlink(root.path().join("one"), root.path().join("latest")).unwrap();
    root
}

fn list(root: &Path) -> Vec<ResultSummary> {
    Index::refresh(root).unwrap().list().unwrap()
}

fn summary(root: &Path, path: &str, runs_done: u32, runs_failed: u32) -> ResultSummary {
    ResultSummary {
        path: root.join(path),
        name: "small".into(),
        created: "2026-03-01T12:00:00Z".into(),
        runs_planned: 3,
        runs_done,
        runs_failed,
        variants: vec!["new".into(), "old".into()],
        error: None,
    }
}

fn sqlite(root: &Path) -> Connection {
    Connection::open(root.join("index.sqlite")).unwrap()
}

#[test]
fn results_are_listed_followed_and_forgotten() {
    let root = populated();
    let root = root.path();
    let first = [
        summary(root, "one", 2, 0),
        summary(root, "project/two", 0, 0),
    ];
    assert_eq!(list(root), first);
    assert_eq!(list(root), first);
    assert_eq!(Index::rebuild(root).unwrap().list().unwrap(), first);

    let mut results = ResultDir::resume(&root.join("project/two")).unwrap();
    let mut failed = record(1);
    failed.status = Status::Timeout;
    failed.samples.clear();
    results.append(&failed).unwrap();
    run_one(&mut results, 2);
    assert_eq!(
        list(root),
        [
            summary(root, "one", 2, 0),
            summary(root, "project/two", 2, 1)
        ]
    );

    fs::remove_dir_all(root.join("one")).unwrap();
    assert_eq!(list(root), [summary(root, "project/two", 2, 1)]);
    let rows: i64 = sqlite(root)
        .query_row("SELECT count(*) FROM runs", [], |row| row.get(0))
        .unwrap();
    assert_eq!(rows, 2, "the runs are forgotten with their results");

    fs::remove_file(root.join("index.sqlite")).unwrap();
    assert_eq!(list(root), [summary(root, "project/two", 2, 1)]);
}

#[test]
fn newest_results_come_first() {
    let root = tempfile::tempdir().unwrap();
    for (name, created) in [
        ("a", "2026-01-01T00:00:00Z"),
        ("b", "2026-03-01T00:00:00Z"),
        ("c", "2026-02-01T00:00:00Z"),
    ] {
        let mut origin = origin();
        origin.created = created.into();
        let path = root.path().join(name);
        ResultDir::create(&path, "", &plan(), &environment(), origin).unwrap();
    }
    let names: Vec<_> = list(root.path())
        .into_iter()
        .map(|result| result.path)
        .collect();
    assert_eq!(names, ["b", "c", "a"].map(|name| root.path().join(name)));
}

#[test]
fn only_what_changed_is_read_again() {
    let root = populated();
    let root = root.path();
    list(root);
    // The same size and time, but other content: seen only if the file was read.
    let file = runs_file(&root.join("one"));
    let modified = fs::metadata(&file).unwrap().modified().unwrap();
    let content = fs::read(&file).unwrap();
    fs::write(&file, vec![b'x'; content.len()]).unwrap();
    fs::File::options()
        .write(true)
        .open(&file)
        .unwrap()
        .set_modified(modified)
        .unwrap();
    assert_eq!(list(root)[0], summary(root, "one", 2, 0));
    let rebuilt = Index::rebuild(root).unwrap().list().unwrap();
    let error = rebuilt[1].error.as_deref().unwrap();
    assert!(error.contains("one/runs.jsonl:1: "), "{error}");
}

#[test]
fn a_directory_that_cannot_be_read_is_listed_with_the_reason() {
    let root = populated();
    let root = root.path();
    list(root);
    let file = runs_file(&root.join("one"));
    let original = fs::read(&file).unwrap();
    let mut altered = original.clone();
    altered[20] ^= 1;
    altered.extend_from_slice(b"x");
    fs::write(&file, altered).unwrap();
    fs::write(root.join("empty/meta.json"), "{}").unwrap();
    let listed = list(root);
    assert_eq!(listed[0], summary(root, "project/two", 0, 0));
    let errors: Vec<_> = listed[1..]
        .iter()
        .map(|result| {
            (
                result.path.strip_prefix(root).unwrap().to_str().unwrap(),
                result.error.clone().unwrap(),
            )
        })
        .collect();
    assert_eq!(errors[0].0, "empty");
    assert!(errors[0].1.contains("meta.json:1: "), "{errors:?}");
    assert_eq!(errors[1].0, "one");
    assert!(errors[1].1.contains("runs.jsonl:1: "), "{errors:?}");
    assert_eq!(listed[2].runs_done, 0);
    // Once repaired, it is back.
    fs::write(&file, original).unwrap();
    fs::remove_file(root.join("empty/meta.json")).unwrap();
    assert_eq!(
        list(root),
        [
            summary(root, "one", 2, 0),
            summary(root, "project/two", 0, 0)
        ]
    );
}

#[test]
fn a_damaged_index_is_rebuilt() {
    let root = populated();
    let root = root.path();
    let expected = list(root);
    let file = root.join("index.sqlite");
    let original = fs::read(&file).unwrap();
    let mut damaged: Vec<Vec<u8>> =
        vec![b"not a database, but long enough to be taken for one".repeat(40)];
    damaged.extend(
        (0..original.len())
            .step_by(1024)
            .map(|length| original[..length].to_vec()),
    );
    for start in (0..original.len()).step_by(512) {
        let mut copy = original.clone();
        copy[start..(start + 512).min(original.len())].fill(0xa5);
        damaged.push(copy);
    }
    for position in 0..100 {
        let mut copy = original.clone();
        copy[position] ^= 0xff;
        damaged.push(copy);
    }
    for (case, content) in damaged.into_iter().enumerate() {
        fs::write(&file, content).unwrap();
        assert_eq!(list(root), expected, "case {case}");
    }
}

#[test]
fn an_index_of_another_version_is_rebuilt() {
    let root = populated();
    let expected = list(root.path());
    sqlite(root.path())
        .execute_batch(
            "DROP TABLE samples; ALTER TABLE results ADD COLUMN x; PRAGMA user_version = 1;",
        )
        .unwrap();
    assert_eq!(list(root.path()), expected);
    sqlite(root.path())
        .execute_batch("DROP TABLE samples; DELETE FROM results;")
        .unwrap();
    assert_eq!(list(root.path()), expected);
}

#[test]
fn the_database_of_another_program_is_left_alone() {
    let root = populated();
    sqlite(root.path())
        .execute_batch("CREATE TABLE precious (x); INSERT INTO precious VALUES (1);")
        .unwrap();
    for result in [Index::refresh(root.path()), Index::rebuild(root.path())] {
        let error = result.unwrap_err();
        assert!(matches!(error, StoreError::ForeignIndex(_)), "{error}");
    }
    let x: i64 = sqlite(root.path())
        .query_row("SELECT x FROM precious", [], |row| row.get(0))
        .unwrap();
    assert_eq!(x, 1);
}

#[test]
fn samples_are_summarised_by_metric_and_part() {
    let root = tempfile::tempdir().unwrap();
    let mut results = create(&root.path().join("r"));
    let mut run = record(1);
    run.samples = [3.0, 1.0, 10.0]
        .map(|value| sample(Some("GET"), "rps", value))
        .to_vec();
    run.samples
        .extend([f64::MAX, f64::MAX].map(|value| sample(None, "rps", value)));
    run.samples.insert(1, sample(Some("GET"), "p50", -2.5));
    results.append(&run).unwrap();
    list(root.path());
    let connection = sqlite(root.path());
    let mut query = connection
        .prepare("SELECT metric, benchmark, samples, value FROM samples JOIN runs USING (result, run) ORDER BY samples.rowid")
        .unwrap();
    let rows: Vec<(String, Option<String>, i64, f64)> = query
        .query_map([], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    let get = Some("GET".to_owned());
    assert_eq!(
        rows,
        [
            ("rps".into(), get.clone(), 3, 3.0),
            ("p50".into(), get, 1, -2.5),
            ("rps".into(), None, 2, f64::MAX),
        ]
    );
}

/// Things with the index's name that keep it from being written.
#[test]
fn an_index_that_cannot_be_kept_is_made_in_memory() {
    let obstacles: [fn(&Path); 4] = [
        |path| fs::create_dir(path).unwrap(),
        |path| symlink("elsewhere", path).unwrap(),
        |path| mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap(),
        |path| symlink(path, path).unwrap(),
    ];
    for (number, obstacle) in obstacles.iter().enumerate() {
        let root = populated();
        let root = root.path();
        let expected = [
            summary(root, "one", 2, 0),
            summary(root, "project/two", 0, 0),
        ];
        obstacle(&root.join("index.sqlite"));
        let index = Index::refresh(root).unwrap();
        assert_eq!(index.list().unwrap(), expected, "{number}");
        assert!(index.not_kept().unwrap().contains("index.sqlite"));
        assert!(!root.join("elsewhere").exists(), "{number}");
        // `perflab index` replaces it if it can.
        let index = Index::rebuild(root).unwrap();
        assert_eq!(index.list().unwrap(), expected, "{number}");
        assert_eq!(index.not_kept().is_some(), number == 0, "{number}");
    }
    let root = populated();
    assert_eq!(Index::refresh(root.path()).unwrap().not_kept(), None);
}

#[test]
fn several_processes_may_refresh_at_once() {
    let root = populated();
    let expected = list(root.path());
    fs::remove_file(root.path().join("index.sqlite")).unwrap();
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..6).map(|_| scope.spawn(|| list(root.path()))).collect();
        for one in all {
            assert_eq!(one.join().unwrap(), expected);
        }
    });
}
