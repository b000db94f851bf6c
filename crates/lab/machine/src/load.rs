//! What else the machine was doing: the few counters worth reading before and after every run.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::source::{Root, finite, value_of};

/// Counters since boot, and the load average. Cheap: two small files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Load {
    /// Mean number of runnable and uninterruptible threads over the last minute.
    pub load1: Option<f64>,
    /// Time that the hypervisor took from this machine, summed over its CPUs, in ticks.
    pub steal_ticks: Option<u64>,
    /// Time that the CPUs spent in programs, the kernel and interrupts, in ticks.
    pub busy_ticks: Option<u64>,
    /// All time, summed over the CPUs, in ticks.
    pub total_ticks: Option<u64>,
    /// Number of context switches.
    pub context_switches: Option<u64>,
}

impl Load {
    /// Reads the counters below `root`, which is `/` but in tests.
    pub fn take(root: &Path) -> Self {
        Self::below(Root(root))
    }

    pub(crate) fn below(root: Root) -> Self {
        let averages = root.word("proc/loadavg").unwrap_or_default();
        let stat = root.text("proc/stat").unwrap_or_default();
        let ticks = value_of(&stat, "cpu").and_then(Ticks::parse);
        Self {
            load1: finite(&averages, 0),
            steal_ticks: ticks.map(|ticks| ticks.steal),
            busy_ticks: ticks.map(|ticks| ticks.busy),
            total_ticks: ticks.map(|ticks| ticks.total),
            context_switches: value_of(&stat, "ctxt").and_then(|count| count.parse().ok()),
        }
    }
}

/// The share of all time between two readings that the hypervisor took, from 0 to 1.
///
/// `None` if a counter is missing or went backwards (it does, rarely, when a machine is moved from
/// host to host), or if no tick passed between the readings.
pub fn steal_share(before: &Load, after: &Load) -> Option<f64> {
    let steal = after.steal_ticks?.checked_sub(before.steal_ticks?)?;
    let total = after.total_ticks?.checked_sub(before.total_ticks?)?;
    if total == 0 || steal > total {
        return None;
    }
    Some(steal as f64 / total as f64)
}

/// The time of a CPU, or of all, since boot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ticks {
    pub(crate) steal: u64,
    pub(crate) busy: u64,
    pub(crate) total: u64,
}

impl Ticks {
    /// Parses the numbers of the first line of `/proc/stat`, proc_stat(5): user, nice, system, idle,
    /// iowait, irq, softirq, steal. The guests' time that follows is contained in user and nice.
    pub(crate) fn parse(numbers: &str) -> Option<Self> {
        let numbers: Vec<u64> = numbers
            .split_whitespace()
            .take(8)
            .map(|n| n.parse().ok())
            .collect::<Option<_>>()?;
        let &[user, nice, system, idle, iowait, irq, softirq, steal] = numbers.as_slice() else {
            return None;
        };
        let sum = |parts: &[u64]| {
            parts
                .iter()
                .try_fold(0_u64, |sum, part| sum.checked_add(*part))
        };
        let busy = sum(&[user, nice, system, irq, softirq])?;
        Some(Self {
            steal,
            busy,
            total: sum(&[busy, idle, iowait, steal])?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(steal: u64, total: u64) -> Load {
        Load {
            steal_ticks: Some(steal),
            total_ticks: Some(total),
            ..Load::default()
        }
    }

    #[test]
    fn guests_are_not_counted_twice() {
        let ticks = Ticks::parse("3382 10 2284 145840 375 5 133 13 1000 1000").unwrap();
        assert_eq!(ticks.busy, 3382 + 10 + 2284 + 5 + 133);
        assert_eq!(ticks.total, ticks.busy + 145_840 + 375 + 13);
        assert_eq!(ticks.steal, 13);
    }

    #[test]
    fn counters_that_make_no_sense_are_not_known() {
        assert!(Ticks::parse("1 2 3").is_none());
        assert!(Ticks::parse("1 2 3 4 5 6 7 x").is_none());
        assert!(Ticks::parse("18446744073709551615 1 0 0 0 0 0 0").is_none());
    }

    #[test]
    fn the_share_of_stolen_time() {
        assert_eq!(steal_share(&load(10, 1000), &load(15, 1100)), Some(0.05));
        assert_eq!(steal_share(&load(10, 1000), &load(10, 1100)), Some(0.0));
        assert_eq!(steal_share(&load(10, 1000), &load(10, 1000)), None);
        assert_eq!(steal_share(&load(10, 1000), &load(9, 1100)), None);
        assert_eq!(steal_share(&load(10, 1000), &load(9, 900)), None);
        assert_eq!(steal_share(&Load::default(), &load(9, 900)), None);
    }
}
