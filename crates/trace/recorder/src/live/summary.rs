//! What a recording came to.

use std::collections::BTreeMap;
use std::time::Duration;

use perflab_control::Filtered;

use crate::losses::Lack;
use crate::progress::{ProbeProgress, Progress};

/// What a recording came to.
#[derive(Debug, Default)]
pub struct Summary {
    /// Totals: what was recorded, and what was lost, by cause.
    pub progress: Progress,
    /// Bytes of the file.
    pub bytes: u64,
    /// Processes that were recorded.
    pub processes: usize,
    /// Processes that could not be recorded, with those that had no agent.
    pub refused: usize,
    /// How many of these had no agent.
    pub agentless: usize,
    /// Processes that may have probes. They have more rights than this one, so that nobody can see it.
    pub hidden: usize,
    /// Processes that went on when their events could no longer be read.
    pub removed: usize,
    /// Events of each probe.
    pub probes: Vec<ProbeProgress>,
    /// Child processes that could not be recorded, the first ones of each process.
    pub unreached: Vec<u32>,
    /// A process that may have lacked something else than memory for its events.
    pub lack: Option<(u32, Lack)>,
    /// What became of a filter for each probe, of all processes whose agents have answered; nothing where there was no
    /// filter.
    pub filtered: Vec<Filtered>,
    /// How long a filter left out events, as there were more than it may take in a second: in the process in which that
    /// was longest.
    pub limited: Duration,
    /// Time from its begin to its end; nothing where only one look was taken.
    pub took: Option<Duration>,
}

impl Summary {
    /// Events by the name of the probe, `provider:name`, of all processes and objects.
    pub fn events_by_probe(&self) -> BTreeMap<String, u64> {
        let mut events = BTreeMap::new();
        for probe in &self.probes {
            *events.entry(probe.full_name()).or_default() += probe.events;
        }
        events
    }
}
