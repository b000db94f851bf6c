//! How long grace periods take: a histogram that threads add to at the same time.
//!
//! Each power of two is divided into 64 equal bins, so a bin is as wide as 1/64 of its durations or less. Shorter
//! durations than 128 ns have a bin each.

use std::sync::atomic::{AtomicU64, Ordering};

/// The binary logarithm of the number of bins into which a power of two is divided.
const PRECISION: u32 = 6;

/// Bins for any number of ns.
const BINS: usize = ((u64::BITS - PRECISION + 1) << PRECISION) as usize;

/// Durations, counted by their lengths.
#[derive(Debug)]
pub(crate) struct Histogram {
    bins: [AtomicU64; BINS],
    total: AtomicU64,
    shortest: AtomicU64,
    longest: AtomicU64,
}

impl Histogram {
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

/// The bin of a duration.
fn bin(ns: u64) -> usize {
    let shift = (ns | (1 << PRECISION)).ilog2() - PRECISION;
    ((u64::from(shift) << PRECISION) + (ns >> shift)) as usize
}

/// The shortest and the longest duration of a bin, in ns.
fn bounds(bin: usize) -> (u64, u64) {
    let shift = (bin >> PRECISION).saturating_sub(1);
    let lowest = ((bin - (shift << PRECISION)) as u64) << shift;
    (lowest, lowest + ((1 << shift) - 1))
}

/// A copy of a histogram.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Durations {
    bins: Vec<u64>,
    /// Their sum, in ns.
    pub total_ns: u64,
    /// The shortest, in ns. `u64::MAX` if there are none.
    pub shortest_ns: u64,
    /// The longest, in ns.
    pub longest_ns: u64,
}

impl Durations {
    /// How many there are.
    pub fn count(&self) -> u64 {
        self.bins.iter().sum()
    }

    /// Durations that were added since an earlier copy. If one before was shorter or longer than all of them, the
    /// shortest or the longest is known to 1/64.
    pub fn since(&self, before: &Self) -> Self {
        let both = self.bins.iter().zip(&before.bins);
        let bins: Vec<u64> = both.map(|(now, then)| now.wrapping_sub(*then)).collect();
        let is_used = |count: &u64| *count > 0;
        let (first, last) = (
            bins.iter().position(is_used),
            bins.iter().rposition(is_used),
        );
        Self {
            bins,
            total_ns: self.total_ns.wrapping_sub(before.total_ns),
            shortest_ns: first.map_or(u64::MAX, |bin| self.shortest_ns.max(bounds(bin).0)),
            longest_ns: last.map_or(0, |bin| self.longest_ns.min(bounds(bin).1)),
        }
    }

    /// The duration in ns that this share of all does not exceed, or nothing if there are none. The share is from 0
    /// to 1.
    ///
    /// It is the middle of its bin, which is wrong by 1/128 at most. It is no less than the shortest and no more than
    /// the longest.
    pub fn quantile_ns(&self, share: f64) -> Option<u64> {
        let rank = (share * self.count() as f64).ceil().max(1.0) as u64;
        let mut counted = 0;
        let bin = self.bins.iter().position(|count| {
            counted += count;
            counted >= rank
        })?;
        let (lowest, highest) = bounds(bin);
        let middle = lowest + (highest - lowest) / 2;
        Some(middle.max(self.shortest_ns).min(self.longest_ns))
    }

    /// How many took at least a time in ns, and less than the next time: powers of two, and the middles between them.
    /// Only times with durations are there.
    pub fn rows(&self) -> Vec<(u64, u64)> {
        let mut rows: Vec<(u64, u64)> = Vec::new();
        for (bin, count) in self
            .bins
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
        {
            let (lowest, _) = bounds(bin);
            let half = 1 << (lowest.max(2).ilog2() - 1);
            let from = lowest / half * half;
            match rows.last_mut() {
                Some((last, total)) if *last == from => *total += count,
                _ => rows.push((from, *count)),
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests;
