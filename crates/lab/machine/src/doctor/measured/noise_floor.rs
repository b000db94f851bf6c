//! What a machine lets a comparison show.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The minimum detectable effect of a command compared with itself on a CPU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseFloor {
    /// Time that the command works, in seconds.
    pub work_s: f64,
    /// Runs of each of the two sides.
    pub runs: u32,
    /// The minimum detectable effect, found 4 times in 5, as a share. Absent
    /// if it cannot be told.
    pub mde: Option<f64>,
    /// The difference that was estimated between the command and itself, as a share.
    pub difference: Option<f64>,
    /// Whether a difference was "proven", which happens by chance in 1 of 20 comparisons.
    pub false_alarm: bool,
}
