//! Results made by hand and written by the store itself.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use perflab_experiment::{Better, Experiment, Metric, Plan, Sample, Status};
use perflab_store::{Environment, Origin, ResultDir, RunRecord, Step, StepKind, Usage};

/// Two candidates, one of which is the baseline once more, under two configurations.
const EXPERIMENT: &str = r#"
name = "made"
question = "Is new faster than old?"
[design]
runs = 6
block = 1
baseline = "old"
margin = "1%"
seed = 7
[variants.old]
[variants.new]
[variants.again]
[workloads.load]
driver = "generic"
command = ["true", "{clients}"]
[[workloads.load.metrics]]
name = "rps"
unit = "1/s"
better = "higher"
values = true
[parameters]
clients = [1, 50]
"#;

/// What there is to be written.
pub struct Made {
    pub experiment: String,
    pub plan: Plan,
    pub environment: Environment,
    pub origin: Origin,
    pub records: Vec<RunRecord>,
    /// Files of a run: its number, their names and content.
    pub files: Vec<(u32, OsString, Vec<u8>)>,
}

impl Made {
    /// A result in which nothing is odd: all runs passed, each with samples of two benchmarks and two metrics.
    pub fn plain() -> Self {
        Self::of_blocks(6)
    }

    /// The same with so many blocks of six runs.
    pub fn of_blocks(blocks: u32) -> Self {
        let text = EXPERIMENT.replacen("runs = 6", &format!("runs = {blocks}"), 1);
        let experiment = Experiment::parse(&text, "made.toml").unwrap();
        let plan = Plan::new(&experiment, 7);
        let records: Vec<RunRecord> = plan
            .runs
            .iter()
            .map(|planned| {
                let cell = &plan.cells[planned.cell];
                RunRecord {
                    schema: RunRecord::SCHEMA,
                    run: planned.run,
                    block: planned.block,
                    cell: cell.id.clone(),
                    variant: cell.variant.clone(),
                    workload: cell.workload.clone(),
                    parameters: cell.parameters.clone(),
                    unit: planned.unit,
                    started: format!(
                        "2026-03-01T{:02}:{:02}:00Z",
                        12 + planned.run / 60,
                        planned.run % 60
                    ),
                    status: Status::Pass,
                    detail: None,
                    source: None,
                    host: None,
                    observers: Vec::new(),
                    programs: [].into(),
                    argv: vec!["true".into(), "1".into()],
                    exit_code: Some(0),
                    signal: None,
                    usage: Some(Usage {
                        wall_s: 1.0 + f64::from(planned.run) / 1000.0,
                        user_s: 0.5,
                        system_s: 0.25,
                        max_rss_bytes: Some(1 << 20),
                        voluntary_switches: 3,
                        involuntary_switches: 1,
                    }),
                    steps: vec![Step {
                        step: StepKind::Run,
                        seconds: 1.5,
                    }],
                    environment_padding_bytes: 16,
                    layout: None,
                    settings: [].into(),
                    load1: Some(0.5),
                    steal_share: Some(0.0),
                    samples: samples(&cell.variant, planned.run),
                    sample_files: Vec::new(),
                    evidence: [].into(),
                }
            })
            .collect();
        let files = records
            .iter()
            .map(|record| {
                (
                    record.run,
                    "stdout".into(),
                    format!("run {}\n", record.run).into_bytes(),
                )
            })
            .collect();
        let mut environment = Environment::unknown();
        environment.machine.confinement.allowed_cpus = Some("0-3".into());
        Self {
            experiment: text,
            plan,
            environment,
            origin: Origin {
                perflab: "0.1.0".into(),
                created: "2026-03-01T12:00:00Z".into(),
                name: "made".into(),
                argv: vec!["perflab".into(), "run".into(), "made.toml".into()],
                directory: None,
                until_decided: None,
                imported: None,
            },
            records,
            files,
        }
    }

    /// Writes it, and keeps it open as a laboratory does that goes on.
    pub fn begin(&self, directory: &Path) -> ResultDir {
        let (plan, environment) = (&self.plan, &self.environment);
        let origin = self.origin.clone();
        let mut result =
            ResultDir::create(directory, &self.experiment, plan, environment, origin).unwrap();
        for record in &self.records {
            let partial = result.begin_run(record.run).unwrap();
            for (_, name, content) in self.files.iter().filter(|(run, ..)| *run == record.run) {
                fs::write(partial.join(name), content).unwrap();
            }
            result.finish_run(record.run).unwrap();
            result.append(record).unwrap();
        }
        result
    }

    /// Writes it.
    pub fn write(&self, directory: &Path) {
        drop(self.begin(directory));
    }
}

/// Different in every run, around a level of its own for each benchmark.
fn samples(variant: &str, run: u32) -> Vec<Sample> {
    let factor = if variant == "new" { 1.1 } else { 1.0 };
    let jitter = 1.0 + f64::from(run * 7 % 11) / 1000.0;
    let sample = |benchmark: &str, name: &str, unit: &str, better: Better, level: f64| Sample {
        benchmark: Some(benchmark.to_owned()),
        metric: Arc::new(Metric::new(name, unit, better)),
        value: level * factor * jitter,
        step: None,
    };
    vec![
        sample("GET", "rps", "1/s", Better::Higher, 61_350.0),
        sample("SET", "rps", "1/s", Better::Higher, 58_823.0),
        sample("GET", "steps", "steps", Better::Lower, 17.0),
        sample("SET", "steps", "steps", Better::Lower, 12.0),
    ]
}
