//! What `hyperfine` keeps of a command.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::error::WriteError;

/// What `hyperfine` keeps of one command. Times are in seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The command, or the name that it was given.
    pub command: String,
    /// Mean of the elapsed times.
    pub mean: f64,
    /// Standard deviation of the elapsed times; none for a single run.
    pub stddev: Option<f64>,
    /// Median of the elapsed times.
    pub median: f64,
    /// Mean of the CPU times in user mode.
    pub user: f64,
    /// Mean of the CPU times in the kernel.
    pub system: f64,
    /// Smallest elapsed time.
    pub min: f64,
    /// Largest elapsed time.
    pub max: f64,
    /// Every elapsed time, in the order of the runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<Vec<f64>>,
    /// Largest resident set of every run, in bytes; 1.15 does not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_usage_byte: Option<Vec<u64>>,
    /// Exit code of every run; none where a run has none.
    #[serde(default)]
    pub exit_codes: Vec<Option<i32>>,
    /// What the times are where they are not elapsed times: `cpu`, which is user and system time together. Only perflab
    /// writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// Parameter values by name; `hyperfine` sorts them by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub parameters: IndexMap<String, String>,
}

/// The metric of times that are CPU time.
const CPU: &str = "cpu";

impl Entry {
    /// With times that are CPU time.
    #[must_use]
    pub fn of_cpu(self) -> Self {
        Self {
            metric: Some(CPU.to_owned()),
            ..self
        }
    }

    /// Whether the times are CPU time, not elapsed times.
    pub fn is_cpu(&self) -> bool {
        self.metric.as_deref() == Some(CPU)
    }

    /// Name and value of every number that is there, in seconds.
    pub(super) fn seconds(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let times = self.times.iter().flatten().map(|time| ("times", *time));
        [
            ("mean", Some(self.mean)),
            ("stddev", self.stddev),
            ("median", Some(self.median)),
            ("user", Some(self.user)),
            ("system", Some(self.system)),
            ("min", Some(self.min)),
            ("max", Some(self.max)),
        ]
        .into_iter()
        .filter_map(|(field, value)| Some((field, value?)))
        .chain(times)
    }

    pub(super) fn refuse_not_finite(&self) -> Result<(), WriteError> {
        match self.seconds().find(|(_, value)| !value.is_finite()) {
            None => Ok(()),
            Some((field, value)) => Err(WriteError::NotFinite {
                command: self.command.clone(),
                field,
                found: value.to_string(),
            }),
        }
    }
}
