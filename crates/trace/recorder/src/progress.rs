//! What was recorded, and what was not.

use std::ops::AddAssign;

/// Totals of a recording. What is lost is counted here, each event in one of these.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Events that were written.
    pub events: u64,
    /// Events that found no place, as the reader was too slow ([`perflab_ring::Mode::Keep`]), or that were too
    /// long for any.
    pub dropped: u64,
    /// Events that others took the place of before they were read.
    pub overwritten: u64,
    /// Events that were begun and not completed.
    pub incomplete: u64,
    /// What lay in the place of an event and was none: of no known probe, or with words that do not fit its
    /// arguments. The trace has an incomplete event for each of which the place is known.
    pub invalid: u64,
    /// Events for which there was no ring, and no memory for one.
    pub no_ring: u64,
    /// Events of threads that came before a ring was made for them.
    pub late: u64,
    /// Events of children that could not be recorded: no agent could be started there.
    pub unreached: u64,
    /// Events before the time from which on was recorded.
    pub earlier: u64,
    /// Threads whose oldest event that was still there is of the time that was asked for, so that there may have been
    /// others before it.
    pub short: u64,
    /// Bytes of the trace.
    pub bytes: u64,
    /// Files of processes that no agent left so, of whose events some may be missing, uncounted.
    pub broken: u64,
}

impl Progress {
    /// Events that are not in the trace.
    pub fn lost(&self) -> u64 {
        [
            self.dropped,
            self.overwritten,
            self.no_ring,
            self.late,
            self.unreached,
            self.incomplete,
            self.invalid,
        ]
        .iter()
        .fold(0, |sum, count| sum.saturating_add(*count))
    }
}

impl AddAssign for Progress {
    fn add_assign(&mut self, other: Self) {
        for (sum, value) in [
            (&mut self.events, other.events),
            (&mut self.dropped, other.dropped),
            (&mut self.overwritten, other.overwritten),
            (&mut self.incomplete, other.incomplete),
            (&mut self.invalid, other.invalid),
            (&mut self.no_ring, other.no_ring),
            (&mut self.late, other.late),
            (&mut self.unreached, other.unreached),
            (&mut self.earlier, other.earlier),
            (&mut self.short, other.short),
            (&mut self.bytes, other.bytes),
            (&mut self.broken, other.broken),
        ] {
            // Numbers come from processes that may write anything.
            *sum = sum.saturating_add(value);
        }
    }
}

/// Events of a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeProgress {
    /// Number of the process in the trace.
    pub process: u32,
    /// The process's number, as the kernel has it.
    pub pid: u32,
    /// The name of the process's executable; empty if it is unknown.
    pub program: String,
    /// The shared object that it is in; empty for the executable.
    pub object: String,
    /// Its provider.
    pub provider: String,
    /// Its name.
    pub name: String,
    /// Events that were written.
    pub events: u64,
}

impl ProbeProgress {
    /// `provider:name`.
    pub fn full_name(&self) -> String {
        format!("{}:{}", self.provider, self.name)
    }
}
