//! Where a value stands in an output.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a value stands in an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Extract {
    /// In the group `value` of this regular expression, or in its only group.
    Regex(String),
    /// At this JSON pointer (RFC 6901).
    Json(String),
    /// In this column of comma-separated values.
    Csv(CsvColumn),
    /// In lines `VALUE number unit name` with the metric's unit and name, or with any if its name is `*`. If its
    /// benchmark is `*`, the name of one follows.
    Values,
}

impl Extract {
    /// What exactly one of the four keys says, in the table of `what`.
    pub(crate) fn of(
        what: &str,
        regex: Option<String>,
        json: Option<String>,
        csv: Option<CsvColumn>,
        values: bool,
    ) -> Result<Self, String> {
        match (regex, json, csv, values) {
            (Some(pattern), None, None, false) => Ok(Self::Regex(pattern)),
            (None, Some(pointer), None, false) => Ok(Self::Json(pointer)),
            (None, None, Some(column), false) => Ok(Self::Csv(column)),
            (None, None, None, true) => Ok(Self::Values),
            _ => Err(format!(
                "{what} needs exactly one of `regex`, `json`, `csv` and `values = true`"
            )),
        }
    }
}

/// A column, by its name in the first line or by its number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "expected the name of a column, or its number from 1"
)]
pub enum CsvColumn {
    /// From 1.
    Number(#[schemars(range(min = 1))] u32),
    /// As in the first line.
    Name(String),
}

/// An output of a process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Stream {
    /// Standard output.
    #[default]
    Stdout,
    /// Standard error.
    Stderr,
}
