//! Whatever was done to a directory, what is still as it was written is read, and nothing else.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use perflab_store::{
    Imported, ImportedFile, LineProblem, Notice, OpenedResult, ResultDir, Salvage, StopReason,
    Stopped, StoreError,
};
use proptest::prelude::*;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::Value;

use crate::fixture::{
    EXPERIMENT, create, environment, origin, plan, record, run_one, runs_file, sealed, unchain,
    with_runs,
};

/// Files that never change; of what is in each, [`parts`] says whether it is there.
const FROZEN: [&str; 4] = [
    "experiment.toml",
    "plan.json",
    "fingerprint.json",
    "meta.json",
];

/// A result with every file that there can be.
fn complete(path: &Path) {
    let mut result = with_runs(path, [2, 1, 3]);
    result.stop(Stopped::new(StopReason::Decided, 2)).unwrap();
}

fn parts(salvage: &Salvage) -> [bool; 4] {
    [
        salvage.experiment.is_some(),
        salvage.plan.is_some(),
        salvage.environment.is_some(),
        salvage.meta.is_some(),
    ]
}

/// Every file below a directory.
fn tree(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut next = vec![directory.to_owned()];
    while let Some(path) = next.pop() {
        for entry in fs::read_dir(&path).unwrap() {
            let entry = entry.unwrap();
            match entry.file_type().unwrap().is_dir() {
                true => next.push(entry.path()),
                false => drop(found.insert(entry.path(), fs::read(entry.path()).unwrap())),
            }
        }
    }
    found
}

/// Reads a result after something was done to it, and checks that reading changes nothing.
#[track_caller]
fn after(damage: impl FnOnce(&Path)) -> (tempfile::TempDir, Salvage) {
    let root = tempfile::tempdir().unwrap();
    complete(root.path());
    damage(root.path());
    let before = tree(root.path());
    let salvage = Salvage::read(root.path());
    assert_eq!(tree(root.path()), before);
    (root, salvage)
}

fn edit(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut content = fs::read(path).unwrap();
    change(&mut content);
    fs::write(path, content).unwrap();
}

/// Where the lines of the records begin.
fn starts(content: &[u8]) -> Vec<usize> {
    let ends = content
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n');
    std::iter::once(0)
        .chain(ends.map(|(at, _)| at + 1))
        .collect()
}

#[test]
fn of_an_intact_directory_it_is_all() {
    let (root, salvage) = after(|_| ());
    let opened = OpenedResult::open(root.path()).unwrap();
    assert!(salvage.problems.is_empty(), "{:?}", salvage.problems);
    assert_eq!(salvage.notices, opened.notices);
    assert_eq!(salvage.meta.as_ref(), Some(&opened.meta));
    assert_eq!(salvage.experiment.as_ref().unwrap().text, EXPERIMENT);
    assert_eq!(salvage.experiment.as_ref(), Some(&opened.experiment));
    assert_eq!(salvage.plan, Some(plan()));
    assert_eq!(salvage.environment.as_ref(), Some(&opened.environment));
    assert_eq!(salvage.records, opened.records);
    assert_eq!(salvage.records, [record(2), record(1), record(3)]);
    assert_eq!(salvage.stopped, opened.stopped);
    assert_eq!(salvage.stopped, Some(Stopped::new(StopReason::Decided, 2)));
    assert_eq!(salvage.run_dir(3), opened.run_dir(3));
    assert!(salvage.writer().is_none());
}

#[test]
fn a_laboratory_that_writes_is_seen() {
    let root = tempfile::tempdir().unwrap();
    let mut laboratory = create(root.path());
    run_one(&mut laboratory, 1);
    let salvage = Salvage::read(root.path());
    assert_eq!(salvage.writer().unwrap().pid, std::process::id());
    assert_eq!(salvage.records, [record(1)]);
    assert!(salvage.problems.is_empty() && salvage.notices.is_empty());
    drop(laboratory);
    assert!(salvage.writer().is_none());
}

#[test]
fn a_file_that_never_changes_is_whole_or_is_not_used() {
    type Damage = fn(&Path);
    let damages: [(&str, Damage); 9] = [
        ("missing", |path| fs::remove_file(path).unwrap()),
        ("altered", |path| edit(path, |content| content[7] ^= 1)),
        ("longer", |path| edit(path, |content| content.push(b'\n'))),
        ("truncated", |path| {
            edit(path, |content| content.truncate(content.len() - 1));
        }),
        ("halved", |path| {
            edit(path, |content| content.truncate(content.len() / 2));
        }),
        ("empty", |path| fs::write(path, "").unwrap()),
        ("binary", |path| {
            fs::write(path, [0, 255, 254, b'\n', b'{'].repeat(500)).unwrap();
        }),
        ("a directory", |path| {
            fs::remove_file(path).unwrap();
            fs::create_dir(path).unwrap();
        }),
        ("a link to nowhere", |path| {
            fs::remove_file(path).unwrap();
            std::os::unix::fs::symlink("nowhere", path).unwrap();
        }),
    ];
    for (place, file) in FROZEN.iter().enumerate() {
        for (kind, damage) in damages {
            let root = tempfile::tempdir().unwrap();
            complete(root.path());
            damage(&root.path().join(file));
            let salvage = Salvage::read(root.path());
            // What the other three are cannot be known without the file that has their hashes.
            let mut expected = [*file != "meta.json"; 4];
            expected[place] = false;
            assert_eq!(parts(&salvage), expected, "{file} {kind}");
            let [problem] = salvage.problems.as_slice() else {
                panic!("{file} {kind}: {:?}", salvage.problems);
            };
            assert!(problem.to_string().contains(file), "{kind}: {problem}");
            let is_missing = matches!(problem, StoreError::Missing { .. });
            assert_eq!(is_missing, kind == "missing", "{file} {kind}: {problem}");
            assert_eq!(salvage.records.len(), 3, "{file} {kind}");
            assert!(salvage.stopped.is_some(), "{file} {kind}");
            assert!(OpenedResult::open(root.path()).is_err(), "{file} {kind}");
        }
    }
}

#[test]
fn what_is_no_file_is_neither_waited_for_nor_followed() {
    for file in FROZEN.iter().chain(&["runs.jsonl", "stopped.json"]) {
        for (kind, said) in [
            ("pipe", "it is no regular file"),
            ("link to a device", "it is a symbolic link"),
            ("link to a file", "it is a symbolic link"),
        ] {
            let root = tempfile::tempdir().unwrap();
            complete(root.path());
            let path = root.path().join(file);
            let moved = root.path().join("moved");
            fs::rename(&path, &moved).unwrap();
            match kind {
                "pipe" => mknodat(CWD, &path, FileType::Fifo, Mode::RUSR, 0).unwrap(),
                "link to a device" => std::os::unix::fs::symlink("/dev/zero", &path).unwrap(),
                _ => std::os::unix::fs::symlink(&moved, &path).unwrap(),
            }
            let salvage = Salvage::read(root.path());
            let [problem] = salvage.problems.as_slice() else {
                panic!("{file} {kind}: {:?}", salvage.problems);
            };
            assert!(
                problem.to_string().contains(said),
                "{file} {kind}: {problem}"
            );
        }
    }
}

#[test]
fn a_cut_last_line_is_a_notice() {
    for cut in [1, 2, 40] {
        let (_root, salvage) = after(|path| {
            edit(&runs_file(path), |content| {
                content.truncate(content.len() - cut);
            });
            // Its output has no name yet.
            let output = path.join("runs/000003");
            if output.exists() {
                fs::rename(&output, output.with_extension("partial")).unwrap();
            }
        });
        assert!(salvage.problems.is_empty(), "{:?}", salvage.problems);
        let [
            Notice::CutLine {
                bytes,
                moved_to: None,
            },
        ] = salvage.notices.as_slice()
        else {
            panic!("{:?}", salvage.notices);
        };
        assert!(*bytes > 0);
        assert_eq!(salvage.records, [record(2), record(1)]);
    }
}

#[test]
fn an_altered_line_takes_no_other_with_it() {
    for line in 0..3 {
        for damage in ["a bit", "nothing", "noise"] {
            let (root, salvage) = after(|path| {
                edit(&runs_file(path), |content| {
                    let (start, end) = (starts(content)[line], starts(content)[line + 1] - 1);
                    match damage {
                        "a bit" => content[start + 30] ^= 4,
                        "nothing" => drop(content.drain(start..end)),
                        _ => content[start..end].fill(0xfe),
                    }
                });
            });
            let mut left = vec![record(2), record(1), record(3)];
            left.remove(line);
            assert_eq!(salvage.records, left, "{damage} in {line}");
            let [
                StoreError::Line {
                    path,
                    line: said,
                    problem,
                },
            ] = salvage.problems.as_slice()
            else {
                panic!("{:?}", salvage.problems);
            };
            assert_eq!(
                (path, *said, problem),
                (&runs_file(root.path()), line + 1, &LineProblem::Altered)
            );
            assert_eq!(parts(&salvage), [true; 4]);
            assert!(salvage.notices.is_empty());
        }
    }
}

#[test]
fn each_line_that_is_wrong_is_said() {
    let (_root, salvage) = after(|path| {
        edit(&runs_file(path), |content| {
            let starts = starts(content);
            content[starts[0] + 3] ^= 1;
            content[starts[2] + 3] ^= 1;
        });
    });
    assert_eq!(salvage.records, [record(1)]);
    let lines: Vec<usize> = salvage
        .problems
        .iter()
        .map(|problem| match problem {
            StoreError::Line { line, .. } => *line,
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(lines, [1, 3]);
}

#[test]
fn of_a_run_that_is_there_twice_the_first_counts() {
    let (_root, salvage) = after(|path| {
        edit(&runs_file(path), |content| {
            let second = starts(content)[1];
            content.extend_from_within(..second);
        });
    });
    assert_eq!(salvage.records, [record(2), record(1), record(3)]);
    let [
        StoreError::Line {
            line: 4, problem, ..
        },
    ] = salvage.problems.as_slice()
    else {
        panic!("{:?}", salvage.problems);
    };
    assert_eq!(*problem, LineProblem::Duplicate { run: 2, first: 1 });
}

#[test]
fn records_that_are_missing_or_no_records() {
    let (_root, salvage) = after(|path| fs::remove_file(runs_file(path)).unwrap());
    assert!(matches!(
        salvage.problems.as_slice(),
        [StoreError::Missing {
            file: "runs.jsonl",
            ..
        }]
    ));
    assert_eq!((parts(&salvage), salvage.records.len()), ([true; 4], 0));

    let (_root, salvage) = after(|path| {
        fs::write(runs_file(path), "").unwrap();
        fs::remove_dir_all(path.join("runs")).unwrap();
    });
    assert!(salvage.problems.is_empty() && salvage.records.is_empty());

    let (_root, salvage) =
        after(|path| fs::write(runs_file(path), [0, 255, b'\n'].repeat(100)).unwrap());
    assert_eq!((salvage.problems.len(), salvage.records.len()), (100, 0));
}

#[test]
fn a_note_of_the_end_that_cannot_be_trusted_is_not_used() {
    let damages: [fn(&Path); 4] = [
        |path| fs::write(path, "").unwrap(),
        |path| fs::write(path, "{\"schema\":1,\"reason\":\"decided\",\"blocks\":2}\n").unwrap(),
        |path| edit(path, |content| content[20] ^= 1),
        |path| edit(path, |content| content.truncate(content.len() - 1)),
    ];
    for damage in damages {
        let (_root, salvage) = after(|path| damage(&path.join("stopped.json")));
        assert_eq!(salvage.stopped, None);
        let [problem] = salvage.problems.as_slice() else {
            panic!("{:?}", salvage.problems);
        };
        assert!(problem.to_string().contains("stopped.json"), "{problem}");
        assert_eq!((parts(&salvage), salvage.records.len()), ([true; 4], 3));
    }
    // Most experiments have none.
    let (_root, salvage) = after(|path| fs::remove_file(path.join("stopped.json")).unwrap());
    assert!(salvage.stopped.is_none() && salvage.problems.is_empty());
}

#[test]
fn a_file_that_runs_were_read_from_is_missed() {
    let root = tempfile::tempdir().unwrap();
    let mut origin = origin();
    origin.imported = Some(Imported {
        format: "columns".into(),
        independent: false,
        files: vec![
            ImportedFile::new("1/a".into(), b"x"),
            ImportedFile::new("../secret".into(), b"x"),
        ],
        notes: Vec::new(),
    });
    let mut result =
        ResultDir::create(root.path(), EXPERIMENT, &plan(), &environment(), origin).unwrap();
    result.keep_imported("1/a", b"x").unwrap();
    for run in 1..=3 {
        result.append(&record(run)).unwrap();
    }
    let salvage = Salvage::read(root.path());
    assert!(salvage.problems.is_empty());
    let evidence = |file: &str| Notice::Evidence { file: file.into() };
    assert_eq!(salvage.notices, [evidence("imported/../secret")]);
    assert_eq!(
        salvage.notices,
        OpenedResult::open(root.path()).unwrap().notices
    );
    fs::remove_file(root.path().join("imported/1/a")).unwrap();
    let salvage = Salvage::read(root.path());
    assert_eq!(
        salvage.notices,
        [evidence("imported/1/a"), evidence("imported/../secret")]
    );
}

#[test]
fn no_directory_an_empty_one_and_a_file() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("file"), "x").unwrap();
    fs::create_dir(root.path().join("empty")).unwrap();
    for name in ["none", "empty", "file", "file/below"] {
        let salvage = Salvage::read(&root.path().join(name));
        assert_eq!(
            (parts(&salvage), salvage.records.len()),
            ([false; 4], 0),
            "{name}"
        );
        let said: Vec<String> = salvage.problems.iter().map(ToString::to_string).collect();
        assert!(
            said.iter().any(|problem| problem.contains("meta.json")),
            "{name}: {said:?}"
        );
        assert!(
            said.iter().any(|problem| problem.contains("runs.jsonl")),
            "{name}: {said:?}"
        );
        assert!(salvage.writer().is_none());
    }
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 2);
    assert_eq!(fs::read_dir(root.path().join("empty")).unwrap().count(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Nothing is invented: each part is the one that was written, or is not there and missed.
    #[test]
    fn any_damage_leaves_the_rest(
        damages in prop::collection::vec((0_usize..6, 0_usize..3, any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let root = tempfile::tempdir().unwrap();
        complete(root.path());
        let sound = Salvage::read(root.path());
        let files = [FROZEN.as_slice(), &["runs.jsonl", "stopped.json"]].concat();
        for (file, kind, place, byte) in damages {
            let path = root.path().join(files[file]);
            let Ok(mut content) = fs::read(&path) else { continue };
            let at = if content.is_empty() { 0 } else { place.index(content.len()) };
            match kind {
                0 if !content.is_empty() => content[at] = byte,
                1 => content.truncate(at),
                _ => content.insert(at, byte),
            }
            fs::write(&path, content).unwrap();
        }
        let before = tree(root.path());
        let salvage = Salvage::read(root.path());
        prop_assert_eq!(tree(root.path()), before);

        prop_assert!(salvage.meta.is_none() || salvage.meta == sound.meta);
        prop_assert!(salvage.experiment.is_none() || salvage.experiment == sound.experiment);
        prop_assert!(salvage.plan.is_none() || salvage.plan == sound.plan);
        prop_assert!(salvage.environment.is_none() || salvage.environment == sound.environment);
        prop_assert!(salvage.stopped.is_none() || salvage.stopped == sound.stopped);
        let mut left = sound.records.iter();
        prop_assert!(salvage.records.iter().all(|record| left.any(|sound| sound == record)), "order and content");

        let missing = parts(&salvage).iter().any(|there| !there) || salvage.stopped.is_none();
        prop_assert!(!missing || !salvage.problems.is_empty());
        // It has no problems exactly when everything can be trusted.
        let is_sound = OpenedResult::open(root.path()).is_ok();
        prop_assert_eq!(salvage.problems.is_empty(), is_sound, "{:?}", salvage.problems);
    }
}

/// So many that several threads read them.
#[test]
fn faults_among_thousands_of_records_are_told_by_their_lines() {
    let root = tempfile::tempdir().unwrap();
    complete(root.path());
    unchain(root.path());
    let content = fs::read_to_string(runs_file(root.path())).unwrap();
    let line = content.lines().next().unwrap();
    let numbered = |run: u32| {
        let mut record: Value = serde_json::from_str(line).unwrap();
        record.as_object_mut().unwrap().remove("crc");
        record["run"] = run.into();
        sealed(&record.to_string())
    };
    let mut lines: Vec<String> = (1..=3000).map(numbered).collect();
    lines[1234] = "no record".to_owned();
    lines[2345] = numbered(7);
    fs::write(runs_file(root.path()), lines.join("\n") + "\n").unwrap();
    let salvage = Salvage::read(root.path());
    let runs: Vec<u32> = salvage.records.iter().map(|record| record.run).collect();
    let expected: Vec<u32> = (1..=3000)
        .filter(|run| ![1235, 2346].contains(run))
        .collect();
    assert_eq!(runs, expected);
    let problems: Vec<String> = salvage.problems.iter().map(ToString::to_string).collect();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[0].contains("runs.jsonl:1235:"), "{problems:?}");
    assert!(problems[1].contains("runs.jsonl:2346:"), "{problems:?}");
    // Records of both ends share what they measure.
    let metric = |record: &perflab_store::RunRecord| record.samples[0].metric.clone();
    let ends = [&salvage.records[0], &salvage.records[2997]].map(metric);
    assert!(std::sync::Arc::ptr_eq(&ends[0], &ends[1]));
}
