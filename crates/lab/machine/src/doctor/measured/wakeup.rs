//! How late a thread wakes up that asked to sleep for a moment, as `cyclictest` measures it, but
//! with the ordinary scheduling that benchmarks have too.

use std::num::NonZeroU64;
use std::thread;
use std::time::{Duration, Instant};

use rustix::thread::set_current_timer_slack;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::percentile::percentile;

/// How long each sleep is.
const SLEEP: Duration = Duration::from_micros(200);

/// Bounds of the measurement.
const TIME: Duration = Duration::from_millis(250);
const SLEEPS: usize = 1000;

/// How late sleepers woke up.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Wakeup {
    /// Number of sleeps.
    pub sleeps: u32,
    /// The median delay, in seconds.
    pub median_s: f64,
    /// The delay that one in a hundred exceeded, in seconds.
    pub p99_s: f64,
    /// The largest delay, in seconds.
    pub largest_s: f64,
}

impl Wakeup {
    pub(super) fn measure() -> Self {
        // Otherwise the kernel may delay an ordinary thread's timer by 50 µs to batch it with
        // others. Where this is refused the delays are that much larger.
        let _ = set_current_timer_slack(NonZeroU64::new(1));
        let start = Instant::now();
        let mut delays = Vec::with_capacity(SLEEPS);
        while delays.len() < SLEEPS && start.elapsed() < TIME {
            let before = Instant::now();
            thread::sleep(SLEEP);
            delays.push(before.elapsed().saturating_sub(SLEEP).as_secs_f64());
        }
        delays.sort_by(f64::total_cmp);
        Self {
            sleeps: delays.len() as u32,
            median_s: percentile(&delays, 0.5),
            p99_s: percentile(&delays, 0.99),
            largest_s: percentile(&delays, 1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_in_order() {
        let seen = Wakeup::measure();
        assert!(seen.sleeps > 0);
        assert!(seen.median_s <= seen.p99_s && seen.p99_s <= seen.largest_s);
    }
}
