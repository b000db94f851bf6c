//! How many events recorded probes have: their rings are read beside whoever records them, if anybody does.

use std::collections::BTreeMap;
use std::io::{Sink, sink};
use std::thread::sleep;
use std::time::{Duration, Instant};

use perflab_recorder::{Manner, PAUSE, Recording, Since, directories, recorded};
use perflab_trace_file::TraceWriter;

use super::file::not_written;
use crate::failure::Failure;

/// Rings that are read. What is read is not kept, and nothing is changed there.
#[derive(Debug)]
pub struct Along {
    recording: Recording<Sink>,
    /// The processes' numbers in the recording, from 1 on. One that becomes another program gets another.
    numbers: BTreeMap<u32, u32>,
    /// Whether any process was recorded when it was looked at last.
    is_used: bool,
    /// Until when was read.
    at: Instant,
}

/// What was read of a process.
#[derive(Debug)]
pub struct Process {
    number: u32,
    read: BTreeMap<String, u64>,
    lost: u64,
    at: Instant,
}

/// Events of a probe since its process was first seen to record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Events {
    /// Which program that was.
    pub number: u32,
    /// Those that were read.
    pub read: u64,
    /// Events of all probes of the process that could not be read.
    pub lost: u64,
    /// Until when was read.
    pub at: Instant,
}

impl Along {
    /// Of no process.
    pub fn new() -> Self {
        let manner = Manner {
            keep: false,
            since: Since::Oldest,
        };
        Self {
            recording: Recording::new(TraceWriter::new(sink()), manner),
            numbers: BTreeMap::new(),
            is_used: false,
            at: Instant::now(),
        }
    }

    /// Before processes are looked at: nothing is read until one is added.
    pub fn begin(&mut self) {
        self.is_used = false;
    }

    /// Reads the rings of a process from now on, if they can be read.
    pub fn add(&mut self, pid: u32) -> Result<(), Failure> {
        self.is_used = true;
        let found = recorded(&directories())
            .into_iter()
            .filter(|recorded| recorded.is_alive && recorded.process.pid == pid)
            .find_map(|recorded| self.recording.add(&recorded.directory).ok());
        if let Some(number) = found
            && self.numbers.insert(pid, number) != Some(number)
        {
            // All that is there, which may take a while; then what came meanwhile.
            self.read()?;
            self.read()?;
        }
        Ok(())
    }

    /// Reads for so long.
    pub fn wait(&mut self, time: Duration) -> Result<(), Failure> {
        let end = Instant::now() + time;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return if self.is_used { self.read() } else { Ok(()) };
            }
            if self.is_used {
                self.read()?;
                sleep(left.min(PAUSE));
            } else {
                sleep(left);
            }
        }
    }

    /// Reads what is new.
    fn read(&mut self) -> Result<(), Failure> {
        self.at = Instant::now();
        self.recording.round().map_err(not_written)?;
        Ok(())
    }

    /// What was read of a process; nothing if its rings are not read.
    pub fn process(&self, pid: u32) -> Option<Process> {
        let number = *self.numbers.get(&pid)?;
        let process = self.recording.processes().get(number as usize - 1)?;
        let mut read: BTreeMap<String, u64> = BTreeMap::new();
        for probe in process.probes() {
            *read.entry(probe.full_name()).or_default() += probe.events;
        }
        Some(Process {
            number,
            read,
            lost: process.progress().lost(),
            at: self.at,
        })
    }
}

impl Process {
    /// Of the probe that is called `provider:name`.
    pub fn events(&self, probe: &str) -> Events {
        Events {
            number: self.number,
            read: self.read.get(probe).copied().unwrap_or(0),
            lost: self.lost,
            at: self.at,
        }
    }
}
