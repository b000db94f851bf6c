//! The way of an experiment through a results directory.

use std::fs;
use std::os::unix::fs::symlink;

use perflab_store::{OpenedResult, ResultDir, RunRecord, StopReason, Stopped, StoreError};
use serde_json::Value;

use crate::fixture::{
    EXPERIMENT, create, environment, names, origin, plan, record, run_one, runs_file, sample,
    unchain, with_runs,
};

#[test]
fn everything_comes_back_as_it_was() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("a/b");
    let written = with_runs(&path, [2, 1, 3]);
    let expected = [record(2), record(1), record(3)];
    assert_eq!(written.records().unwrap(), expected);

    // Also while the laboratory writes.
    let read = OpenedResult::open(&path).unwrap();
    assert_eq!(read.records, expected);
    assert_eq!(read.experiment.text, EXPERIMENT);
    assert_eq!(read.plan, plan());
    assert_eq!(read.environment.machine.cpu.cores, Some(4));
    assert_eq!(read.meta.origin, origin());
    assert_eq!(read.notices, []);
    let output = fs::read_to_string(read.run_dir(3).join("stdout")).unwrap();
    assert_eq!(output, "output of run 3");
    assert_eq!(read.run_dir(3), path.join("runs/000003"));
    assert_eq!(names(&path.join("runs")), ["000001", "000002", "000003"]);
    // sha256sum experiment.toml
    assert_eq!(
        fs::read(path.join("experiment.toml")).unwrap(),
        EXPERIMENT.as_bytes()
    );
    assert_eq!(read.meta.sha256.experiment.len(), 64);
}

#[test]
fn negative_zero_and_the_last_bit_survive() {
    let root = tempfile::tempdir().unwrap();
    let written = with_runs(root.path(), [1]);
    let read = written.records().unwrap().remove(0);
    assert!(read.evidence["zero"].is_sign_negative());
    for (value, expected) in read.samples.iter().zip(record(1).samples) {
        assert_eq!(value.value.to_bits(), expected.value.to_bits());
    }
}

#[test]
fn a_line_ends_with_the_checksum_of_what_is_before_it() {
    let root = tempfile::tempdir().unwrap();
    with_runs(root.path(), [1, 2]);
    let text = fs::read_to_string(runs_file(root.path())).unwrap();
    assert_eq!(text.lines().count(), 2);
    for line in text.lines() {
        let (body, seal) = line.rsplit_once(",\"crc\":").unwrap();
        assert_eq!(seal, format!("\"{:08x}\"}}", crc32(body.as_bytes())));
        assert!(serde_json::from_str::<Value>(line).unwrap().is_object());
    }
}

/// CRC-32 of ISO-HDLC bit by bit, from its polynomial.
fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xedb8_8320 * (crc & 1));
        }
    }
    !crc
}

#[test]
fn results_never_overwrite_anything() {
    let root = tempfile::tempdir().unwrap();
    drop(with_runs(root.path(), [1]));
    let before = fs::read(runs_file(root.path())).unwrap();
    let again = ResultDir::create(root.path(), "", &plan(), &environment(), origin());
    let error = again.unwrap_err();
    assert!(matches!(error, StoreError::NotEmpty(_)), "{error}");
    assert!(error.to_string().contains("--resume"), "{error}");
    assert_eq!(fs::read(runs_file(root.path())).unwrap(), before);

    let other = tempfile::tempdir().unwrap();
    fs::write(other.path().join("precious"), "").unwrap();
    let error = ResultDir::create(other.path(), "", &plan(), &environment(), origin()).unwrap_err();
    assert!(matches!(error, StoreError::NotEmpty(_)), "{error}");
    assert_eq!(names(other.path()), ["precious"]);

    let file = other.path().join("precious");
    let error = ResultDir::create(&file, "", &plan(), &environment(), origin()).unwrap_err();
    assert!(matches!(error, StoreError::Uncreatable { .. }), "{error}");
}

#[test]
fn only_one_laboratory_writes() {
    let root = tempfile::tempdir().unwrap();
    let first = create(root.path());
    let error = ResultDir::resume(root.path()).unwrap_err();
    assert!(matches!(error, StoreError::Lock(_)), "{error}");
    assert!(
        error
            .to_string()
            .contains(&format!("pid {}", std::process::id())),
        "{error}"
    );
    drop(first);
    let second = ResultDir::resume(root.path()).unwrap();
    assert!(matches!(
        ResultDir::resume(root.path()),
        Err(StoreError::Lock(_))
    ));
    assert!(
        OpenedResult::open(root.path()).is_ok(),
        "reading is always possible"
    );
    drop(second);
    ResultDir::resume(root.path()).unwrap();
}

#[test]
fn of_many_laboratories_at_once_one_sets_up_the_directory() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("results");
    let made: Vec<_> = std::thread::scope(|scope| {
        let make = || ResultDir::create(&path, EXPERIMENT, &plan(), &environment(), origin());
        let all: Vec<_> = (0..8).map(|_| scope.spawn(make)).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(made.iter().filter(|made| made.is_ok()).count(), 1);
    for error in made.into_iter().filter_map(Result::err) {
        assert!(
            matches!(error, StoreError::NotEmpty(_) | StoreError::Lock(_)),
            "{error}"
        );
    }
    OpenedResult::open(&path).unwrap();
}

#[test]
fn a_run_is_recorded_once_and_is_never_begun_again() {
    let root = tempfile::tempdir().unwrap();
    let mut results = with_runs(root.path(), [1]);
    assert!(results.is_recorded(1) && !results.is_recorded(2));
    for error in [
        results.append(&record(1)).unwrap_err(),
        results.begin_run(1).unwrap_err(),
    ] {
        assert!(
            matches!(error, StoreError::Recorded { run: 1, .. }),
            "{error}"
        );
    }
    drop(results);
    let mut results = ResultDir::resume(root.path()).unwrap();
    assert!(matches!(
        results.append(&record(1)),
        Err(StoreError::Recorded { .. })
    ));
    assert_eq!(results.records().unwrap().len(), 1);
    assert!(results.run_dir(1).join("stdout").exists());
}

#[test]
fn an_attempt_begins_with_an_empty_directory() {
    let root = tempfile::tempdir().unwrap();
    let mut results = create(root.path());
    let partial = results.begin_run(4).unwrap();
    assert_eq!(partial, root.path().join("runs/000004.partial"));
    fs::write(partial.join("stdout"), "first attempt").unwrap();
    assert_eq!(results.begin_run(4).unwrap(), partial);
    assert_eq!(names(&partial), [] as [&str; 0]);
    // Links and directories are not followed or opened when the output is synced.
    symlink("/nonexistent", partial.join("link")).unwrap();
    fs::create_dir_all(partial.join("core/deep")).unwrap();
    fs::write(partial.join("core/deep/file"), "x").unwrap();
    results.finish_run(4).unwrap();
    assert_eq!(names(&partial), ["core", "link"]);
    // Ended but not recorded: still no result.
    assert_eq!(names(&results.begin_run(4).unwrap()), [] as [&str; 0]);
    assert_eq!(names(&root.path().join("runs")), ["000004.partial"]);
    assert!(matches!(results.finish_run(5), Err(StoreError::Io { .. })));
}

#[test]
fn what_json_cannot_hold_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let mut results = create(root.path());
    let change = |change: &dyn Fn(&mut RunRecord)| {
        let mut record = record(1);
        record.evidence.insert("hits".into(), 1.0);
        change(&mut record);
        record
    };
    let wrong = [
        (
            change(&|record| record.usage.as_mut().unwrap().wall_s = f64::NAN),
            "wall_s",
        ),
        (
            change(&|record| record.steps[0].seconds = f64::NAN),
            "warm-up",
        ),
        (
            change(&|record| record.load1 = Some(f64::INFINITY)),
            "load1",
        ),
        (
            change(&|record| record.samples.push(sample(None, "p99", f64::NAN))),
            "p99",
        ),
        (
            change(&|record| record.evidence["hits"] = -f64::INFINITY),
            "hits",
        ),
    ];
    for (record, what) in wrong {
        let error = results.append(&record).unwrap_err();
        assert!(
            matches!(&error, StoreError::NotFinite { run: 1, what: w, .. } if w == what),
            "{error}"
        );
    }
    let error = results
        .append(&change(&|record| record.schema = 1))
        .unwrap_err();
    assert!(
        matches!(error, StoreError::RecordSchema { found: 1, .. }),
        "{error}"
    );
    assert_eq!(results.records().unwrap(), []);
    results.append(&record(1)).unwrap();
}

#[test]
fn going_on_where_it_stopped() {
    let root = tempfile::tempdir().unwrap();
    drop(with_runs(root.path(), [1, 2]));
    // Older versions gave output its final name before it was recorded.
    unchain(root.path());
    let runs = root.path().join("runs");
    for leftover in ["000003", "000002.partial", "000001.partial"] {
        fs::create_dir(runs.join(leftover)).unwrap();
        fs::write(runs.join(leftover).join("stdout"), "half").unwrap();
    }
    // What the store did not make is not the store's to remove.
    for other in [
        "notes",
        "5",
        "0000000006",
        "000007.partial.old",
        // The plan has three runs.
        "000004",
        "000004.partial",
    ] {
        fs::create_dir(runs.join(other)).unwrap();
    }
    let mut results = ResultDir::resume(root.path()).unwrap();
    let notices: Vec<String> = results.notices().iter().map(ToString::to_string).collect();
    assert_eq!(
        notices,
        [
            "removed the output of runs that were not finished: 000001.partial, 000002.partial, 000003"
        ]
    );
    let kept = [
        "000001",
        "000002",
        "000004",
        "000004.partial",
        "0000000006",
        "000007.partial.old",
        "5",
        "notes",
    ];
    let mut kept: Vec<String> = kept.iter().map(ToString::to_string).collect();
    kept.sort();
    assert_eq!(names(&runs), kept);
    run_one(&mut results, 3);
    assert_eq!(
        results.records().unwrap(),
        [record(1), record(2), record(3)]
    );
}

#[test]
fn what_is_no_results_directory() {
    let root = tempfile::tempdir().unwrap();
    for error in [
        OpenedResult::open(root.path()).unwrap_err(),
        ResultDir::resume(root.path()).unwrap_err(),
    ] {
        assert!(
            matches!(
                error,
                StoreError::Missing {
                    file: "meta.json",
                    ..
                }
            ),
            "{error}"
        );
    }
    assert_eq!(
        names(root.path()),
        [] as [&str; 0],
        "looking leaves no trace"
    );
    assert!(matches!(
        OpenedResult::open(&root.path().join("none")),
        Err(StoreError::NoDirectory(_))
    ));
}

#[test]
fn why_it_ended_is_noted_and_noted_anew() {
    let root = tempfile::tempdir().unwrap();
    let mut written = with_runs(root.path(), [1]);
    assert_eq!(written.stopped().unwrap(), None);
    for stopped in [
        Stopped::new(StopReason::Budget, 3),
        Stopped::new(StopReason::Decided, 7),
    ] {
        written.stop(stopped).unwrap();
        let read = OpenedResult::open(root.path()).unwrap();
        assert_eq!(read.stopped, Some(stopped));
    }
    let note = root.path().join("stopped.json");
    let whole = fs::read(&note).unwrap();
    for length in 0..whole.len() {
        fs::write(&note, &whole[..length]).unwrap();
        assert!(
            matches!(written.stopped(), Err(StoreError::Line { .. })),
            "{length}"
        );
        let read = OpenedResult::open(root.path());
        assert!(matches!(read, Err(StoreError::Line { .. })), "{length}");
    }
    let later = String::from_utf8(whole)
        .unwrap()
        .replace("\"schema\":1", "\"schema\":2");
    fs::write(&note, later).unwrap();
    assert!(matches!(written.stopped(), Err(StoreError::Line { .. })));
}
