//! Durations, counted by their lengths.
//!
//! Each power of two is divided into 64 equal bins, so a bin is as wide as 1/64 of its durations or less. Shorter
//! durations than 128 ns have a bin each.
//!
//! ```text
//! durations  a histogram that one thread adds to: merged, subtracted, asked for quantiles
//! shared     a histogram that threads add to at the same time
//! bins       which durations share a bin
//! ```
//!
//! ```
//! let mut durations = perflab_histogram::Durations::new();
//! for ns in [1000, 2000, 9000] {
//!     durations.add(ns);
//! }
//! assert_eq!(durations.count(), 3);
//! let median = durations.quantile_ns(0.5).expect("there are some");
//! assert!(median.abs_diff(2000) <= 2000 / 64);
//! ```

mod bins;
mod durations;
mod shared;
#[cfg(test)]
mod tests;

pub use durations::Durations;
pub use shared::Histogram;
