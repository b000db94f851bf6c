//! What a list of results says of one.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a list of results says of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResultSummary {
    /// The results directory.
    pub path: PathBuf,
    /// The experiment's name; empty if the directory cannot be read.
    pub name: String,
    /// When it was set up, RFC 3339 in UTC; empty if the directory cannot be read.
    pub created: String,
    /// Number of runs in the plan.
    pub runs_planned: u32,
    /// Number of runs that ended, in whatever way.
    pub runs_done: u32,
    /// How many of these did not pass.
    pub runs_failed: u32,
    /// Names of the variants, in the plan's order.
    pub variants: Vec<String>,
    /// Why the directory cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
