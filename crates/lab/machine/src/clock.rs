//! What the kernel tells the time by.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::source::Root;

/// What the kernel tells the time by. A slow clock source alone can cut a network benchmark to a third.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Clock {
    /// The clock source in use, as `tsc`.
    pub source: Option<String>,
    /// The clock sources that could be chosen, best first.
    pub available: Option<Vec<String>>,
}

impl Clock {
    pub(crate) fn take(root: Root) -> Self {
        let directory = "sys/devices/system/clocksource/clocksource0";
        Self {
            source: root.word(&format!("{directory}/current_clocksource")),
            available: root
                .word(&format!("{directory}/available_clocksource"))
                .map(|line| line.split_whitespace().map(str::to_owned).collect()),
        }
    }
}
