//! `stopped.json`: why an experiment that its own results may end has ended.

use std::io::ErrorKind;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::atomic;
use crate::error::StoreError;
use crate::line;
use crate::regular_file;

/// The file's name.
pub(crate) const FILE: &str = "stopped.json";

/// Version of the format.
const SCHEMA: u32 = 1;

/// Why an experiment that its own results may end has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// Every comparison that was asked for is decided.
    Decided,
    /// All runs of the plan are made.
    Runs,
    /// The time budget is used up.
    Budget,
}

/// The content of `stopped.json`: one line, with a checksum as in `runs.jsonl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stopped {
    /// Version of this format: 1.
    pub schema: u32,
    /// Why.
    pub reason: StopReason,
    /// Blocks that were finished then. If more are, the experiment has gone on since.
    pub blocks: u32,
}

impl Stopped {
    /// After so many blocks.
    pub fn new(reason: StopReason, blocks: u32) -> Self {
        Self {
            schema: SCHEMA,
            reason,
            blocks,
        }
    }

    pub(crate) fn write(self, directory: &Path) -> Result<(), StoreError> {
        let line = line::seal(&self).map_err(|error| StoreError::Content {
            path: directory.join(FILE),
            reason: error.to_string(),
        })?;
        atomic::write(directory, FILE, &line).map(|_| ())
    }

    /// Nothing if there is no such file.
    pub(crate) fn read(directory: &Path) -> Result<Option<Self>, StoreError> {
        let path = directory.join(FILE);
        let content = match regular_file::read(&path) {
            Ok(content) => content,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::io("read", &path, error)),
        };
        line::unseal_only(&content, SCHEMA, |stopped: &Self| stopped.schema)
            .map(Some)
            .map_err(|problem| StoreError::first_line(directory, FILE, problem))
    }
}
