//! Values in the order in which they were measured: are they autocorrelated, is there a trend?
//!
//! Flags, not verdicts. A flag that stays down proves no independence: few values show little, and
//! iterations without memory of each other may still share their process. The guard against
//! iterations in the place of runs is [`crate::dependence`].
//!
//! | Departure from random order | Here |
//! |---|---|
//! | neighbours alike, at some distance | [`autocorrelation`], [`ljung_box`], [`von_neumann_ratio`] |
//! | long stays above or below the median | [`runs_test`] |
//! | a steady rise or fall | [`crate::trend`] |
//!
//! The p-values are those of large samples: take them for what they are below about 20 values.

mod autocorrelation;
mod runs;

pub(crate) use autocorrelation::raw_von_neumann_ratio;
pub use autocorrelation::{LjungBox, autocorrelation, ljung_box, von_neumann_ratio};
pub use runs::{RunsTest, runs_test};
