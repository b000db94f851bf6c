//! What the doctor measures rather than reads: detours, the clock, wake-ups, the frequency.
//!
//! Each measurement runs on one CPU in a thread pinned to it, and is bounded in time: about three
//! quarters of a second for all of them.

mod clock_cost;
mod drift;
mod jitter;
mod judge;
mod wakeup;

use std::io;
use std::thread;

use rustix::thread::{CpuSet, sched_setaffinity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use clock_cost::ClockCost;
pub use drift::{Drift, spin, spins_in};
pub use jitter::Jitter;
pub use judge::{NoiseFloor, judge, judge_floor};
pub use wakeup::Wakeup;

/// What was measured on one CPU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measured {
    /// The CPU.
    pub cpu: u32,
    /// Detours of a busy loop.
    pub jitter: Jitter,
    /// Resolution of the clock and cost of reading it.
    pub clock: ClockCost,
    /// How late a sleeper wakes up.
    pub wakeup: Wakeup,
    /// How the speed of a fixed piece of work changed.
    pub drift: Drift,
    /// What commands compared with themselves could have shown; absent if that was left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise_floor: Option<NoiseFloor>,
}

/// Measures on one CPU, without the noise floor, which takes processes.
///
/// # Errors
/// When the thread cannot be started or pinned to the CPU.
pub fn measure(cpu: u32) -> io::Result<Measured> {
    thread::scope(|scope| {
        thread::Builder::new()
            .name("doctor".to_owned())
            .spawn_scoped(scope, || {
                pin(cpu)?;
                Ok(Measured {
                    cpu,
                    // The work first: it also brings the CPU out of its sleep.
                    drift: Drift::measure(),
                    jitter: Jitter::measure(),
                    clock: ClockCost::measure(),
                    wakeup: Wakeup::measure(),
                    noise_floor: None,
                })
            })?
            .join()
            .map_err(|_| io::Error::other("the measuring thread ended early"))?
    })
}

fn pin(cpu: u32) -> io::Result<()> {
    let mut set = CpuSet::new();
    let index = cpu as usize;
    if index >= CpuSet::MAX_CPU {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    set.set(index);
    Ok(sched_setaffinity(None, &set)?)
}

/// The value below which a share of the sorted values lies; the first or last one at the ends.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let index = (share * sorted.len() as f64).ceil() as usize;
    let index = index.saturating_sub(1).min(sorted.len().saturating_sub(1));
    sorted.get(index).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occurred() {
        let values: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(percentile(&values, 0.5), 50.0);
        assert_eq!(percentile(&values, 0.99), 99.0);
        assert_eq!(percentile(&values, 1.0), 100.0);
        assert_eq!(percentile(&values, 0.0), 1.0);
        assert_eq!(percentile(&[], 0.5), 0.0);
    }

    #[test]
    fn a_cpu_that_is_not_there_is_an_error() {
        assert!(measure(1023).is_err());
        assert!(measure(u32::MAX).is_err());
    }
}
