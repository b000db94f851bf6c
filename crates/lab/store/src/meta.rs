//! `meta.json`: who wrote the results, and what with.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::line;
use crate::regular_file;

/// The file's name.
pub(crate) const FILE: &str = "meta.json";

/// Version of the format.
const SCHEMA: u32 = 1;

/// Where results come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    /// Version of perflab.
    pub perflab: String,
    /// When the directory was set up, RFC 3339 in UTC.
    pub created: String,
    /// The experiment's name.
    pub name: String,
    /// The laboratory's command line.
    pub argv: Vec<String>,
    /// Directory of the experiment file, to which the paths in it are relative. Absent where nothing was executed, where
    /// the path is not UTF-8, and in results of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// Present if the results themselves may end the experiment. Then only what holds whenever one
    /// stops may be claimed of them, however many runs there are in the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_decided: Option<UntilDecided>,
    /// The files of another tool that the results were read from; absent where perflab measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<Imported>,
}

/// The rule by which the results may end the experiment: when every comparison is decided, as
/// looked at after each block. The most runs are those of the plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UntilDecided {
    /// Time after which no further block is begun, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_ms: Option<u64>,
}

/// What was imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Imported {
    /// The files' format.
    pub format: String,
    /// Whether values that one process made were made runs of their own, because the user said that
    /// they are independent.
    pub independent: bool,
    /// The files.
    pub files: Vec<ImportedFile>,
    /// What the reader left out, or what cannot be known.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// A file that results were read from, kept as evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedFile {
    /// Where the copy lies, below `imported/`.
    pub path: String,
    /// SHA-256 of it, in hexadecimal.
    pub sha256: String,
}

/// SHA-256, in hexadecimal, of the files that never change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hashes {
    /// Of `experiment.toml`.
    pub experiment: String,
    /// Of `plan.json`.
    pub plan: String,
    /// Of `fingerprint.json`.
    pub fingerprint: String,
}

/// The content of `meta.json`: one line, with a checksum as in `runs.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Meta {
    /// Version of the results directory's format: 1.
    pub schema: u32,
    /// Where the results come from.
    #[serde(flatten)]
    pub origin: Origin,
    /// Whether each line of `runs.jsonl` names the one before it, from the first on, and a run's output gets its final
    /// name after its record. False for results that were begun before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chained: bool,
    /// Hashes of the files beside it.
    pub sha256: Hashes,
}

impl Meta {
    pub(crate) fn new(origin: Origin, sha256: Hashes) -> Self {
        Self {
            schema: SCHEMA,
            origin,
            chained: true,
            sha256,
        }
    }
}

/// The file, as it was read or written.
#[derive(Debug)]
pub(crate) struct MetaFile {
    pub(crate) meta: Meta,
    /// Its line, which the first record names.
    pub(crate) line: Vec<u8>,
}

impl MetaFile {
    pub(crate) fn read(directory: &Path) -> Result<Self, StoreError> {
        let line = regular_file::read_of(directory, FILE)?;
        let meta = line::unseal_only(&line, SCHEMA, |meta: &Meta| meta.schema);
        match meta {
            Ok(meta) => Ok(Self { meta, line }),
            Err(problem) => Err(StoreError::first_line(directory, FILE, problem)),
        }
    }
}
