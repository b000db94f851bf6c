//! Which of the revisions between two ends are measured.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The key `every`: a word, or a number N for every Nth revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "expected a number from 1 on, or \"commit\", \"day\", \"week\", \"month\", \"tag\" or \"merge\""
)]
pub enum Every {
    /// Every Nth revision.
    Nth(NonZeroU32),
    /// A word.
    Word(Word),
}

/// A word for which revisions are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Word {
    /// Every revision.
    Commit,
    /// The last revision of each day, UTC.
    Day,
    /// The last revision of each week; weeks end on Sunday.
    Week,
    /// The last revision of each month.
    Month,
    /// Those that a tag names.
    Tag,
    /// Merges.
    Merge,
}

impl Default for Every {
    fn default() -> Self {
        Self::Word(Word::Commit)
    }
}
