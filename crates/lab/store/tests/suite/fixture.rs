//! A small experiment's results.

use std::fs;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use perflab_experiment::{Better, Cell, Metric, Plan, PlannedRun, Sample, Status};
use perflab_store::{Environment, Origin, ResultDir, RunRecord, Step, StepKind, Usage};
use serde_json::Value;
use sha2::{Digest, Sha256};

pub const EXPERIMENT: &str = "# an experiment\nname = \"small\"\r\n";

pub fn origin() -> Origin {
    Origin {
        perflab: "0.1.0".into(),
        created: "2026-03-01T12:00:00Z".into(),
        name: "small".into(),
        argv: vec!["perflab".into(), "run".into(), "small.toml".into()],
        directory: None,
        until_decided: None,
        imported: None,
    }
}

/// In none of the blocks that a note of the end may count.
pub fn plan() -> Plan {
    Plan {
        schema: 1,
        seed: 0,
        cells: ["new", "old"]
            .map(|variant| Cell::new(variant, "load", IndexMap::new()))
            .to_vec(),
        runs: [(1, 0), (2, 1), (3, 1)]
            .map(|(run, cell)| planned(run, 0, cell))
            .to_vec(),
        left_out: Vec::new(),
    }
}

pub fn planned(run: u32, block: u32, cell: usize) -> PlannedRun {
    PlannedRun {
        run,
        block,
        cell,
        seed: 0,
        unit: 1,
        observed: false,
    }
}

/// Of a machine with four cores, of which nothing else is known.
pub fn environment() -> Environment {
    let mut environment = Environment::unknown();
    environment.machine.cpu.cores = Some(4);
    environment
}

pub fn create(path: &Path) -> ResultDir {
    ResultDir::create(path, EXPERIMENT, &plan(), &environment(), origin()).unwrap()
}

pub fn sample(benchmark: Option<&str>, name: &str, value: f64) -> Sample {
    let metric = Metric::new(name, "1/s", Better::Higher);
    Sample {
        benchmark: benchmark.map(Into::into),
        metric: metric.into(),
        value,
        step: None,
    }
}

/// A record with something in every field, different for each run.
pub fn record(run: u32) -> RunRecord {
    let x = f64::from(run);
    RunRecord {
        schema: RunRecord::SCHEMA,
        run,
        block: run.div_ceil(2),
        cell: format!("old/load/clients={run}"),
        variant: "old".into(),
        workload: "load".into(),
        parameters: IndexMap::from([
            ("clients".into(), run.to_string()),
            ("a".into(), "ü\n\"".into()),
        ]),
        unit: 7,
        started: "2026-03-01T12:00:01.5Z".into(),
        status: Status::Pass,
        detail: None,
        source: None,
        host: None,
        observers: Vec::new(),
        programs: IndexMap::new(),
        argv: vec!["redis-benchmark".into(), "-q".into()],
        exit_code: Some(0),
        signal: None,
        usage: Some(Usage {
            wall_s: 1.0 + x / 3.0,
            user_s: x / 7.0,
            system_s: 1e-300 * x,
            max_rss_bytes: Some(u64::MAX),
            voluntary_switches: 12,
            involuntary_switches: 3,
        }),
        steps: vec![
            Step {
                step: StepKind::WarmUp,
                seconds: 0.1 + x,
            },
            Step {
                step: StepKind::Run,
                seconds: 1e-9,
            },
        ],
        environment_padding_bytes: 4095,
        layout: Some("gap 17".into()),
        settings: IndexMap::new(),
        load1: Some(0.1 + 0.2),
        steal_share: Some(0.0),
        samples: vec![
            sample(Some("GET"), "rps", 48_054.123_456_789 + x),
            sample(Some("SET"), "rps", f64::MIN_POSITIVE / 2.0),
            sample(None, "rps", -f64::MAX),
        ],
        sample_files: Vec::new(),
        evidence: IndexMap::from([("probe.hits".into(), 350_000.0), ("zero".into(), -0.0)]),
    }
}

/// A finished directory with these runs, each with its raw output.
pub fn with_runs(path: &Path, runs: impl IntoIterator<Item = u32>) -> ResultDir {
    let mut results = create(path);
    for run in runs {
        run_one(&mut results, run);
    }
    results
}

pub fn run_one(results: &mut ResultDir, run: u32) {
    let partial = results.begin_run(run).unwrap();
    fs::write(partial.join("stdout"), format!("output of run {run}")).unwrap();
    results.finish_run(run).unwrap();
    results.append(&record(run)).unwrap();
}

pub fn runs_file(path: &Path) -> PathBuf {
    path.join("runs.jsonl")
}

/// Names of a directory's entries, in order.
pub fn names(path: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// A line of JSON with its checksum, as the store writes it.
pub fn sealed(object: &str) -> String {
    let open = object.strip_suffix('}').unwrap();
    let crc = crc32fast::hash(open.as_bytes());
    format!("{open},\"crc\":\"{crc:08x}\"}}")
}

/// The name of a line, given without its line feed, in the line after it.
pub fn link(line: &str) -> String {
    sha256(&format!("{line}\n"))[..16].to_owned()
}

pub fn sha256(content: &str) -> String {
    let hash = Sha256::digest(content);
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Makes a result one as older versions wrote it: no line names another.
pub fn unchain(path: &Path) {
    for name in ["runs.jsonl", "meta.json"] {
        let lines = fs::read_to_string(path.join(name)).unwrap();
        let unchained = lines.lines().map(|line| {
            let mut object: Value = serde_json::from_str(line).unwrap();
            let fields = object.as_object_mut().unwrap();
            for field in ["previous", "chained", "crc"] {
                fields.shift_remove(field);
            }
            sealed(&object.to_string()) + "\n"
        });
        fs::write(path.join(name), unchained.collect::<String>()).unwrap();
    }
}
