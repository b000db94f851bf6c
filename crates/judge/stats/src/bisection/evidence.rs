//! What a bisection needs of evidence, whether it is values or failures.

use super::block::{Block, Revision};
use crate::error::Error;

/// How a revision is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Design {
    /// Runs of the revision in a block.
    pub runs: usize,
    /// Runs of both ends together in the same block.
    pub ends: usize,
}

/// Confidence of the comparison that confirms an answer: the typical run has four fifths of its 5 %, the mean the rest.
pub(super) const CONFIDENCE: f64 = 0.96;

/// How likely it is to do so, if the answer is right.
pub(super) const POWER: f64 = 0.95;

/// Most runs of each of its sides.
pub(super) const MOST_CONFIRMING: usize = 500;

/// Whether a block could be learnt from as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Learnt {
    /// It could.
    Kept,
    /// All blocks are to be learnt from again, after a restart.
    Restart,
}

/// Keeps the kinds of evidence to those of this crate.
pub trait Sealed {}

/// Evidence for and against classes of hypotheses; class 0 is that of no change.
pub trait Evidence: Sealed {
    /// What a run gives.
    type Value: Copy + PartialOrd;

    /// Share of the error that is left at which a revision is the answer. Less than 1 because masses are a little too sure
    /// where the change is as small as can be found: of such changes those are seen first that look larger.
    const LEFT: f64;

    /// Refuses a block that cannot be used.
    ///
    /// # Errors
    /// For values that are none.
    fn check(&self, block: &Block<Self::Value>) -> Result<(), Error>;

    /// Forgets everything but what the blocks say of the units of the values, and what was learnt of them before. False
    /// if the blocks do not say enough to begin.
    fn restart(&mut self, classes: usize, blocks: &[Block<Self::Value>], bad: usize) -> bool;

    /// Divides a class: the new one begins with what the old one knows.
    fn divide(&mut self, class: usize);

    /// Learns from a block, whose runs are in a fixed order.
    fn learn(
        &mut self,
        block: &Block<Self::Value>,
        bad: usize,
        is_bad: &dyn Fn(usize, Revision) -> bool,
    ) -> Learnt;

    /// Logarithm of the likelihood of all values.
    fn ln_likelihood(&self, class: usize) -> f64;

    /// Runs of the good and of the bad end that are needed before anything can be said; `None` once they are there.
    fn opening(&self) -> Option<[usize; 2]>;

    /// Runs of the ends in a block as long as it is in doubt whether they differ.
    fn doubt(&self) -> [usize; 2];

    /// How much a run of a revision tells, by the probability that it is bad, if the class is right.
    fn gain(&self, class: usize) -> impl Fn(f64) -> f64;

    /// How to measure a revision, if the class is right.
    fn design(&self, class: usize) -> Design;

    /// The smallest difference that is looked for: see [`super::Bisection::smallest`].
    fn smallest(&self) -> f64;

    /// Runs of a good and of a bad revision with which a comparison shows that they differ, if the class is right.
    fn confirming(&self, class: usize) -> usize;
}
