//! The outline of a history's timeline, noted by who measures: who reads need not have the repository.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::timeline::Timeline;

/// The outline of a timeline.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outline {
    /// The revisions of the branch, the oldest first: the times of commits may be out of order.
    #[serde(default)]
    pub order: Vec<String>,
    /// What else changed.
    #[serde(default)]
    pub quirks: Vec<OutlineQuirk>,
}

/// A quirk of an outline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineQuirk {
    /// By which plots and tables name it.
    pub letter: String,
    /// The place in the order of the first revision that has it.
    pub place: usize,
    /// What changed.
    pub what: String,
}

/// A quirk as a view has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeenQuirk {
    /// By which plots and tables name it.
    pub letter: String,
    /// The place of the first measured revision that has it.
    pub place: usize,
    /// What changed.
    pub what: String,
}

impl Outline {
    /// Of a timeline.
    pub fn of(timeline: &Timeline) -> Self {
        let quirks = timeline.quirks.iter().map(|dated| OutlineQuirk {
            letter: dated.letter.clone(),
            place: dated.place,
            what: dated.quirk.what.clone(),
        });
        let revisions = timeline.revisions.iter();
        Self {
            order: revisions.map(|revision| revision.id.clone()).collect(),
            quirks: quirks.collect(),
        }
    }
}
