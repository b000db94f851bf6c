//! Many trials on all processors: every trial has its own stream, so that threads do not matter.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::simulated::Random;

/// Level of every verdict.
pub const ALPHA: f64 = 0.05;

/// How often each of some things happens, in percent of the trials. `state` is made once for each
/// thread.
pub fn rates<const N: usize, S>(
    trials: u64,
    seed: u64,
    state: impl Fn() -> S + Sync,
    trial: impl Fn(&mut Random, &mut S) -> [bool; N] + Sync,
) -> [f64; N] {
    let counts: [AtomicU64; N] = std::array::from_fn(|_| AtomicU64::new(0));
    let next = AtomicU64::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut state = state();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= trials {
                        break;
                    }
                    let mut random = Random::of(seed, number);
                    for (count, hit) in counts.iter().zip(trial(&mut random, &mut state)) {
                        count.fetch_add(u64::from(hit), Ordering::Relaxed);
                    }
                }
            });
        }
    });
    counts.map(|count| 100.0 * count.into_inner() as f64 / trials as f64)
}

/// Three standard errors of a rate, in percent, for so many trials.
pub fn three_errors(rate: f64, trials: u64) -> f64 {
    3.0 * (rate * (100.0 - rate) / trials as f64).sqrt()
}
