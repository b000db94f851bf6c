//! How the speed of a CPU changes while it works: the same piece of work over and over.

use std::hint::black_box;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How long the CPU works.
const TIME: Duration = Duration::from_millis(200);

/// Parts of that time that are compared.
const WINDOWS: usize = 8;

/// Time that one piece of work shall take: short against what interrupts a program, so that many
/// pieces are undisturbed.
const PIECE: Duration = Duration::from_micros(50);

/// How the speed changed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Drift {
    /// How much slower the slowest eighth of the time was than the fastest one, from 0: by the
    /// quickest piece of work in each, so that only the speed itself counts.
    pub slowdown: f64,
    /// Pieces of work that were done.
    pub pieces: u32,
}

/// A chain of multiplications, each waiting for the one before: its time is a number of cycles.
pub fn spin(times: u64) -> u64 {
    let mut value = black_box(1_u64);
    for _ in 0..times {
        value = black_box(
            value
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1),
        );
    }
    value
}

/// How often [`spin`] goes round in about that time on this CPU. At least 1.
pub fn spins_in(time: Duration) -> u64 {
    const TRIAL: u64 = 20_000;
    let quickest = (0..20)
        .map(|_| {
            let start = Instant::now();
            spin(TRIAL);
            start.elapsed()
        })
        .min()
        .unwrap_or_default();
    let each = quickest.as_secs_f64().max(1e-9) / TRIAL as f64;
    (time.as_secs_f64() / each).clamp(1.0, 1e12) as u64
}

impl Drift {
    pub(super) fn measure() -> Self {
        let times = spins_in(PIECE);
        let start = Instant::now();
        let mut quickest = [f64::INFINITY; WINDOWS];
        let mut pieces = 0;
        loop {
            let before = Instant::now();
            let at = (before - start).as_secs_f64() / TIME.as_secs_f64();
            let Some(window) = quickest.get_mut((at * WINDOWS as f64) as usize) else {
                break;
            };
            spin(times);
            *window = window.min(before.elapsed().as_secs_f64());
            pieces += 1;
        }
        Self {
            slowdown: slowdown(&quickest),
            pieces,
        }
    }
}

/// Of windows in which no piece was done nothing is known.
fn slowdown(quickest: &[f64]) -> f64 {
    let known = || quickest.iter().copied().filter(|time| time.is_finite());
    let (low, high) = (
        known().fold(f64::INFINITY, f64::min),
        known().fold(0.0, f64::max),
    );
    if low > 0.0 && low.is_finite() {
        high / low - 1.0
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_window_counts() {
        assert!((slowdown(&[1.0, 1.1, f64::INFINITY, 1.05]) - 0.1).abs() < 1e-12);
        assert_eq!(slowdown(&[f64::INFINITY]), 0.0);
        assert_eq!(slowdown(&[]), 0.0);
    }

    // A compiler that could leave rounds out would make every speed the same.
    #[test]
    fn every_round_is_done() {
        assert_eq!(
            [0, 1, 2, 3].map(spin),
            [
                1,
                6_364_136_223_846_793_006,
                13_885_033_948_157_127_959,
                14_678_909_342_070_756_876
            ]
        );
        assert!(spins_in(PIECE) > 1);
    }
}
