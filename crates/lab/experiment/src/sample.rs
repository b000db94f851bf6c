//! What a run yields: metrics, samples, and the status that says whether they count.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which way a metric is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// More is better, as for requests per second.
    Higher,
    /// Less is better, as for seconds.
    Lower,
    /// Neither way is better, as for a count of events: a difference is larger or smaller, and no regression.
    Neither,
}

/// A quantity that a driver measures.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Metric {
    /// Name, unique within a driver, as `rps` or `wall`.
    pub name: String,
    /// Unit as printed behind a value: `s`, `ms`, `bytes`, `1/s`. Empty for a pure number.
    pub unit: String,
    /// Which way is better.
    pub better: Better,
}

impl Metric {
    /// With this name and unit.
    pub fn new(name: impl Into<String>, unit: impl Into<String>, better: Better) -> Self {
        Self {
            name: name.into(),
            unit: unit.into(),
            better,
        }
    }
}

/// One value of a metric in a run.
///
/// A tool that measures several things in one run (redis-benchmark: one row per request type)
/// names each of them in `benchmark`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sample {
    /// The benchmark that the value belongs to, as `GET`. Called `part` in version 1 of the records.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "part")]
    pub benchmark: Option<String>,
    /// What was measured. Shared, as a result has many samples of few metrics.
    #[serde(flatten)]
    pub metric: Arc<Metric>,
    /// The value, in the metric's unit. Always finite.
    pub value: f64,
}

impl Sample {
    /// Whether a value can be compared: 0, or of a size from 1e-75 to 1e75, whose squares and ratios stay finite.
    pub fn is_comparable(value: f64) -> bool {
        value == 0.0 || (1e-75..=1e75).contains(&value.abs())
    }
}

/// How a run ended. Only the samples of a run that passed are ever used as numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Status {
    /// The workload ended well and its output was understood.
    Pass,
    /// The workload ended well, but its output lacks a value or was not understood.
    Fail,
    /// The workload exited with a code other than zero.
    Exit,
    /// The workload was ended by a signal that the laboratory did not send.
    Signal,
    /// The time limit ran out; the whole process group was killed.
    Timeout,
    /// The workload could not be started.
    NoRun,
    /// The build step of the variant failed.
    NoBuild,
    /// The system under test could not be started, or was not ready in time.
    NotReady,
    /// The system under test died while the workload ran.
    Died,
    /// The system under test did not stop when told to and had to be killed.
    NoStop,
}

impl Status {
    /// Whether the samples of a run with this status count.
    pub fn passed(self) -> bool {
        self == Self::Pass
    }

    /// The name as it stands in files and on the terminal.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::Exit => "EXIT",
            Self::Signal => "SIGNAL",
            Self::Timeout => "TIMEOUT",
            Self::NoRun => "NORUN",
            Self::NoBuild => "NOBUILD",
            Self::NotReady => "NOTREADY",
            Self::Died => "DIED",
            Self::NoStop => "NOSTOP",
        }
    }
}
