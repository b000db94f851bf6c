//! Detours: a loop that does nothing but read the clock, and how long it was away.
//!
//! The fixed-work-free form of the selfish detour benchmark (Beckman, Iskra, Yoshii, Coghlan:
//! The influence of operating systems on the performance of collective operations at extreme
//! scale, CLUSTER 2006); the kernel's own `osnoise` tracer counts the same from inside.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::percentile::percentile;

/// How long the loop runs.
const TIME: Duration = Duration::from_millis(250);

/// Readings that tell what an undisturbed pass takes.
const CALIBRATION: usize = 1000;

/// A pass counts as a detour if it takes so many times as long as usual, and at least
/// [`LEAST_S`], which is below any interrupt.
const FACTOR: f64 = 4.0;
const LEAST_S: f64 = 0.5e-6;

/// What took a busy loop away.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Jitter {
    /// How long the loop ran, in seconds.
    pub time_s: f64,
    /// Number of detours.
    pub detours: u64,
    /// The largest one, in seconds.
    pub largest_s: f64,
    /// Share of the time that the detours took, from 0 to 1.
    pub share: f64,
}

impl Jitter {
    pub(super) fn measure() -> Self {
        let usual = usual_pass();
        let start = Instant::now();
        let mut tally = Tally::new(usual);
        let mut last = start;
        loop {
            let now = Instant::now();
            tally.pass((now - last).as_secs_f64());
            last = now;
            let elapsed = now - start;
            if elapsed >= TIME {
                return tally.finish(elapsed.as_secs_f64());
            }
        }
    }
}

/// The median time between two readings of the clock, in seconds.
fn usual_pass() -> f64 {
    let mut gaps = Vec::with_capacity(CALIBRATION);
    let mut last = Instant::now();
    for _ in 0..CALIBRATION {
        let now = Instant::now();
        gaps.push((now - last).as_secs_f64());
        last = now;
    }
    gaps.sort_by(f64::total_cmp);
    percentile(&gaps, 0.5)
}

/// Counts detours.
struct Tally {
    usual: f64,
    threshold: f64,
    detours: u64,
    largest: f64,
    lost: f64,
}

impl Tally {
    fn new(usual: f64) -> Self {
        Self {
            usual,
            threshold: (usual * FACTOR).max(LEAST_S),
            detours: 0,
            largest: 0.0,
            lost: 0.0,
        }
    }

    fn pass(&mut self, gap: f64) {
        if gap > self.threshold {
            self.detours += 1;
            self.largest = self.largest.max(gap);
            self.lost += gap - self.usual;
        }
    }

    fn finish(self, time_s: f64) -> Jitter {
        Jitter {
            time_s,
            detours: self.detours,
            largest_s: self.largest,
            share: (self.lost / time_s).clamp(0.0, 1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_unusually_long_is_a_detour() {
        let mut tally = Tally::new(50e-9);
        for _ in 0..1000 {
            tally.pass(60e-9);
        }
        tally.pass(0.4e-6);
        tally.pass(10e-6);
        tally.pass(40e-6);
        let seen = tally.finish(1e-3);
        assert_eq!((seen.detours, seen.largest_s), (2, 40e-6));
        assert!((seen.share - 0.0499).abs() < 1e-6, "{}", seen.share);
    }

    #[test]
    fn a_measurement_ends_and_makes_sense() {
        let seen = Jitter::measure();
        assert!(seen.time_s >= 0.25 && seen.time_s < 5.0);
        assert!((0.0..=1.0).contains(&seen.share));
        assert!(seen.largest_s <= seen.time_s);
    }
}
