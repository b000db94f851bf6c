//! Cells that cannot be measured where an experiment is executed.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cell::Cell;

/// A cell that cannot be measured where the experiment is executed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// The cell.
    pub cell: Cell,
    /// Why, in one line, as the workload's `possible` says.
    pub reason: String,
}

impl LeftOut {
    /// Those with the same reason together, in the order of their first cells.
    pub fn by_reason(all: &[Self]) -> Vec<Vec<Self>> {
        let mut alike: IndexMap<&str, Vec<Self>> = IndexMap::new();
        for own in all {
            alike.entry(&own.reason).or_default().push(own.clone());
        }
        alike.into_values().collect()
    }
}
