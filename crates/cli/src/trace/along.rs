//! How many events recorded probes have: their rings are read beside whoever records them, if anybody does.

use std::collections::BTreeMap;
use std::io::{Sink, sink};
use std::thread::sleep;
use std::time::{Duration, Instant};

use perflab_recorder::{Manner, Recording, Since, directories, recorded};
use perflab_trace::TraceWriter;

use super::record::{MANY, PAUSE, not_written};
use super::summary::lost;
use crate::failure::Failure;

/// Rings that are read. What is read is not kept, and nothing is changed there.
#[derive(Debug)]
pub struct Along {
    recording: Recording<Sink>,
    /// The processes in the order of their numbers in the recording, from 1 on.
    pids: Vec<u32>,
    /// Until when was read.
    at: Instant,
}

/// What was read of a process.
#[derive(Debug)]
pub struct Process {
    read: BTreeMap<String, u64>,
    lost: u64,
    at: Instant,
}

/// Events of a probe since its process was first seen to record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Events {
    /// Those that were read.
    pub read: u64,
    /// Of all probes of its process, those that were gone before.
    pub lost: u64,
    /// Until when was read.
    pub at: Instant,
}

impl Along {
    /// Of no process.
    pub fn new() -> Self {
        let manner = Manner {
            keep: false,
            since: Since::Last(Duration::ZERO),
        };
        Self {
            recording: Recording::new(TraceWriter::new(sink()), manner),
            pids: Vec::new(),
            at: Instant::now(),
        }
    }

    /// Reads the rings of a process from now on, if they can be read.
    pub fn add(&mut self, pid: u32) -> Result<(), Failure> {
        if self.pids.contains(&pid) {
            return Ok(());
        }
        let found = recorded(&directories())
            .into_iter()
            .find(|recorded| recorded.is_alive && recorded.process.pid == pid);
        if let Some(found) = found
            && self.recording.add(&found.directory).is_ok()
        {
            self.pids.push(pid);
            self.read()?;
        }
        Ok(())
    }

    /// Reads for so long.
    pub fn wait(&mut self, time: Duration) -> Result<(), Failure> {
        let end = Instant::now() + time;
        loop {
            let read = self.read()?;
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            if self.pids.is_empty() {
                sleep(left);
            } else if read < MANY {
                sleep(left.min(PAUSE));
            }
        }
    }

    /// Reads what is new; how many events that was.
    fn read(&mut self) -> Result<u64, Failure> {
        let before = self.recording.progress().events;
        self.at = Instant::now();
        let progress = self.recording.round().map_err(not_written)?;
        Ok(progress.events - before)
    }

    /// What was read of a process; nothing if its rings are not read.
    pub fn process(&self, pid: u32) -> Option<Process> {
        let index = self.pids.iter().position(|known| *known == pid)?;
        let process = self.recording.processes().get(index)?;
        let mut read: BTreeMap<String, u64> = BTreeMap::new();
        for probe in process.probes() {
            let name = format!("{}:{}", probe.provider, probe.name);
            *read.entry(name).or_default() += probe.events;
        }
        Some(Process {
            read,
            lost: lost(&process.progress()),
            at: self.at,
        })
    }
}

impl Process {
    /// Of the probe that is called `provider:name`.
    pub fn events(&self, probe: &str) -> Events {
        Events {
            read: self.read.get(probe).copied().unwrap_or(0),
            lost: self.lost,
            at: self.at,
        }
    }
}
