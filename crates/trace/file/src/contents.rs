//! What a trace says beside its events, in memory of its own.

use std::collections::BTreeMap;

use perflab_abi::{
    Clock, ClockSnapshotContent, CostContent, Description, DescriptionError, ProbeContent,
    ProcessContent, ThreadContent,
};

use crate::event::Layout;

/// How long before its event a processor may have read its counter, in nanoseconds, where a trace does not say.
const AHEAD: u64 = 1000;

/// A process.
#[derive(Debug, Clone, PartialEq)]
pub struct Process {
    /// Its number in the trace.
    pub number: u32,
    /// As the kernel had it.
    pub pid: u32,
    /// When it started, in clock ticks since boot.
    pub start: u64,
    /// Of its events.
    pub clock: Clock,
    /// How far the clocks of two processors may be apart, in units of the clock.
    pub skew: u64,
    /// How long before its event the clock may have been read, in nanoseconds.
    pub ahead: u64,
    /// From when on it was read when all was done that came before, in units of the clock; nothing if that is not said.
    pub ordered_since: Option<u64>,
    /// Path of its executable.
    pub executable: String,
    /// Its command line, arguments parted by spaces.
    pub command: String,
    /// Its probes, by their numbers.
    pub probes: BTreeMap<u32, Probe>,
    /// Its threads, by their numbers.
    pub threads: BTreeMap<u32, Thread>,
    /// Its snapshots, in the order of the file.
    pub snapshots: Vec<ClockSnapshotContent>,
    /// What recording an event of a probe cost there.
    pub costs: Vec<CostContent>,
    /// Events for which there was no ring.
    pub no_ring: u64,
    /// The time up to which all was said to be written.
    pub(crate) watermark: u64,
    /// Where in the file it is: all that is of it comes behind.
    pub(crate) offset: u64,
}

impl Process {
    pub(crate) fn of(content: &ProcessContent<'_>, offset: u64) -> Self {
        Self {
            number: content.process,
            pid: content.pid,
            start: content.start,
            clock: content.clock,
            skew: content.skew,
            ahead: content.ahead.unwrap_or(match content.clock {
                Clock::TimeStampCounter => AHEAD,
                Clock::Monotonic => 0,
            }),
            ordered_since: None,
            executable: content.executable.to_owned(),
            command: content.command.to_owned(),
            probes: BTreeMap::new(),
            threads: BTreeMap::new(),
            snapshots: Vec::new(),
            costs: Vec::new(),
            no_ring: 0,
            watermark: 0,
            offset,
        }
    }

    /// Whether it is what another chunk says too.
    pub(crate) fn is(&self, content: &ProcessContent<'_>) -> bool {
        let other = Self::of(content, self.offset);
        let identity = |of: &Self| (of.pid, of.start, of.clock, of.skew, of.ahead);
        identity(self) == identity(&other)
            && self.executable == other.executable
            && self.command == other.command
    }
}

/// A probe of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// Its process's number.
    pub process: u32,
    /// Its number there.
    pub number: u32,
    /// The shared object that it is in; empty for the executable.
    pub object: String,
    /// Who offers it.
    pub provider: String,
    /// What it is called there.
    pub name: String,
    /// The source file, as the compiler was given it.
    pub file: String,
    /// The line in it.
    pub line: u32,
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// How long before its events the clock may have been read, in nanoseconds; nothing for as long as of its process.
    pub ahead: Option<u64>,
    pub(crate) layout: Vec<Layout>,
    /// Where in the file it is: its events come behind.
    pub(crate) offset: u64,
}

/// An argument of a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// Its type, as it is written.
    pub kind: String,
    /// Names and values, of an enumeration.
    pub enumerators: Vec<(String, i64)>,
}

impl Probe {
    pub(crate) fn of(content: &ProbeContent<'_>, offset: u64) -> Result<Self, DescriptionError> {
        let description = Description::parse(content.description)?;
        let arguments = description.arguments().map(|argument| Argument {
            name: argument.name.to_owned(),
            kind: argument.kind_text.to_owned(),
            enumerators: argument
                .kind
                .enumerators()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        });
        Ok(Self {
            process: content.process,
            number: content.probe,
            object: content.object.to_owned(),
            provider: description.provider.to_owned(),
            name: description.name.to_owned(),
            file: description.file.to_owned(),
            line: description.line,
            arguments: arguments.collect(),
            ahead: content.ahead,
            layout: Layout::of_probe(&description),
            offset,
        })
    }
}

/// A thread of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// Its process's number.
    pub process: u32,
    /// Its number there. A thread may have several, one after the other.
    pub number: u32,
    /// As the kernel had it; 0 if the trace does not say.
    pub tid: u32,
    /// Its name, the last one that it had; empty if unknown.
    pub name: String,
    /// How many events it had.
    pub totals: Totals,
    /// Times of its first and its last event, the earliest and the latest, by the clock of its process.
    pub times: Option<(u64, u64)>,
    /// Number of the next event; nothing before the first chunk.
    pub(crate) next: Option<u64>,
    /// Gaps of the file before its last chunk.
    pub(crate) gaps: u64,
    /// Events that were dropped before the trace.
    pub(crate) dropped_earlier: u64,
}

impl Thread {
    pub(crate) fn unnamed(process: u32, number: u32) -> Self {
        Self {
            process,
            number,
            tid: 0,
            name: String::new(),
            totals: Totals::default(),
            times: None,
            next: None,
            gaps: 0,
            dropped_earlier: 0,
        }
    }

    pub(crate) fn rename(&mut self, content: &ThreadContent<'_>) {
        self.tid = content.tid;
        content.name.clone_into(&mut self.name);
    }
}

/// How many events there were, and what became of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// In the trace, complete.
    pub events: u64,
    /// Begun and never completed.
    pub incomplete: u64,
    /// Before the trace: too old to be wanted, or gone before the recorder came.
    pub earlier: u64,
    /// Not kept, as there was no place.
    pub dropped: u64,
    /// Written over before anybody read them.
    pub overwritten: u64,
    /// In a chunk behind bytes that are no event.
    pub unreadable: u64,
    /// In bytes of the file that are no chunk, as far as the numbers of those around show.
    pub damaged: u64,
}

impl Totals {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            events: self.events.saturating_add(other.events),
            incomplete: self.incomplete.saturating_add(other.incomplete),
            earlier: self.earlier.saturating_add(other.earlier),
            dropped: self.dropped.saturating_add(other.dropped),
            overwritten: self.overwritten.saturating_add(other.overwritten),
            unreadable: self.unreadable.saturating_add(other.unreadable),
            damaged: self.damaged.saturating_add(other.damaged),
        }
    }
}
