//! How a build went.

use perflab_experiment::Status;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Version of the format of a line.
pub(super) const SCHEMA: u32 = 1;

/// A line of `builds.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BuildFacts {
    /// Version of this format: 1.
    pub schema: u32,
    /// The build's number, from 1: the name of the directory with its logs.
    pub build: u32,
    /// What it was made of, as a hash.
    pub key: String,
    /// The revision that it was made for. Others with the same content share it.
    pub revision: String,
    /// When it began, RFC 3339 in UTC.
    pub started: String,
    /// `PASS`, or how it failed.
    pub status: Status,
    /// What went wrong, in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// What was done, in order. The last one is the one that failed, if one did.
    #[serde(default)]
    pub steps: Vec<StepFacts>,
    /// The programs that were built.
    #[serde(default)]
    pub programs: Vec<ProgramFacts>,
}

/// One command of a build.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepFacts {
    /// What it is for: `check-out`, `patch`, `obtain`, `quirk`, `build`.
    pub purpose: String,
    /// The file that has what it printed.
    pub log: String,
    /// How long it took.
    pub seconds: f64,
}

/// A program that was built.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProgramFacts {
    /// Its path in the directory of the revision.
    pub path: String,
    /// The size of its file.
    pub bytes: u64,
    /// The SHA-256 of its file: the same where a change did not reach the program.
    pub sha256: String,
    /// Bytes of code that its functions have; absent where it has no symbols.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_bytes: Option<u64>,
    /// The file that lists its functions; absent where it has no symbols.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbols: Option<String>,
}

impl BuildFacts {
    /// How long the steps of the history file took together.
    pub fn build_seconds(&self) -> f64 {
        let steps = self.steps.iter().filter(|step| step.purpose == "build");
        steps.map(|step| step.seconds).sum()
    }
}
