//! Why results could not be read or written.

use std::fmt::Display;

use thiserror::Error;

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

impl WriteError {
    pub(super) fn writer(error: impl Display) -> Self {
        Self::Writer {
            reason: error.to_string(),
        }
    }
}
