//! How the speed of a CPU wanders, by time scale, and so how sharply two variants can be compared on it: as whole runs
//! one after the other, or in slices that take turns.
//!
//! The CPU does the same small piece of work over and over, each beginning where the one before ended. What interrupts a
//! piece is part of its time, and no piece is left out. From the times come the Allan deviation at each scale
//! ([`perflab_stats::allan`]), and how far two halves that take turns differ ([`perflab_stats::turns`]).

mod at_once;
mod figures;
mod judge;
mod measure;
mod pieces;
#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use at_once::{AtOnce, judge_at_once, measure_at_once};
pub use figures::longest_in_blocks;
pub(super) use judge::judge;
pub use measure::{LEAST_TIME, MOST_TIME, measure};

/// How the speed of a CPU wanders, and what two variants that are compared on it differ by for that reason alone.
///
/// Lengths are times of work in the mean: a slice of 1 ms is the work that takes 1 ms when nothing unusual happens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Noise {
    /// How long the CPU worked, in seconds.
    pub time_s: f64,
    /// Pieces of work that were done in that time. All of them count.
    pub pieces: u64,
    /// The smallest step of the clock, in seconds. Nothing is told of scales below a thousand of them.
    pub clock_step_s: f64,
    /// In time as it passes, with all that interrupts the work.
    pub wall: Wandering,
    /// In CPU time of the thread that works: without the time in which others had the CPU.
    pub cpu: Wandering,
}

/// How the speed wanders in the time of a clock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Wandering {
    /// What a piece of work took in the mean, in seconds.
    pub piece_s: f64,
    /// The Allan deviation at scales from 1 ms to an eighth of the time.
    pub scales: Vec<Scale>,
    /// What two halves of equal work differ by, the shortest slices first. Empty where the time was too short.
    pub slices: Vec<Slices>,
    /// The length of slices that is best here for runs of a second, in seconds: the shortest whose deviation, switches
    /// included, is within 5 % of the least.
    pub best_slice_s: Option<f64>,
}

/// How much the speed differs from one stretch of time to the next.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scale {
    /// The length of a stretch, in seconds.
    pub length_s: f64,
    /// The overlapping Allan deviation of the relative speed, as a share.
    pub allan: f64,
    /// Pairs of such stretches side by side in the time that was measured: of `n` pairs, the deviation is known to about
    /// `1 / sqrt(2 n)`.
    pub pairs: u64,
}

/// What two halves of equal work differ by that take turns in slices, in random order in each round.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Slices {
    /// The length of a slice, in seconds.
    pub slice_s: f64,
    /// The work of each half, in seconds: about one second, or a single slice where that is longer. Halves of a single
    /// slice are whole runs, one after the other.
    pub run_s: f64,
    /// The standard deviation of the logarithm of the halves' ratio, as a share.
    pub sd: f64,
    /// The same for halves that get as much machine time together with what switches cost, 0.2 ms for each slice.
    pub sd_with_switches: f64,
    /// Such runs of each variant, in pairs of neighbours, that show a difference of 1 % of the typical run in 80 % of
    /// reports with 95 % confidence. Those in slices are as a plan counts them; it counts whole runs in larger blocks.
    /// Absent where a million would not do.
    pub runs: Option<u64>,
}
