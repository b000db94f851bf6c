//! What the doctor measures rather than reads: detours, the clock, wake-ups, the frequency.
//!
//! Each measurement runs on one CPU in a thread pinned to it, and is bounded in time: about three
//! quarters of a second for all of them, but for [`noise`], which gets as long as the caller likes.

mod clock_cost;
mod drift;
mod jitter;
mod judge;
mod measure;
pub mod noise;
mod noise_floor;
mod percentile;
mod wakeup;
mod words;

pub use clock_cost::ClockCost;
pub use drift::{Drift, spin, spins_in};
pub use jitter::Jitter;
pub use judge::{judge, judge_floor};
pub use measure::{Measured, measure};
pub use noise_floor::NoiseFloor;
pub use wakeup::Wakeup;
