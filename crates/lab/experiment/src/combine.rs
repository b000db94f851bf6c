//! How the slices of a run become one value.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the values of a metric in the slices of a run become the value of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Combine {
    /// All work over all time: for what is done per second.
    Rate,
    /// The mean: for the time of a typical request.
    Mean,
    /// The median: for a typical slice. What interrupts fewer than half of them does not count.
    Median,
    /// The sum: for the time that all work takes, or for counts.
    Sum,
    /// The largest.
    Max,
    /// The smallest.
    Min,
}
