//! The record of a run.

use indexmap::IndexMap;
use perflab_experiment::{Sample, Status};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::sample_file::SampleFile;

/// The metric of observed runs that counts the events of each probe.
pub const HITS: &str = "hits";

/// The evidence of an observed run that says how many events of probes it lost.
pub const EVENTS_LOST: &str = "probe_events_lost";

/// The evidence of a run in slices: how many there were.
pub const SLICES: &str = "slices";

/// The evidence of a run in slices that says how many runs took turns.
pub const RUNS_IN_TURNS: &str = "runs_in_turns";

/// The evidence of a run in slices that says how much CPU time its systems used while others had their turn, in seconds.
pub const SYSTEM_IDLE: &str = "system_idle_s";

/// The evidence of a run whose slices were executed at the same time as those of the other variants.
pub const TOGETHER: &str = "together";

/// Begins the names of the evidence that says how fast each place was to such a run, beside the mean of all places; the
/// number of the place, from 1, ends them.
pub const PLACE_SPEED: &str = "place_speed.";

/// What is kept of a finished run, one line of `runs.jsonl`.
///
/// Fields that a later version of the schema adds are ignored on reading. Records of version 1, which name a benchmark
/// `part` and have what [`Usage`] holds beside the other fields, are read as well.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunRecord {
    /// Version of this format: 2, or 1 of a record that an earlier perflab wrote.
    pub schema: u32,
    /// The run's number in the plan, from 1. Also the name of the directory of its raw output.
    pub run: u32,
    /// The block, from 1.
    pub block: u32,
    /// The cell's id.
    pub cell: String,
    /// The variant's name.
    pub variant: String,
    /// The workload's name.
    pub workload: String,
    /// Values of the parameters.
    #[serde(default)]
    pub parameters: IndexMap<String, String>,
    /// The instance of the variant that served the run, from 1.
    pub unit: u32,
    /// When the run began, RFC 3339 in UTC.
    pub started: String,
    /// How the run ended. Only the samples of a run that passed count.
    pub status: Status,
    /// What went wrong, in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Where the run stands in a file that it was imported from, below `imported/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The host that it ran on; absent for the machine that perflab ran on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// What looked on, by name, where the plan wanted the run observed. Such a run says nothing of the workload alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observers: Vec<String>,
    /// The programs that were started, systems first, with the SHA-256 of their files.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub programs: IndexMap<String, String>,
    /// The workload's command.
    pub argv: Vec<String>,
    /// Its exit code, if it ended by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// What the workload's process used; absent where perflab did not measure it, as of an imported run, of one whose
    /// workload was not started, and of one that shared its process with others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What the laboratory did for the run, in order, with the time that it took.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// Length of the variable that shifts the stack from run to run.
    pub environment_padding_bytes: u32,
    /// The layout of the program's code, where it is renewed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<String>,
    /// Settings of the machine that the variant asked for and that were in force, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub settings: IndexMap<String, String>,
    /// The machine's load average over a minute, before the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load1: Option<f64>,
    /// Share of the machine's time that the hypervisor took during the run, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steal_share: Option<f64>,
    /// What was measured. All values are finite.
    #[serde(default)]
    pub samples: Vec<Sample>,
    /// Files that hold further samples, of which there are too many for a line. The store writes and loads them: of a
    /// record that was read this is empty, and all its samples are in `samples`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sample_files: Vec<SampleFile>,
    /// Counters that show that the mechanism under test was really at work. All are finite.
    #[serde(default)]
    pub evidence: IndexMap<String, f64>,
}

/// What a process used.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// Time from start to end.
    pub wall_s: f64,
    /// CPU time in the program, with its children.
    pub user_s: f64,
    /// CPU time in the kernel, with its children.
    pub system_s: f64,
    /// Most memory that was resident at a time; absent where it cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_rss_bytes: Option<u64>,
    /// Number of times that it waited.
    pub voluntary_switches: u64,
    /// Number of times that it was made to wait.
    pub involuntary_switches: u64,
}

/// One of the things that the laboratory does for a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Which.
    pub step: StepKind,
    /// How long it took, also where it failed.
    pub seconds: f64,
}

/// What a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StepKind {
    /// Builds the variant, or links it again.
    Build,
    /// Starts the system under test and waits until it is ready.
    Start,
    /// Prepares an execution of the workload.
    Prepare,
    /// Executes the workload without measuring it.
    WarmUp,
    /// Executes the workload.
    Run,
    /// Cleans up behind an execution.
    CleanUp,
    /// Stops the system under test.
    Stop,
}

impl StepKind {
    /// The name as it stands in files and on the terminal.
    pub fn name(self) -> &'static str {
        match self {
            Self::Build => "build",
            Self::Start => "start",
            Self::Prepare => "prepare",
            Self::WarmUp => "warm-up",
            Self::Run => "run",
            Self::CleanUp => "clean-up",
            Self::Stop => "stop",
        }
    }
}

impl RunRecord {
    /// Version of the format that is written.
    pub const SCHEMA: u32 = 2;

    /// Oldest version that is read.
    pub const OLDEST: u32 = 1;

    /// Whether something looked on, as the plan wanted it.
    pub fn is_observed(&self) -> bool {
        !self.observers.is_empty()
    }

    /// The record of the same run with other samples, and without what no comparison asks for.
    #[must_use]
    pub fn with_samples(&self, samples: Vec<Sample>) -> Self {
        Self {
            samples,
            sample_files: Vec::new(),
            evidence: IndexMap::new(),
            schema: self.schema,
            run: self.run,
            block: self.block,
            cell: self.cell.clone(),
            variant: self.variant.clone(),
            workload: self.workload.clone(),
            parameters: self.parameters.clone(),
            unit: self.unit,
            started: self.started.clone(),
            status: self.status,
            detail: self.detail.clone(),
            source: self.source.clone(),
            host: None,
            observers: self.observers.clone(),
            programs: IndexMap::new(),
            argv: Vec::new(),
            exit_code: self.exit_code,
            signal: self.signal,
            usage: self.usage,
            steps: Vec::new(),
            environment_padding_bytes: self.environment_padding_bytes,
            layout: self.layout.clone(),
            settings: self.settings.clone(),
            load1: self.load1,
            steal_share: self.steal_share,
        }
    }

    /// Refuses what would not come back as it was.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        if self.schema != Self::SCHEMA {
            return Err(StoreError::RecordSchema {
                run: self.run,
                expected: Self::SCHEMA,
                found: self.schema,
            });
        }
        let usage = self.usage.iter().flat_map(|usage| {
            [
                ("wall_s", usage.wall_s),
                ("user_s", usage.user_s),
                ("system_s", usage.system_s),
            ]
        });
        let steps = self.steps.iter();
        let times = usage.chain(steps.map(|step| (step.step.name(), step.seconds)));
        let load = [("load1", self.load1), ("steal_share", self.steal_share)];
        let load = load
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)));
        let samples = self
            .samples
            .iter()
            .map(|sample| (sample.metric.name.as_str(), sample.value));
        let evidence = self
            .evidence
            .iter()
            .map(|(name, value)| (name.as_str(), *value));
        let wrong = times.chain(load).chain(samples).chain(evidence);
        match wrong.into_iter().find(|(_, value)| !value.is_finite()) {
            Some((what, value)) => Err(StoreError::NotFinite {
                run: self.run,
                what: what.to_owned(),
                value,
            }),
            None => Ok(()),
        }
    }
}
