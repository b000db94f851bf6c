//! The comparison of two variants on one metric, and the verdicts that may be drawn from it.
//!
//! Two questions are answered apart, because one word for both would lie: what the *typical run*
//! does (stratified Hodges-Lehmann, exact within randomised blocks, checked against unequal
//! variances), and what runs cost in the *mean* (Welch within blocks, Fieller for the ratio), where
//! slow runs count in full. With them come the share of slow runs on each side, and what the
//! runs at hand could detect.

mod compare;
mod comparison;
mod estimate;
mod evidence;
mod exchange;
mod in_turns;
mod interval_end;
mod mean;
mod permutation;
mod sides;
mod slow;
mod terms;
mod typical;
mod uneven;

pub use compare::{Cache, compare};
pub use comparison::{Answer, Comparison, Least, Main, SlowRuns, Warning};
pub use sides::Sides;
pub(crate) use slow::Split;
pub use terms::Terms;
pub(crate) use terms::{same_within, two_sided};
pub(crate) use typical::least;

/// Share of the error that the typical run gets beside the mean: it is the first question asked.
pub const TYPICAL_WEIGHT: f64 = 4.0;

/// Share of the error that the mean gets.
pub const MEAN_WEIGHT: f64 = 1.0;

/// Share of the error that the share of slow runs gets beside both: so little that asking it costs the others next to
/// nothing.
pub const SLOW_WEIGHT: f64 = 0.25;

/// Power for which the minimum detectable effect is stated.
pub const MDE_POWER: f64 = 0.8;
