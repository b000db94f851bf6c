//! What the clock that everything is measured with can tell, and what it costs to ask it.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How long it is read.
const TIME: Duration = Duration::from_millis(20);

/// The clock that cannot be set (`CLOCK_MONOTONIC`), as seen by programs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClockCost {
    /// The smallest step that was seen, in seconds. A clock that is quicker than it can be read
    /// shows the time of a reading.
    pub resolution_s: f64,
    /// What one reading takes, in seconds: the mean over some hundred thousand.
    pub reading_s: f64,
}

impl ClockCost {
    pub(super) fn measure() -> Self {
        let start = Instant::now();
        let mut last = start;
        let mut readings = 0_u64;
        let mut smallest = Duration::MAX;
        loop {
            let now = Instant::now();
            readings += 1;
            let step = now - last;
            if step > Duration::ZERO && step < smallest {
                smallest = step;
            }
            last = now;
            if now - start >= TIME {
                return Self {
                    resolution_s: smallest.as_secs_f64(),
                    reading_s: (now - start).as_secs_f64() / readings as f64,
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_clock_is_finer_than_a_second_and_costs_something() {
        let seen = ClockCost::measure();
        assert!(
            seen.resolution_s > 0.0 && seen.resolution_s < 0.02,
            "{seen:?}"
        );
        assert!(seen.reading_s > 1e-9 && seen.reading_s < 1e-3, "{seen:?}");
    }
}
