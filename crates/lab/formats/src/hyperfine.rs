//! The result files of `hyperfine`: its JSON read and written, and its tables written.
//!
//! Checked byte for byte against 1.15 and 1.20. Where versions differ, see [`Entry`] and
//! [`Unit::automatic`].

mod asciidoc;
mod csv;
mod json;
mod markdown;
mod orgmode;
mod relative;
mod runs;
mod table;
mod unit;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use asciidoc::write as write_asciidoc;
pub use csv::write as write_csv;
pub use json::{read as read_json, write as write_json};
pub use markdown::write as write_markdown;
pub use orgmode::write as write_orgmode;
pub use runs::{read_runs, write_runs};
pub use unit::Unit;

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
    /// Parameter values by name; `hyperfine` sorts them by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub parameters: IndexMap<String, String>,
}

/// Why a result file could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReadError {
    /// Not JSON, or not of this shape.
    #[error("expected the JSON that `hyperfine --export-json` writes, found: {reason}")]
    Malformed {
        /// What is wrong, with line and column.
        reason: String,
    },
    /// A number that no run has.
    #[error(
        "`{field}` of result {position}, command `{command}`: expected {expected}, found {found}; \
         measure that command again"
    )]
    Value {
        /// Which result, counted from 1.
        position: usize,
        /// Its command.
        command: String,
        /// The member with the number.
        field: &'static str,
        /// What it should be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
}

/// Why results could not be written.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WriteError {
    /// JSON has no word for infinities and not-a-number, and a table of them says nothing.
    #[error("`{field}` of command `{command}`: expected a finite number, found {found}")]
    NotFinite {
        /// The command.
        command: String,
        /// The member.
        field: &'static str,
        /// Its value.
        found: String,
    },
    /// A table of CSV has the same columns in every record.
    #[error(
        "command `{command}`: expected the parameters of the first command ({expected}), found \
         ({found}); write such results to separate files, or as JSON"
    )]
    Parameters {
        /// The command.
        command: String,
        /// Names of the first command's parameters.
        expected: String,
        /// Names of this command's parameters.
        found: String,
    },
    /// The writer below failed.
    #[error("could not write: {reason}")]
    Writer {
        /// Its message.
        reason: String,
    },
}

impl Entry {
    /// Name and value of every number that is there, in seconds.
    fn seconds(&self) -> impl Iterator<Item = (&'static str, f64)> {
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

    fn refuse_not_finite(&self) -> Result<(), WriteError> {
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
