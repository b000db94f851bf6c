//! Threads that keep CPUs busy while barriers are timed.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::cpus;
use crate::failure::Failure;

/// How long to wait for a turn of a thread. The kernel gives it its CPU far sooner, whatever else runs there.
const PATIENCE: Duration = Duration::from_secs(10);

/// State that a thread which keeps a CPU busy shares with the one that times. Both look at it all the time, so it has
/// its lines to itself.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Busy {
    turns: AtomicU64,
    ends: AtomicBool,
}

impl Busy {
    /// Computes on a CPU until the end. Without a pause: a processor that rests is not busy.
    ///
    /// # Errors
    /// If the thread cannot be bound to the CPU.
    pub fn compute(&self, cpu: usize) -> Result<(), Failure> {
        cpus::bind(cpu)?;
        let mut turns = 0_u64;
        while !self.ends.load(Ordering::Relaxed) {
            turns = turns.wrapping_add(1);
            self.turns.store(turns, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Ends the computing.
    pub fn end(&self) {
        self.ends.store(true, Ordering::Relaxed);
    }

    /// Waits until the thread computes. While it has no processor, membarrier interrupts nobody. Such a call takes a
    /// thirtieth of the time, so even a short loss of the CPU would make many of them.
    ///
    /// # Errors
    /// If it does not compute for long.
    pub fn await_turn(&self) -> Result<(), Failure> {
        let seen = self.turns.load(Ordering::Relaxed);
        let begin = Instant::now();
        while self.turns.load(Ordering::Relaxed) == seen {
            if begin.elapsed() > PATIENCE {
                let seconds = PATIENCE.as_secs();
                return Err(Failure::no_number(format!(
                    "a thread that was to keep a CPU busy did not run for {seconds} s; end other programs of this CPU"
                )));
            }
        }
        Ok(())
    }
}
