//! What a shard has. Readers may look at any time; only the holder of the lock changes it.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts of a shard.
pub struct Tally {
    entries: AtomicUsize,
    bytes: AtomicUsize,
}

impl Tally {
    /// Of an empty shard with a directory and segments of these bytes.
    pub fn new(bytes: usize) -> Self {
        Self {
            entries: AtomicUsize::new(0),
            bytes: AtomicUsize::new(bytes),
        }
    }

    /// Entries in the shard.
    pub fn entries(&self) -> usize {
        self.entries.load(Ordering::Relaxed)
    }

    /// Bytes of its directory and its segments.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// There is an entry more. No other thread writes, so a load and a store will do.
    pub fn add_entry(&self) {
        self.entries.store(self.entries() + 1, Ordering::Relaxed);
    }

    /// There is an entry less.
    pub fn remove_entry(&self) {
        self.entries.store(self.entries() - 1, Ordering::Relaxed);
    }

    /// There are bytes more and bytes less.
    pub fn change_bytes(&self, more: usize, less: usize) {
        self.bytes
            .store(self.bytes() + more - less, Ordering::Relaxed);
    }

    /// The shard is an empty one with these bytes now.
    pub fn reset(&self, bytes: usize) {
        self.entries.store(0, Ordering::Relaxed);
        self.bytes.store(bytes, Ordering::Relaxed);
    }
}
