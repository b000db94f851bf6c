//! Counters of a thread: which system calls it made, and for how many bytes.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What a thread has done since it began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Calls that received from connections.
    pub reads: u64,
    /// Calls that sent to connections.
    pub writes: u64,
    /// Waits for something to happen that returned, those that could not block included.
    pub waits: u64,
    /// Connections that were accepted, those that were refused included. Only the first thread accepts.
    pub accepted: u64,
    /// Connections that were refused, as there were `max_clients` already.
    pub refused: u64,
    /// Connections that ended.
    pub closed: u64,
    /// Times that accepting had to pause, for want of file descriptors or memory of the kernel.
    pub pauses: u64,
    /// Bytes received.
    pub bytes_in: u64,
    /// Bytes sent.
    pub bytes_out: u64,
}

/// One thread counts, and others look.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    pub(crate) reads: Count,
    pub(crate) writes: Count,
    pub(crate) waits: Count,
    pub(crate) accepted: Count,
    pub(crate) refused: Count,
    pub(crate) closed: Count,
    pub(crate) pauses: Count,
    pub(crate) bytes_in: Count,
    pub(crate) bytes_out: Count,
}

impl Counted {
    pub(crate) fn snapshot(&self) -> Counters {
        Counters {
            reads: self.reads.get(),
            writes: self.writes.get(),
            waits: self.waits.get(),
            accepted: self.accepted.get(),
            refused: self.refused.get(),
            closed: self.closed.get(),
            pauses: self.pauses.get(),
            bytes_in: self.bytes_in.get(),
            bytes_out: self.bytes_out.get(),
        }
    }
}

/// A number that one thread adds to.
#[derive(Debug, Default)]
pub(crate) struct Count(AtomicU64);

impl Count {
    /// Called by the one thread only, so that a load and a store do, without a locked instruction.
    pub(crate) fn add(&self, more: usize) {
        self.0.store(self.0.load(Relaxed) + more as u64, Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}
