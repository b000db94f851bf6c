//! The tests of builds: what was executed, and how each test ended.
//!
//! ```text
//! DIR/tests.jsonl              one line for each time that the tests of a build were executed
//! DIR/tests/000001/            what the commands printed, and the report
//! DIR/tests/000001/tests.json  how each test ended
//! ```

use std::fs;
use std::io;
use std::path::Path;

use perflab_experiment::{Outcome, Status};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The journal of what was executed.
pub(crate) const JOURNAL: &str = "tests.jsonl";

/// The directory of their logs.
pub(crate) const LOGS: &str = "tests";

/// The file that says how each test ended.
pub(crate) const TESTS: &str = "tests.json";

/// Version of the format of a line.
pub(crate) const SCHEMA: u32 = 1;

/// A line of `tests.jsonl`: the tests of a build were executed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestRunFacts {
    /// Version of this format: 1.
    pub schema: u32,
    /// Its number, from 1: the name of the directory with its logs.
    #[serde(alias = "trial")]
    pub test_run: u32,
    /// What the build was made of, as a hash.
    pub key: String,
    /// The revision that it was made for. Others with the same content share it.
    pub revision: String,
    /// A hash of the table `[tests]`: another table is other tests.
    pub table: String,
    /// When it began, RFC 3339 in UTC.
    pub started: String,
    /// How long it took.
    pub seconds: f64,
    /// How the commands ended: most runners fail if a test does.
    pub status: Status,
    /// What went wrong, in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The format of the report; absent where it was not understood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// What of the report could not be understood, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// How one test ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestFacts {
    /// Its name, from the outermost part; empty for the tests as a whole.
    pub name: Vec<String>,
    /// How it ended.
    pub outcome: Outcome,
    /// How long it took, in seconds, where the report tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// The first lines of what the report says of the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl TestRunFacts {
    /// What went wrong with its commands and their report, a sentence each, with the directory of its logs.
    pub fn faults(&self) -> Vec<String> {
        let faults = self.detail.iter().chain(&self.notes);
        faults
            .map(|fault| format!("{fault}; see {LOGS}/{}", self.directory()))
            .collect()
    }

    /// The name of the directory of its logs.
    pub fn directory(&self) -> String {
        directory(self.test_run)
    }
}

/// The name of the directory of its logs.
pub(crate) fn directory(test_run: u32) -> String {
    format!("{test_run:06}")
}

/// How each test ended; nothing where the file is missing.
pub(crate) fn read(path: &Path) -> io::Result<Vec<TestFacts>> {
    match fs::read(path) {
        Ok(text) => serde_json::from_slice(&text).map_err(io::Error::from),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}
