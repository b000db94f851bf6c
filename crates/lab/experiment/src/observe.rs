//! What looks on during some of the runs.

use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::percent::{self, FractionText};

/// The table `[observe]`: what looks on during a share of the runs. The others say what that costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct Observe {
    /// Probes to record, as `redis:*`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub probes: Vec<String>,
    /// Memory for the events of one thread until they are read, in KiB.
    pub ring: u32,
    /// Events that `perf stat` counts while the workload runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<String>,
    /// Share of the runs that are observed, as a fraction above 0 and below 1. They are made in addition to `runs`.
    #[serde(deserialize_with = "percent::deserialize")]
    #[schemars(with = "FractionText")]
    pub share: f64,
}

impl Default for Observe {
    fn default() -> Self {
        Self {
            probes: Vec::new(),
            ring: 4096,
            counters: Vec::new(),
            share: 0.5,
        }
    }
}

impl Observe {
    /// KiB that `ring` may ask for: of the largest one, a process has room for four.
    pub const RING_KIBIBYTES: RangeInclusive<u32> = 8..=65536;

    /// Observed runs beside so many others: at least one.
    pub(crate) fn beside(&self, others: u32) -> u32 {
        let observed = f64::from(others) * self.share / (1.0 - self.share);
        (observed.round() as u32).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_all_runs_is_observed() {
        let beside = |share, others| {
            Observe {
                share,
                ..Observe::default()
            }
            .beside(others)
        };
        assert_eq!(beside(0.5, 3), 3);
        assert_eq!(beside(0.25, 3), 1);
        assert_eq!(beside(0.75, 2), 6);
        assert_eq!(beside(0.01, 3), 1);
    }
}
