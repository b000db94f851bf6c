//! What people say of changes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::changes::Change;
use crate::revision::Revision;
use crate::view::View;

/// Version of the format of a line.
const SCHEMA: u32 = 1;

/// A line of `marks.jsonl`: what somebody says of the changes around a revision. The last one counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Version of this format: 1.
    pub schema: u32,
    /// When it was said, RFC 3339 in UTC.
    pub at: String,
    /// The revision.
    pub revision: String,
    /// The name of the metric; absent for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// What the change is; absent where a former mark is taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<ChangeState>,
    /// A word why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// What a change is, as people say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChangeState {
    /// It was meant to be.
    Expected,
    /// There is none: the laboratory errs.
    Wrong,
    /// It was undone since.
    Fixed,
    /// It does not matter.
    Ignore,
}

/// What was said of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Said {
    /// What it is.
    pub state: ChangeState,
    /// A word why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// When it was said, RFC 3339 in UTC.
    pub at: String,
}

impl ChangeState {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Expected => "expected",
            Self::Wrong => "wrong",
            Self::Fixed => "fixed",
            Self::Ignore => "ignore",
        }
    }
}

impl Mark {
    /// Something that is said now.
    pub fn new(
        at: String,
        revision: &Revision,
        metric: Option<String>,
        state: Option<ChangeState>,
        why: String,
    ) -> Self {
        Self {
            schema: SCHEMA,
            at,
            revision: revision.id.clone(),
            metric,
            state,
            why,
        }
    }
}

impl View {
    /// What was said last of a change.
    pub fn said(&self, change: &Change, marks: &[Mark]) -> Option<Said> {
        let series = self.series.get(change.series)?;
        let around = self.revisions.get(change.low..=change.high)?;
        let is_of = |mark: &&Mark| {
            let metric = &series.subject.metric.name;
            mark.metric.as_ref().is_none_or(|name| name == metric)
                && around.iter().any(|seen| seen.revision.id == mark.revision)
        };
        let last = marks.iter().rev().find(is_of)?;
        Some(Said {
            state: last.state?,
            why: last.why.clone(),
            at: last.at.clone(),
        })
    }
}
