//! A trace in a file: what it says, and its events in order.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use perflab_abi::{ChunkError, Clock};

use crate::clock::ClockConversion;
use crate::collect::{Collected, Problem};
use crate::contents::{Process, Totals};
use crate::horizon::Horizon;
use crate::knots::Discontinuity;
use crate::merge::{EventSelection, Events, Known};
use crate::read::{Cut, CutReason, Gap};
use crate::source::Source;
use crate::times::Times;

/// Why a trace cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file cannot be read.
    #[error("cannot read {path}: {error}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// It is something else.
    #[error("{path} is no trace of perflab: it does not begin with PFLC")]
    NoTrace {
        /// The file.
        path: PathBuf,
    },
}

/// A trace, of which all is in memory but the events.
#[derive(Debug)]
pub struct Trace {
    source: Source,
    /// Bytes up to the end of the last chunk that was read.
    length: u64,
    /// Bytes of the file.
    size: u64,
    cut: Option<Cut>,
    gaps: Vec<Gap>,
    gap_totals: (u64, u64),
    machine: Option<String>,
    processes: BTreeMap<u32, Process>,
    problems: Vec<Problem>,
    problem_count: u64,
    skipped: u64,
    nobodys: u64,
    times: Times,
    horizon: Horizon,
}

impl Trace {
    /// Reads a file up to its end, or to the last chunk that can be read.
    ///
    /// # Errors
    /// When the file cannot be read or is no trace. One that was cut or damaged is no error: see
    /// [`Trace::cut`] and [`Trace::gaps`].
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let file = File::open(path).map_err(|error| OpenError::Read {
            path: path.to_owned(),
            error,
        })?;
        Self::read(Source::File(file), path)
    }

    /// Reads a trace in memory.
    ///
    /// # Errors
    /// When it is none.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, OpenError> {
        Self::read(Source::Bytes(bytes), Path::new("memory"))
    }

    fn read(source: Source, path: &Path) -> Result<Self, OpenError> {
        let mut chunks = source.chunks(u64::MAX);
        let mut found = Collected::new();
        while let Some(chunk) = chunks.next() {
            found.add(chunk);
        }
        let path = path.to_owned();
        let cut = chunks.cut().cloned();
        match &cut {
            Some(Cut {
                offset: 0,
                reason: CutReason::Broken(ChunkError::Magic),
            }) => return Err(OpenError::NoTrace { path }),
            Some(Cut {
                offset: 0,
                reason: CutReason::Failed(error),
            }) => {
                let error = io::Error::other(error.clone());
                return Err(OpenError::Read { path, error });
            }
            _ => {}
        }
        let length = chunks.offset();
        let gaps = chunks.gaps().to_vec();
        let gap_totals = chunks.gap_totals();
        let size = source.size().max(length);
        let times = Times::new(&found.processes);
        let convert = |clock, ticks| times.of(clock).nanoseconds(ticks);
        let horizon = found.noted.finish(convert);
        Ok(Self {
            source,
            length,
            size,
            cut,
            gaps,
            gap_totals,
            machine: found.machine,
            processes: found.processes,
            problems: found.problems,
            problem_count: found.problem_count,
            skipped: found.skipped,
            nobodys: found.nobodys,
            times,
            horizon,
        })
    }

    /// The machine, as JSON, if the trace says.
    pub fn machine(&self) -> Option<&str> {
        self.machine.as_deref()
    }

    /// The processes, by their numbers in the trace.
    pub fn processes(&self) -> &BTreeMap<u32, Process> {
        &self.processes
    }

    /// The events of all threads, and what was lost, apart from [`Process::no_ring`].
    pub fn totals(&self) -> Totals {
        let threads = self
            .processes
            .values()
            .flat_map(|process| process.threads.values());
        let nobodys = Totals {
            unreadable: self.nobodys,
            ..Totals::default()
        };
        threads.fold(nobodys, |sum, thread| sum.plus(thread.totals))
    }

    /// The first hundred places in the middle of the trace where bytes are no chunk, or not the one that was written.
    pub fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    /// How many such places there are, and how many bytes they have.
    pub fn gap_totals(&self) -> (u64, u64) {
        self.gap_totals
    }

    /// Whether bytes are not what was written, or cannot be understood: what a recorder leaves that is killed is cut, and
    /// not damaged.
    pub fn is_damaged(&self) -> bool {
        let is_broken =
            |cut: &Cut| matches!(cut.reason, CutReason::Broken(_) | CutReason::Failed(_));
        let is_unclear = self.problem_count > 0;
        self.gap_totals.0 > 0 || is_unclear || self.cut.as_ref().is_some_and(is_broken)
    }

    /// Bytes behind the last chunk that could be read, if the trace does not come to its end.
    pub fn left_over(&self) -> u64 {
        self.cut.as_ref().map_or(0, |_| self.size - self.length)
    }

    /// Whether the trace comes to its end, so that nothing was cut off.
    pub fn is_ended(&self) -> bool {
        self.cut.is_none()
    }

    /// Where and why reading stopped, if not at the end of the trace.
    pub fn cut(&self) -> Option<&Cut> {
        self.cut.as_ref()
    }

    /// Bytes up to its end or its cut, gaps included.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The first hundred chunks that are whole, yet cannot be as a recorder wrote them.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// How many of those there are.
    pub fn problem_count(&self) -> u64 {
        self.problem_count
    }

    /// How many chunks are of a kind or a version that this reader does not know.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Converts the times of a clock.
    pub fn conversion(&self, clock: Clock) -> &ClockConversion {
        self.times.of(clock)
    }

    /// Where the clocks are not to be trusted.
    pub fn discontinuities(&self) -> impl Iterator<Item = &Discontinuity> {
        let both = [Clock::TimeStampCounter, Clock::Monotonic];
        let used = both.into_iter().filter(|clock| {
            let mut processes = self.processes.values();
            processes.any(|process| process.clock == *clock)
        });
        used.flat_map(|clock| self.times.of(clock).discontinuities())
    }

    /// The events that a selection lets pass, in order of time: see [`Events`].
    pub fn events(&self, selection: &EventSelection<'_>) -> Events<'_> {
        let chunks = self.source.chunks(self.length);
        let known = Known {
            length: self.length,
            processes: &self.processes,
            times: &self.times,
            horizon: &self.horizon,
        };
        Events::new(known, chunks, selection)
    }
}
