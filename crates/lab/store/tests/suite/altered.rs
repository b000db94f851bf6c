//! What was altered after it was written is found, and said.

use std::fs;
use std::io::Write;
use std::path::Path;

use perflab_store::{LineProblem, OpenedResult, ResultDir, StoreError};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::fixture::{link, record, runs_file, sealed, with_runs};

#[test]
fn any_altered_byte_of_a_record_is_found() {
    let root = tempfile::tempdir().unwrap();
    drop(with_runs(root.path(), [1, 2, 3]));
    let file = runs_file(root.path());
    let original = fs::read(&file).unwrap();
    let mut starts = vec![0];
    starts.extend(
        original
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n')
            .map(|(at, _)| at + 1),
    );
    // The second of three lines, with its line feed.
    for position in starts[1]..starts[2] {
        for altered in [
            original[position] ^ 1,
            original[position] ^ 0x80,
            b'\n',
            b' ',
        ] {
            if altered == original[position] {
                continue;
            }
            let mut content = original.clone();
            content[position] = altered;
            fs::write(&file, &content).unwrap();
            let error = OpenedResult::open(root.path()).unwrap_err();
            assert!(
                matches!(
                    error,
                    StoreError::Line {
                        line: 2,
                        problem: LineProblem::Altered,
                        ..
                    }
                ),
                "{position}: {error}"
            );
        }
    }
    let said = OpenedResult::open(root.path()).unwrap_err().to_string();
    assert!(
        said.starts_with(&format!("{}:2: ", file.display())),
        "{said}"
    );
    assert!(said.contains("restore the file from a copy"), "{said}");
}

#[test]
fn the_last_line_feed_counts_as_well() {
    let root = tempfile::tempdir().unwrap();
    drop(with_runs(root.path(), [1, 2]));
    let mut content = fs::read(runs_file(root.path())).unwrap();
    *content.last_mut().unwrap() = b' ';
    fs::write(runs_file(root.path()), content).unwrap();
    let output = root.path().join("runs/000002");
    fs::rename(&output, output.with_extension("partial")).unwrap();
    let results = OpenedResult::open(root.path()).unwrap();
    assert_eq!(results.notices.len(), 1);
    assert_eq!(results.records, [record(1)]);
}

#[test]
fn resume_does_not_repair_what_was_altered() {
    let root = tempfile::tempdir().unwrap();
    drop(with_runs(root.path(), [1, 2]));
    let mut content = fs::read(runs_file(root.path())).unwrap();
    content[20] ^= 1;
    content.extend_from_slice(b"{\"cut");
    fs::write(runs_file(root.path()), &content).unwrap();
    fs::create_dir(root.path().join("runs/000009")).unwrap();
    let error = ResultDir::resume(root.path()).unwrap_err();
    assert!(matches!(error, StoreError::Line { line: 1, .. }), "{error}");
    assert_eq!(fs::read(runs_file(root.path())).unwrap(), content);
    assert!(root.path().join("runs/000009").exists());
}

#[test]
fn any_altered_byte_of_the_other_files_is_found() {
    let root = tempfile::tempdir().unwrap();
    drop(with_runs(root.path(), [1]));
    for name in [
        "experiment.toml",
        "plan.json",
        "fingerprint.json",
        "meta.json",
    ] {
        let file = root.path().join(name);
        let original = fs::read(&file).unwrap();
        for position in 0..original.len() {
            let mut content = original.clone();
            content[position] ^= 1;
            fs::write(&file, &content).unwrap();
            let error = OpenedResult::open(root.path()).unwrap_err();
            assert!(
                error.to_string().contains(name),
                "{name} {position}: {error}"
            );
            assert!(
                matches!(
                    error,
                    StoreError::Altered { .. } | StoreError::Line { line: 1, .. }
                ),
                "{error}"
            );
        }
        fs::write(&file, &original[..original.len() - 1]).unwrap();
        assert!(OpenedResult::open(root.path()).is_err());
        fs::remove_file(&file).unwrap();
        let error = OpenedResult::open(root.path()).unwrap_err();
        assert!(
            matches!(error, StoreError::Missing { file, .. } if file == name),
            "{error}"
        );
        fs::write(&file, original).unwrap();
    }
    OpenedResult::open(root.path()).unwrap();
    fs::remove_file(runs_file(root.path())).unwrap();
    let error = OpenedResult::open(root.path()).unwrap_err();
    assert!(
        matches!(
            error,
            StoreError::Missing {
                file: "runs.jsonl",
                ..
            }
        ),
        "{error}"
    );
}

/// Adds a line with a checksum that fits, and which names the line before it.
fn add_sealed(file: &Path, value: &Value) {
    let mut value = value.clone();
    let written = fs::read_to_string(file).unwrap();
    value["previous"] = link(written.lines().next_back().unwrap()).into();
    let mut file = fs::OpenOptions::new().append(true).open(file).unwrap();
    writeln!(file, "{}", sealed(&value.to_string())).unwrap();
}

fn problem(root: &Path) -> LineProblem {
    match OpenedResult::open(root).map(|result| result.records) {
        Err(StoreError::Line {
            line: 2, problem, ..
        }) => problem,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_run_twice_another_schema_and_other_things() {
    let added = |value: &Value| {
        let root = tempfile::tempdir().unwrap();
        drop(with_runs(root.path(), [1]));
        add_sealed(&runs_file(root.path()), value);
        problem(root.path())
    };
    let value = |run| serde_json::to_value(record(run)).unwrap();
    assert_eq!(
        added(&value(1)),
        LineProblem::Duplicate { run: 1, first: 1 }
    );
    let mut later = value(2);
    later["schema"] = json!(3);
    assert_eq!(
        added(&later),
        LineProblem::Schema {
            expected: 2,
            found: 3
        }
    );
    // A later schema need not have this one's fields.
    let other = json!({"schema": 3, "runs": []});
    assert_eq!(
        added(&other),
        LineProblem::Schema {
            expected: 2,
            found: 3
        }
    );
    assert!(matches!(added(&json!({"a": 1})), LineProblem::Malformed(_)));
    let mut missing = value(2);
    missing.as_object_mut().unwrap().remove("argv");
    assert!(matches!(added(&missing), LineProblem::Malformed(reason) if reason.contains("argv")));
}

/// A record as version 1 of the format had it.
fn of_version_1(run: u32) -> Value {
    let mut value = serde_json::to_value(record(run)).unwrap();
    let record = value.as_object_mut().unwrap();
    record.insert("schema".to_owned(), json!(1));
    record.remove("steps");
    let usage = record.remove("usage").unwrap();
    record.extend(usage.as_object().unwrap().clone());
    for sample in record["samples"].as_array_mut().unwrap() {
        let sample = sample.as_object_mut().unwrap();
        if let Some(benchmark) = sample.remove("benchmark") {
            sample.insert("part".to_owned(), benchmark);
        }
    }
    value
}

#[test]
fn records_of_version_1_are_read_beside_those_of_today() {
    let root = tempfile::tempdir().unwrap();
    drop(with_runs(root.path(), [1]));
    let [old, mut imported, mut not_started] = [2, 3, 4].map(of_version_1);
    imported["source"] = "1: line 5".into();
    not_started.as_object_mut().unwrap().remove("exit_code");
    for value in [&old, &imported, &not_started] {
        add_sealed(&runs_file(root.path()), value);
    }
    let mut expected = [1, 2, 3, 4].map(record);
    for record in &mut expected[1..] {
        record.schema = 1;
        record.steps.clear();
    }
    expected[2].source = Some("1: line 5".to_owned());
    expected[3].exit_code = None;
    // What nobody measured was 0.
    for record in &mut expected[2..] {
        record.usage = None;
    }
    let read = OpenedResult::open(root.path()).unwrap().records;
    assert_eq!(read, expected);
    let mut broken = of_version_1(5);
    broken.as_object_mut().unwrap().remove("wall_s");
    add_sealed(&runs_file(root.path()), &broken);
    assert!(matches!(
        OpenedResult::open(root.path()).map(|result| result.records),
        Err(StoreError::Line { line: 5, problem: LineProblem::Malformed(reason), .. }) if reason.contains("wall_s")
    ));
}

#[test]
fn fields_that_a_later_version_adds_are_ignored() {
    let root = tempfile::tempdir().unwrap();
    drop(with_runs(root.path(), [1]));
    let mut later = serde_json::to_value(record(2)).unwrap();
    later["new"] = json!({"a": [1, 2]});
    later["samples"][0]["new"] = json!(1);
    later.as_object_mut().unwrap().remove("layout");
    add_sealed(&runs_file(root.path()), &later);
    let mut expected = record(2);
    expected.layout = None;
    assert_eq!(
        OpenedResult::open(root.path()).unwrap().records,
        [record(1), expected]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Whatever the file of records holds, it is read or refused; and where going on is refused,
    /// nothing has changed.
    #[test]
    fn any_bytes_are_harmless(
        garbage in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..300),
            "(\\{\"schema\":[0-9]{1,12}[^\n]{0,20},\"crc\":\"[0-9a-f]{8}\"\\}\n){0,3}".prop_map(String::into_bytes),
        ],
        keep in 0_usize..3000,
    ) {
        let root = tempfile::tempdir().unwrap();
        drop(with_runs(root.path(), [1, 2]));
        let file = runs_file(root.path());
        let mut content = fs::read(&file).unwrap();
        content.truncate(keep);
        content.extend_from_slice(&garbage);
        fs::write(&file, &content).unwrap();
        let read = OpenedResult::open(root.path()).map(|result| result.records);
        match (read, ResultDir::resume(root.path())) {
            (Ok(read), Ok(resumed)) => {
                prop_assert_eq!(&resumed.records().unwrap(), &read);
                let expected = [record(1), record(2)];
                prop_assert!(expected.starts_with(&read), "nothing is invented");
            }
            (Err(_), Err(_)) => prop_assert_eq!(fs::read(&file).unwrap(), content),
            (read, resumed) => prop_assert!(false, "{read:?} but {resumed:?}"),
        }
    }
}
