//! Samples that are too many for a line are in a file beside it, and come back as if they were not.

use std::fs;
use std::path::Path;

use perflab_experiment::Sample;
use perflab_store::{
    LineProblem, Notice, OpenedResult, ResultDir, RunRecord, Salvage, StoreError, is_sample_file,
};
use serde_json::{Value, json};

use crate::fixture::{create, link, names, record, runs_file, sample, sealed, sha256};

const FILE: &str = "runs/000001/perflab-samples-1.txt";

/// The record of a run with other samples.
fn with(run: u32, samples: Vec<Sample>) -> RunRecord {
    RunRecord {
        samples,
        ..record(run)
    }
}

fn add(results: &mut ResultDir, record: &RunRecord) {
    results.begin_run(record.run).unwrap();
    results.finish_run(record.run).unwrap();
    results.append(record).unwrap();
}

/// 1001 samples of one metric, the smallest number that goes into a file.
fn many() -> Vec<Sample> {
    (0..1001)
        .map(|number| sample(None, "latency", f64::from(number) / 7.0))
        .collect()
}

/// A result of one run with a file.
fn written(path: &Path) -> RunRecord {
    let run = with(1, many());
    add(&mut create(path), &run);
    run
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(runs_file(path)).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_file_holds_more_samples_than_a_line_should() {
    let root = tempfile::tempdir().unwrap();
    let few = with(2, many().split_off(1));
    let run = written(root.path());
    add(&mut ResultDir::resume(root.path()).unwrap(), &few);
    assert_eq!(
        names(&root.path().join("runs/000001")),
        ["perflab-samples-1.txt"]
    );
    assert_eq!(names(&root.path().join("runs/000002")), [] as [&str; 0]);
    assert!(is_sample_file("perflab-samples-1.txt"));

    let text = fs::read_to_string(root.path().join(FILE)).unwrap();
    assert_eq!(text.lines().count(), 1001);
    assert!(text.starts_with("0.0\n0.14285714285714285\n"), "{text}");
    let found = &lines(root.path())[0];
    assert_eq!(found["samples"], json!([]));
    let mut file = found["sample_files"][0].clone();
    let hash = file.as_object_mut().unwrap().shift_remove("sha256");
    assert_eq!(hash.unwrap().as_str().unwrap().len(), 64);
    assert_eq!(
        file,
        json!({
            "file": "perflab-samples-1.txt",
            "name": "latency", "unit": "1/s", "better": "higher",
            "count": 1001, "min": 0.0, "max": 1000.0 / 7.0,
            "mean": file["mean"], "median": 500.0 / 7.0,
        })
    );
    let mean = file["mean"].as_f64().unwrap();
    assert!((mean - 500.0 / 7.0).abs() < 1e-9, "{mean}");
    assert_eq!(lines(root.path())[1].get("sample_files"), None);

    let read = OpenedResult::open(root.path()).unwrap();
    assert_eq!(read.records, [run, few]);
}

#[test]
fn samples_of_several_metrics_come_back_in_their_order() {
    let root = tempfile::tempdir().unwrap();
    let mut results = create(root.path());
    // One after another, in turn, and by chance, with few of another metric before, between and behind them.
    let after: Vec<Sample> = (0..3003)
        .map(|number| sample(Some(["a", "b", "c"][number / 1001]), "x", number as f64))
        .collect();
    let in_turn = (0..4000).map(|number| match number % 3 {
        0 => sample(Some("a"), "x", 0.1 * f64::from(number)),
        1 => sample(Some("a"), "y", 1e300 * f64::from(number)),
        _ => sample(None, "x", -f64::from(number)),
    });
    let by_chance = (0..9000_u32).map(|number| {
        let drawn = number.wrapping_mul(2_654_435_761) >> 24;
        let benchmark = match drawn {
            0..10 => "few",
            10..100 => "some",
            _ => "most",
        };
        sample(Some(benchmark), "x", f64::from(drawn) / 3.0)
    });
    let tail = [-0.0, f64::MIN_POSITIVE / 2.0, f64::MAX].map(|value| sample(None, "z", value));
    let by_chance = by_chance.chain(tail).collect();
    for (run, samples) in (1..).zip([after, in_turn.collect(), by_chance]) {
        let record = with(run, samples);
        add(&mut results, &record);
        let read = results.records().unwrap().pop().unwrap();
        assert_eq!(read.run, run);
        for (place, (read, written)) in read.samples.iter().zip(&record.samples).enumerate() {
            assert_eq!(read, written, "{run} {place}");
            assert_eq!(read.value.to_bits(), written.value.to_bits());
        }
        assert_eq!(read, record, "{run}");
    }
    let files = |run| names(&root.path().join(format!("runs/{run:06}"))).len();
    assert_eq!([1, 2, 3].map(files), [3, 3, 2]);
    let second = fs::read_to_string(root.path().join("runs/000003/perflab-samples-2.txt"));
    let is_with_others = |line: &str| line.split_once(' ').is_some();
    assert!(second.unwrap().lines().any(is_with_others));
}

#[test]
fn huge_values_have_a_mean() {
    let root = tempfile::tempdir().unwrap();
    let huge = with(1, vec![sample(None, "latency", f64::MAX); 1001]);
    add(&mut create(root.path()), &huge);
    assert_eq!(OpenedResult::open(root.path()).unwrap().records, [huge]);
    let file = &lines(root.path())[0]["sample_files"][0];
    assert_eq!([&file["mean"], &file["median"]], [&json!(f64::MAX); 2]);
}

#[test]
fn a_file_that_is_not_as_it_was_is_damage() {
    let root = tempfile::tempdir().unwrap();
    written(root.path());
    let file = root.path().join(FILE);
    let whole = fs::read(&file).unwrap();
    let damage: [(&str, &dyn Fn()); 4] = [
        ("it altered (its SHA-256", &|| {
            let mut altered = whole.clone();
            altered[whole.len() / 2] ^= 1;
            fs::write(&file, altered).unwrap();
        }),
        ("it altered (its SHA-256", &|| {
            fs::write(&file, &whole[..whole.len() - 1]).unwrap();
        }),
        ("no file", &|| fs::remove_file(&file).unwrap()),
        ("it is a symbolic link", &|| {
            std::os::unix::fs::symlink("/etc/hostname", &file).unwrap();
        }),
    ];
    for (word, damage) in damage {
        damage();
        let error = OpenedResult::open(root.path()).unwrap_err();
        let said = error.to_string();
        assert!(
            matches!(
                &error,
                StoreError::Line { line: 1, problem: LineProblem::Samples { file: named, .. }, .. }
                    if *named == file
            ),
            "{said}"
        );
        for expected in [word, FILE, "restore the file from a copy"] {
            assert!(said.contains(expected), "{expected}: {said}");
        }
        assert!(ResultDir::resume(root.path()).is_err());
        let salvage = Salvage::read(root.path());
        assert_eq!(salvage.records, []);
        let problems: Vec<String> = salvage.problems.iter().map(ToString::to_string).collect();
        assert_eq!(problems, [said]);
    }
    fs::remove_file(&file).unwrap();
    fs::write(&file, &whole).unwrap();
    OpenedResult::open(root.path()).unwrap();
}

/// Writes the only record again with other values in the place of its file.
fn edit(path: &Path, change: impl FnOnce(&mut Value)) -> String {
    let mut record = lines(path).remove(0);
    change(&mut record["sample_files"][0]);
    let fields = record.as_object_mut().unwrap();
    fields.shift_remove("crc");
    let meta = fs::read_to_string(path.join("meta.json")).unwrap();
    fields["previous"] = json!(link(meta.trim_end()));
    fs::write(runs_file(path), sealed(&record.to_string()) + "\n").unwrap();
    OpenedResult::open(path).unwrap_err().to_string()
}

#[test]
fn a_record_leads_to_no_other_directory_and_to_no_place_that_is_taken() {
    let root = tempfile::tempdir().unwrap();
    written(root.path());
    for name in ["../../meta.json", "/etc/hostname", "..", "", "a/b", "a/"] {
        let said = edit(root.path(), |file| file["file"] = json!(name));
        assert!(
            said.contains("expected the name of a file"),
            "{name}: {said}"
        );
    }
    let said = edit(root.path(), |file| file["file"] = json!("stdout"));
    assert!(said.contains("expected the name of a file"), "{said}");
    let name = json!("perflab-samples-1.txt");
    for (content, word) in [
        ("1.0\ninf\n", "`inf`"),
        ("1.0\n2.0 1\n", "expected a place for each sample"),
        (
            "1.0 18446744073709551615\n",
            "expected a place for each sample",
        ),
    ] {
        fs::write(root.path().join(FILE), content).unwrap();
        let said = edit(root.path(), |file| {
            file["file"] = name.clone();
            file["count"] = json!(content.lines().count());
            file["sha256"] = json!(sha256(content));
        });
        assert!(said.contains(word), "{content}: {said}");
    }
}

#[test]
fn a_kill_between_file_and_record_costs_that_run_alone() {
    let root = tempfile::tempdir().unwrap();
    let first = written(root.path());
    let second = with(2, many());
    let before = fs::read(runs_file(root.path())).unwrap();
    add(&mut ResultDir::resume(root.path()).unwrap(), &second);
    let whole = fs::read(runs_file(root.path())).unwrap();
    let output = root.path().join("runs/000002");
    let partial = output.with_extension("partial");
    // Between the record and the name of its directory.
    fs::rename(&output, &partial).unwrap();
    let both = [first.clone(), second.clone()];
    assert_eq!(OpenedResult::open(root.path()).unwrap().records, both);

    fs::write(runs_file(root.path()), &before).unwrap();
    fs::write(partial.join("perflab-samples-1.txt"), "1.0\n").unwrap();
    let read = OpenedResult::open(root.path()).unwrap();
    assert_eq!(read.records, both[..1]);
    let mut resumed = ResultDir::resume(root.path()).unwrap();
    let directories = vec!["000002.partial".to_owned()];
    assert_eq!(resumed.notices(), [Notice::RemovedRaw { directories }]);
    add(&mut resumed, &second);
    assert_eq!(fs::read(runs_file(root.path())).unwrap(), whole);
    assert_eq!(OpenedResult::open(root.path()).unwrap().records, both);
}

#[test]
fn runs_that_were_not_executed_here_have_files_too() {
    let root = tempfile::tempdir().unwrap();
    let records = [with(1, many()), record(2), with(3, many())];
    create(root.path()).append_all(&records).unwrap();
    assert_eq!(names(&root.path().join("runs")), ["000001", "000003"]);
    assert_eq!(OpenedResult::open(root.path()).unwrap().records, records);
}
