//! The first pass over a trace: everything but the events, and how many these are.

use std::collections::BTreeMap;
use std::fmt;

use perflab_abi::{
    ChunkKind, Clock, ClockSnapshotContent, CostContent, DescriptionError, EventsContent,
    LossesContent, MessageError, OrderContent, ProbeContent, ProcessContent, ThreadContent,
    WatermarkContent,
};

use crate::contents::{Probe, Process, Thread};
use crate::horizon::Noted;
use crate::read::Chunk;
use crate::run::Run;

/// Bytes that are kept at most, about. An hour of a process takes one million.
const MOST_KEPT: usize = 256 * 1024 * 1024;

/// What a thing takes beside its texts.
const LEAST_KEPT: usize = 256;

/// Events that a thread can have, in nine years of one each microsecond: what says that there were more was spoiled.
const MOST_EVENTS: u64 = 1 << 48;

/// Problems that are kept with their places.
const MOST_PROBLEMS: usize = 100;

/// A chunk that is whole, yet cannot be as a recorder wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where the chunk begins.
    pub offset: u64,
    /// What is wrong.
    pub kind: ProblemKind,
}

/// What is wrong with a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProblemKind {
    /// A field is missing or broken.
    Field(MessageError),
    /// The description of a probe cannot be read.
    Description(DescriptionError),
    /// It is of a process that no chunk before it names.
    UnknownProcess(u32),
    /// The process or probe was described before, and otherwise.
    Contradiction,
    /// Bytes are no event of a probe that a chunk before names. Those behind them are lost.
    Event,
    /// Its events have numbers that the thread had before.
    Overlap,
    /// Events are earlier than what a chunk before says to be complete.
    BeforeWatermark,
    /// It says that a thread had more events than any can have.
    Count,
    /// There is more than a reader keeps in memory: 256 MiB.
    TooMuch,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the chunk at byte {} ", self.offset)?;
        match &self.kind {
            ProblemKind::Field(error) => write!(f, "has a field that cannot be read: {error}"),
            ProblemKind::Description(error) => write!(f, "describes no probe: {error}"),
            ProblemKind::UnknownProcess(number) => {
                write!(f, "is of process {number}, which no chunk before it names")
            }
            ProblemKind::Contradiction => {
                f.write_str("describes otherwise what was described before")
            }
            ProblemKind::Event => f.write_str("holds bytes that are no event of a known probe"),
            ProblemKind::Overlap => f.write_str("holds events that its thread had before"),
            ProblemKind::BeforeWatermark => f.write_str("holds events of a time that was complete"),
            ProblemKind::Count => {
                f.write_str("says that there were more events than can have been")
            }
            ProblemKind::TooMuch => f.write_str("is more than fits into 256 MiB"),
        }
    }
}

impl From<MessageError> for ProblemKind {
    fn from(error: MessageError) -> Self {
        Self::Field(error)
    }
}

/// What was found.
#[derive(Debug)]
pub(crate) struct Collected {
    pub machine: Option<String>,
    pub processes: BTreeMap<u32, Process>,
    pub problems: Vec<Problem>,
    pub problem_count: u64,
    /// Chunks of a kind or version that is not known.
    pub skipped: u64,
    /// Events of processes that no chunk names.
    pub nobodys: u64,
    pub noted: Noted,
    kept: usize,
}

impl Collected {
    pub fn new() -> Self {
        Self {
            machine: None,
            processes: BTreeMap::new(),
            problems: Vec::new(),
            problem_count: 0,
            skipped: 0,
            nobodys: 0,
            noted: Noted::new(),
            kept: 0,
        }
    }

    /// Takes in the next chunk.
    pub fn add(&mut self, chunk: Chunk<'_>) {
        if let Err(kind) = self.take(chunk) {
            self.problem_count += 1;
            if self.problems.len() < MOST_PROBLEMS {
                let offset = chunk.offset;
                self.problems.push(Problem { offset, kind });
            }
        }
    }

    fn take(&mut self, chunk: Chunk<'_>) -> Result<(), ProblemKind> {
        let content = chunk.content;
        if !chunk.kind.has_version(chunk.version) {
            self.skipped += 1;
            return Ok(());
        }
        match chunk.kind {
            ChunkKind::MACHINE => self.machine(content),
            ChunkKind::PROCESS => self.process(&ProcessContent::decode(content)?, chunk.offset),
            ChunkKind::PROBE => self.probe(&ProbeContent::decode(content)?, chunk.offset),
            ChunkKind::THREAD => self.thread(&ThreadContent::decode(content)?),
            ChunkKind::CLOCK_SNAPSHOT => {
                let snapshot = ClockSnapshotContent::decode(content)?;
                self.keep(0)?;
                self.named(snapshot.process)?.snapshots.push(snapshot);
                Ok(())
            }
            ChunkKind::COST => {
                let cost = CostContent::decode(content)?;
                self.keep(0)?;
                self.named(cost.process)?.costs.push(cost);
                Ok(())
            }
            ChunkKind::ORDER => {
                let order = OrderContent::decode(content)?;
                let process = self.named(order.process)?;
                // The first one holds: the trace has it once.
                process.ordered_since.get_or_insert(order.since);
                Ok(())
            }
            ChunkKind::LOSSES => {
                let losses = LossesContent::decode(content)?;
                if losses.no_ring > MOST_EVENTS {
                    return Err(ProblemKind::Count);
                }
                self.named(losses.process)?.no_ring = losses.no_ring;
                Ok(())
            }
            ChunkKind::WATERMARK => {
                let watermark = WatermarkContent::decode(content)?;
                let process = self.named(watermark.process)?;
                process.watermark = process.watermark.max(watermark.time);
                Ok(())
            }
            ChunkKind::EVENTS => self.events(chunk),
            ChunkKind::END => Ok(()),
            _ => {
                self.skipped += 1;
                Ok(())
            }
        }
    }

    fn machine(&mut self, content: &[u8]) -> Result<(), ProblemKind> {
        let text = std::str::from_utf8(content).map_err(|_| MessageError::Text)?;
        self.keep(text.len())?;
        self.machine = Some(text.to_owned());
        Ok(())
    }

    fn process(&mut self, content: &ProcessContent<'_>, offset: u64) -> Result<(), ProblemKind> {
        if let Some(known) = self.processes.get(&content.process) {
            return same(known.is(content));
        }
        self.keep(content.executable.len() + content.command.len())?;
        let process = Process::of(content, offset);
        self.processes.insert(content.process, process);
        Ok(())
    }

    fn probe(&mut self, content: &ProbeContent<'_>, offset: u64) -> Result<(), ProblemKind> {
        let probe = Probe::of(content, offset).map_err(ProblemKind::Description)?;
        if let Some(known) = self.named(content.process)?.probes.get(&content.probe) {
            let mut again = probe;
            again.offset = known.offset;
            return same(*known == again);
        }
        // An enumeration of short names takes more memory than text.
        self.keep(content.object.len() + 16 * content.description.len())?;
        let process = self.named(content.process)?;
        process.probes.insert(content.probe, probe);
        Ok(())
    }

    fn thread(&mut self, content: &ThreadContent<'_>) -> Result<(), ProblemKind> {
        self.keep(content.name.len())?;
        let process = self.named(content.process)?;
        let thread = process.threads.entry(content.thread);
        thread
            .or_insert_with(|| Thread::unnamed(content.process, content.thread))
            .rename(content);
        Ok(())
    }

    fn events(&mut self, chunk: Chunk<'_>) -> Result<(), ProblemKind> {
        let mut earliest = None;
        let counted = self.count(chunk, &mut earliest);
        self.noted.add(earliest);
        counted
    }

    /// Counts the events of a chunk, and finds the earliest of those that can be read.
    fn count(
        &mut self,
        chunk: Chunk<'_>,
        earliest: &mut Option<(Clock, u64)>,
    ) -> Result<(), ProblemKind> {
        let (fields, mut run) = Run::new(chunk.content, chunk.offset)?;
        if !is_plausible(&fields) {
            return Err(ProblemKind::Count);
        }
        let EventsContent {
            process: number,
            thread,
            first,
            ..
        } = fields;
        if !self.processes.contains_key(&number) {
            self.nobodys = self.nobodys.saturating_add(fields.count.into());
        }
        if !self.named(number)?.threads.contains_key(&thread) {
            self.keep(0)?;
        }
        let process = self.named(number)?;
        let thread = process
            .threads
            .entry(thread)
            .or_insert_with(|| Thread::unnamed(number, thread));
        let next = first
            .checked_add(u64::from(fields.count))
            .ok_or(ProblemKind::Overlap)?;
        let totals = &mut thread.totals;
        match thread.next {
            None => {
                totals.earlier = first;
                thread.dropped_earlier = if first > 0 { fields.dropped } else { 0 };
            }
            Some(expected) => {
                let missing = first.checked_sub(expected).ok_or(ProblemKind::Overlap)?;
                let total = if chunk.gaps > thread.gaps {
                    &mut totals.damaged
                } else {
                    &mut totals.overwritten
                };
                *total = total.saturating_add(missing);
            }
        }
        thread.next = Some(next);
        thread.gaps = chunk.gaps;
        let dropped = fields.dropped.saturating_sub(thread.dropped_earlier);
        totals.dropped = totals.dropped.max(dropped);
        let mut times = None;
        let mut left = u64::from(fields.count);
        while let Some(found) = run.next(&process.probes) {
            match found {
                Ok(Some(found)) => {
                    let (early, late) = times.unwrap_or((found.time, found.time));
                    times = Some((early.min(found.time), late.max(found.time)));
                    totals.events += 1;
                }
                Ok(None) => totals.incomplete += 1,
                Err(_) => break,
            }
            left -= 1;
        }
        totals.unreadable += left;
        if let Some((early, late)) = times {
            *earliest = Some((process.clock, early));
            let (first, last) = thread.times.unwrap_or((early, late));
            thread.times = Some((first.min(early), last.max(late)));
        }
        if left > 0 {
            return Err(ProblemKind::Event);
        }
        match times {
            Some((early, _)) if early < process.watermark => Err(ProblemKind::BeforeWatermark),
            _ => Ok(()),
        }
    }

    fn named(&mut self, process: u32) -> Result<&mut Process, ProblemKind> {
        let found = self.processes.get_mut(&process);
        found.ok_or(ProblemKind::UnknownProcess(process))
    }

    /// Whether there is room for something with so many bytes of text.
    fn keep(&mut self, bytes: usize) -> Result<(), ProblemKind> {
        let more = bytes + LEAST_KEPT;
        if self.kept + more > MOST_KEPT {
            return Err(ProblemKind::TooMuch);
        }
        self.kept += more;
        Ok(())
    }
}

/// Whether a thread can have had so many events.
pub(crate) fn is_plausible(fields: &EventsContent) -> bool {
    fields.first.max(fields.dropped) <= MOST_EVENTS
}

fn same(is: bool) -> Result<(), ProblemKind> {
    if is {
        Ok(())
    } else {
        Err(ProblemKind::Contradiction)
    }
}
