//! All measurements of a CPU.

use std::io;
use std::thread;

use rustix::thread::{CpuSet, sched_setaffinity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::clock_cost::ClockCost;
use super::drift::Drift;
use super::jitter::Jitter;
use super::noise::Noise;
use super::noise_floor::NoiseFloor;
use super::wakeup::Wakeup;

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
    /// The minimum detectable effects of commands compared with themselves; absent if that was left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise_floor: Option<NoiseFloor>,
    /// How its speed wanders, by time scale; absent unless it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<Noise>,
}

/// Measures on one CPU, without the noise floor, which takes processes, and the noise, which takes long.
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
                    noise: None,
                })
            })?
            .join()
            .map_err(|_| io::Error::other("the measuring thread ended early"))?
    })
}

pub(super) fn pin(cpu: u32) -> io::Result<()> {
    let mut set = CpuSet::new();
    let index = cpu as usize;
    if index >= CpuSet::MAX_CPU {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    set.set(index);
    Ok(sched_setaffinity(None, &set)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cpu_that_is_not_there_is_an_error() {
        assert!(measure(1023).is_err());
        assert!(measure(u32::MAX).is_err());
    }
}
