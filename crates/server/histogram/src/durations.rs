//! A histogram that one thread adds to, or a copy of a shared one.

use crate::bins::{BINS, bin, bounds};

/// Durations, counted by their lengths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Durations {
    pub(crate) bins: Vec<u64>,
    /// Their sum, in ns.
    pub total_ns: u64,
    /// The shortest, in ns. `u64::MAX` if there are none.
    pub shortest_ns: u64,
    /// The longest, in ns. 0 if there are none.
    pub longest_ns: u64,
}

impl Default for Durations {
    fn default() -> Self {
        Self::new()
    }
}

impl Durations {
    /// None yet.
    pub fn new() -> Self {
        Self {
            bins: vec![0; BINS],
            total_ns: 0,
            shortest_ns: u64::MAX,
            longest_ns: 0,
        }
    }

    /// Adds a duration in ns.
    pub fn add(&mut self, ns: u64) {
        self.bins[bin(ns)] += 1;
        self.total_ns = self.total_ns.wrapping_add(ns);
        self.shortest_ns = self.shortest_ns.min(ns);
        self.longest_ns = self.longest_ns.max(ns);
    }

    /// Adds all durations of another histogram.
    pub fn merge(&mut self, other: &Self) {
        for (own, count) in self.bins.iter_mut().zip(&other.bins) {
            *own += count;
        }
        self.total_ns = self.total_ns.wrapping_add(other.total_ns);
        self.shortest_ns = self.shortest_ns.min(other.shortest_ns);
        self.longest_ns = self.longest_ns.max(other.longest_ns);
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.bins.iter().sum()
    }

    /// Their mean in ns. Nothing if there are none.
    pub fn mean_ns(&self) -> Option<f64> {
        let count = self.count();
        (count > 0).then(|| self.total_ns as f64 / count as f64)
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
