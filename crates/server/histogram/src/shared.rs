//! A histogram that threads add to at the same time.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::bins::{BINS, bin};
use crate::durations::Durations;

/// Durations, counted by their lengths by several threads.
#[derive(Debug)]
pub struct Histogram {
    bins: [AtomicU64; BINS],
    total: AtomicU64,
    shortest: AtomicU64,
    longest: AtomicU64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl Histogram {
    /// Without durations.
    pub const fn new() -> Self {
        Self {
            bins: [const { AtomicU64::new(0) }; BINS],
            total: AtomicU64::new(0),
            shortest: AtomicU64::new(u64::MAX),
            longest: AtomicU64::new(0),
        }
    }

    /// Adds a duration in ns.
    pub fn add(&self, ns: u64) {
        self.bins[bin(ns)].fetch_add(1, Ordering::Relaxed);
        self.total.fetch_add(ns, Ordering::Relaxed);
        // Most durations are no record: a load is cheaper than an exchange.
        if ns < self.shortest.load(Ordering::Relaxed) {
            self.shortest.fetch_min(ns, Ordering::Relaxed);
        }
        if ns > self.longest.load(Ordering::Relaxed) {
            self.longest.fetch_max(ns, Ordering::Relaxed);
        }
    }

    /// A copy. Durations that are added at the same time may be there in part.
    pub fn durations(&self) -> Durations {
        let bins = self.bins.iter();
        Durations {
            bins: bins.map(|count| count.load(Ordering::Relaxed)).collect(),
            total_ns: self.total.load(Ordering::Relaxed),
            shortest_ns: self.shortest.load(Ordering::Relaxed),
            longest_ns: self.longest.load(Ordering::Relaxed),
        }
    }
}
