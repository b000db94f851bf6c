//! How long grace periods take: a histogram that threads add to at the same time.

use std::sync::atomic::{AtomicU64, Ordering};

/// Buckets of a histogram: powers of two, each divided in two. The first holds all below 96 ns, the last all from
/// 206 s on.
pub const BUCKETS: usize = 64;

/// The binary logarithm of the lower bound of the first bucket, in ns.
const FIRST: u32 = 6;

/// Durations, counted by their lengths.
#[derive(Debug)]
pub(crate) struct Histogram {
    buckets: [AtomicU64; BUCKETS],
    total: AtomicU64,
    longest: AtomicU64,
}

impl Histogram {
    pub const fn new() -> Self {
        Self {
            buckets: [const { AtomicU64::new(0) }; BUCKETS],
            total: AtomicU64::new(0),
            longest: AtomicU64::new(0),
        }
    }

    /// Adds a duration in ns.
    pub fn add(&self, ns: u64) {
        self.buckets[bucket(ns)].fetch_add(1, Ordering::Relaxed);
        self.total.fetch_add(ns, Ordering::Relaxed);
        // Most durations are no record: a load is cheaper than an exchange.
        if ns > self.longest.load(Ordering::Relaxed) {
            self.longest.fetch_max(ns, Ordering::Relaxed);
        }
    }

    pub fn durations(&self) -> Durations {
        Durations {
            buckets: std::array::from_fn(|bucket| self.buckets[bucket].load(Ordering::Relaxed)),
            total_ns: self.total.load(Ordering::Relaxed),
            longest_ns: self.longest.load(Ordering::Relaxed),
        }
    }
}

/// The bucket of a duration.
fn bucket(ns: u64) -> usize {
    let Some(exponent) = ns.checked_ilog2().filter(|exponent| *exponent >= FIRST) else {
        return 0;
    };
    let half = ns >> (exponent - 1) & 1;
    ((exponent - FIRST) as usize * 2 + half as usize).min(BUCKETS - 1)
}

/// A copy of a histogram.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Durations {
    /// Durations in each bucket.
    pub buckets: [u64; BUCKETS],
    /// Their sum, in ns.
    pub total_ns: u64,
    /// The longest since the program began, in ns.
    pub longest_ns: u64,
}

impl Durations {
    /// The shortest duration of a bucket, in ns. Of the first, which holds all that is shorter too, it is 64. Of
    /// [`BUCKETS`] and more it is where the last one would end.
    pub fn lower_bound_ns(bucket: usize) -> u64 {
        let bucket = bucket.min(BUCKETS);
        (2 + (bucket as u64 & 1)) << (FIRST as usize + bucket / 2 - 1)
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }

    /// Durations that were added since an earlier copy. The longest is that of all times.
    pub fn since(&self, before: &Self) -> Self {
        Self {
            buckets: std::array::from_fn(|bucket| {
                self.buckets[bucket].wrapping_sub(before.buckets[bucket])
            }),
            total_ns: self.total_ns.wrapping_sub(before.total_ns),
            longest_ns: self.longest_ns,
        }
    }

    /// The duration in ns that this share of all does not exceed, interpolated linearly within its bucket; nothing if
    /// there are none. The share is from 0 to 1.
    pub fn quantile_ns(&self, share: f64) -> Option<f64> {
        let rank = share * self.count() as f64;
        let mut below = 0.0;
        for (bucket, count) in self.buckets.iter().enumerate() {
            let count = *count as f64;
            if count > 0.0 && below + count >= rank {
                let from = Self::lower_bound_ns(bucket) as f64;
                let to = Self::lower_bound_ns(bucket + 1) as f64;
                let ns = from + (to - from) * ((rank - below) / count).clamp(0.0, 1.0);
                return Some(ns.min(self.longest_ns as f64));
            }
            below += count;
        }
        None
    }
}

#[cfg(test)]
mod tests;
