//! Statistics of performance: samples in, summaries, intervals and tests out.
//!
//! Everything here is a pure function of its arguments: no input or output, no clock, no global
//! random numbers. Where a method needs chance, the caller gives the seed. The same samples give
//! the same answer bit for bit.
//!
//! The side called *a* is always the baseline and *b* the candidate; an effect is `b / a` or
//! `b - a`. One value is one run (a fresh process), never an iteration inside a run: the error
//! rates promised below are those of runs.
//!
//! | Question | Module |
//! |---|---|
//! | What do the values look like? | [`summary`], [`quantile`], [`modes`] |
//! | Is a typical run different, and by how much? | [`location`], with a robustness check in `robustness` |
//! | Is the mean (the cost of many runs) different? | [`mean`], `blocked_mean`, [`ratio_of_means`] |
//! | Is the share of slow runs different? | [`proportion`], [`boschloo`] |
//! | Where in the distribution do they differ? | [`shift_function`] |
//! | Are they the same, within a margin? | `bounds` |
//! | What is the minimum detectable effect? | [`detectable`] |
//! | What holds of several subjects together? | [`pooled`] |
//! | How many runs does it take to show a difference? | [`planning`] |
//! | How many tests are made at once? | [`multiplicity`] |
//! | Are these runs at all, or iterations inside one? | [`dependence`] |
//! | Did the machine drift meanwhile, and did the difference? | [`drift`], `trend` |
//! | From which iteration on is a process steady? | [`steady`] |
//! | Which level of repetition varies, and how often to repeat each? | [`nested`] |
//! | May one look while measuring, and stop? | [`sequential`], [`anytime`] |
//! | How does the machine's speed wander, and how long should turns be? | [`allan`], [`turns`] |
//! | Which revision introduced a change? | [`bisection`] |
//! | What if the values lie in steps? | [`steps`] |
//! | Is a test broken since a revision, or flaky? | [`flaky`] |
//! | Where does a history of values change, and has it changed with the last ones? | [`changes`] |
//!
//! [`verdict`] puts them together.

pub mod allan;
pub mod anytime;
mod better;
pub mod bisection;
mod blocked_mean;
pub mod boschloo;
mod bounds;
pub mod changes;
mod check;
pub mod dependence;
pub mod detectable;
mod distribution;
pub mod drift;
mod error;
pub mod flaky;
mod harrell_davis;
pub mod location;
pub mod mean;
pub mod modes;
pub mod multiplicity;
pub mod nested;
mod observation;
pub mod planning;
pub mod pooled;
pub mod proportion;
pub mod quantile;
mod rank;
pub mod ratio_of_means;
mod resampling;
mod robustness;
pub mod sequential;
pub mod shift_function;
mod signed_rank;
pub mod steady;
pub mod steps;
mod stratum;
pub mod summary;
#[cfg(test)]
mod tests;
mod trend;
pub mod turns;
pub mod verdict;

pub use better::Better;
pub use error::Error;
pub use observation::Observation;
pub use resampling::Resampling;
pub use stratum::Stratum;
pub use summary::Summary;
