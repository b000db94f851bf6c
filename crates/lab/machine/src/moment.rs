//! What was going on when the facts were read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::load::Load;
use crate::source::{Root, finite};

/// What was going on when the facts were read. Never compared.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Moment {
    /// Mean number of runnable and uninterruptible threads over the last minute.
    pub load1: Option<f64>,
    /// The same over five minutes.
    pub load5: Option<f64>,
    /// The same over fifteen minutes.
    pub load15: Option<f64>,
    /// Time since boot that the hypervisor took from this machine, summed over its CPUs, in ticks
    /// (1/100 s on nearly every kernel).
    pub steal_ticks: Option<u64>,
    /// All time since boot, summed over the CPUs, in ticks.
    pub total_ticks: Option<u64>,
    /// Time since boot.
    pub uptime_s: Option<f64>,
    /// Random name of this boot.
    pub boot_id: Option<String>,
}

impl Moment {
    pub(crate) fn take(root: Root) -> Self {
        let load = Load::below(root);
        let averages = root.word("proc/loadavg").unwrap_or_default();
        let uptime = root.word("proc/uptime").unwrap_or_default();
        Self {
            load1: load.load1,
            load5: finite(&averages, 1),
            load15: finite(&averages, 2),
            steal_ticks: load.steal_ticks,
            total_ticks: load.total_ticks,
            uptime_s: finite(&uptime, 0),
            boot_id: root.word("proc/sys/kernel/random/boot_id"),
        }
    }
}
