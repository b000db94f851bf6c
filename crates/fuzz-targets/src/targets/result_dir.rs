//! Any bytes as the records of a result whose other files are sound. Lines are sealed and chained first, so that
//! they pass for what the store wrote, unless the input begins with `=`. Those that begin with `-` are removed after that,
//! and missed if one is left behind them. What follows a NUL is in a file with samples of run 1, whose hash the records
//! call `SHA256`. What is read can be resumed and compared.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use perflab_compare::{
    Questions, SampleSelection, Selection, add_latencies, add_saturation, result_report,
};
use perflab_experiment::{Experiment, Plan};
use perflab_report::{TextOptions, csv, detail, json, markdown, text};
use perflab_store::{Environment, OpenedResult, Origin, ResultDir, RunRecord};

use crate::shared::{ChainedLines, directory, has_control, sha256, split_at};

const EXPERIMENT: &str = include_str!("../../seeds/small.toml");

struct Small {
    path: PathBuf,
    experiment: Experiment,
    plan: Plan,
}

static SMALL: LazyLock<Small> = LazyLock::new(|| {
    let path = directory();
    let experiment = Experiment::parse(EXPERIMENT, "small.toml").expect("it is sound");
    let plan = Plan::new(&experiment, 7);
    let origin = Origin {
        perflab: "0.1.0".to_owned(),
        created: "2026-03-01T12:00:00Z".to_owned(),
        name: "small".to_owned(),
        argv: vec!["perflab".to_owned(), "run".to_owned()],
        directory: None,
        until_decided: None,
        imported: None,
    };
    ResultDir::create(&path, EXPERIMENT, &plan, &Environment::unknown(), origin)
        .expect("a result can be set up");
    Small {
        path,
        experiment,
        plan,
    }
});

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    let path = &SMALL.path;
    let input = &with_sample_file(path, input);
    let (content, has_gap) = match input.strip_prefix(b"=") {
        Some(raw) => (raw.to_vec(), false),
        None => {
            let meta = fs::read(path.join("meta.json")).expect("the other files are sound");
            let ChainedLines { content, has_gap } = ChainedLines::new(&meta, input);
            (content, has_gap)
        }
    };
    fs::write(path.join("runs.jsonl"), content).expect("a file can be written");

    let records = OpenedResult::open(path).map(|opened| opened.records);
    assert!(!has_gap || records.is_err(), "a removed line is missed");
    resumed(path, records.as_deref().ok());
    match records {
        Ok(records) => compared(&records),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    true
}

/// The records of an input, with the hash of the file, which is written first. Nothing is left of the files of an earlier
/// input.
fn with_sample_file(path: &Path, input: &[u8]) -> Vec<u8> {
    let runs = path.join("runs");
    fs::remove_dir_all(&runs).expect("it is there");
    // Not called by its final name, which says that the run has a record.
    let partial = runs.join("000001.partial");
    fs::create_dir_all(&partial).expect("a directory can be made");
    let (records, samples) = split_at(input, 0);
    if records.len() == input.len() {
        return input.to_vec();
    }
    fs::write(partial.join("perflab-samples-1.txt"), samples).expect("a file can be written");
    let records = String::from_utf8_lossy(records);
    records.replace("SHA256", &sha256(samples)).into_bytes()
}

fn resumed(path: &Path, records: Option<&[RunRecord]>) {
    match (ResultDir::resume(path), records) {
        (Ok(resumed), Some(records)) => {
            assert_eq!(resumed.records().expect("they were read before"), records);
            assert!(records.iter().all(|record| resumed.is_recorded(record.run)));
            let again = OpenedResult::open(path).expect("it was resumed");
            assert!(again.notices.is_empty(), "a cut line is moved away");
        }
        (Err(error), None) => assert!(!error.to_string().is_empty()),
        (resumed, records) => panic!("{resumed:?} with {records:?}"),
    }
    let _no_cut_line = fs::remove_file(path.join("runs.jsonl.cut-1"));
}

fn compared(records: &[RunRecord]) {
    for record in records {
        assert!(record.samples.iter().all(|sample| sample.value.is_finite()));
    }
    let Small {
        experiment, plan, ..
    } = &*SMALL;
    let selection = Selection {
        baseline: Some(experiment.baseline().to_owned()),
        control: experiment.design.control.clone(),
        margin: Some(0.01),
        confidence: 0.95,
        questions: Questions {
            typical: true,
            mean: true,
        },
        // Both ways of looking, as the input will have it.
        anytime: records.len() % 2 == 1,
        in_turns: records.len() % 3 == 1,
    };
    match result_report(
        experiment,
        plan,
        records,
        &SampleSelection::default(),
        &selection,
    ) {
        Ok(mut report) => {
            let sample_selection = SampleSelection::default();
            add_latencies(
                &mut report,
                experiment,
                plan,
                records,
                &sample_selection,
                &selection,
            );
            add_saturation(&mut report, experiment, records, Some(2));
            let options = TextOptions::default();
            assert!(!has_control(&text(&report, &options)));
            for row in &report.rows {
                assert!(!has_control(&detail(row, &report, &options)));
            }
            assert!(!has_control(&markdown(&report)));
            assert_eq!(
                csv(&report).lines().count(),
                1 + report.rows.len() + report.pooled.len()
            );
            assert!(!json(&report).is_empty());
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
