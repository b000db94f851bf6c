//! On what terms an answer is given, what is measured for it, and the answer.

use super::block::{Block, Revision};
use crate::check;
use crate::error::Error;

/// On what terms an answer is given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// How often an answer is to be right at least. The search goes on a little further: see [`super::Evidence::LEFT`].
    pub confidence: f64,
    /// How likely it is that there is no change, before anything was measured.
    pub no_change: f64,
    /// Most runs, those of the ends included; then the search ends without an answer.
    pub most_runs: usize,
}

impl Terms {
    pub(super) fn check(&self) -> Result<(), Error> {
        check::between("confidence of the answer", self.confidence, 0.5, 1.0)?;
        check::probability("probability of no change", self.no_change)
    }
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            confidence: 0.95,
            no_change: 0.2,
            most_runs: 2000,
        }
    }
}

/// What happened: from a list of these, a search is rebuilt as it was.
#[derive(Debug, Clone, PartialEq)]
pub enum Event<V> {
    /// A block was measured.
    Measured(Block<V>),
    /// A revision turned out not to be measurable, because it cannot be built for instance.
    Skipped(usize),
}

/// What to measure next, as one block in random order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Runs of the good end.
    pub good: usize,
    /// Runs of the bad end.
    pub bad: usize,
    /// A revision between them, and its runs.
    pub candidate: Option<(usize, usize)>,
}

impl Plan {
    /// The same with no more runs than that: those of the revision between the ends come first, as they tell most.
    pub(super) fn at_most(self, most: usize) -> Self {
        let candidate = self.candidate.map(|(at, runs)| (at, runs.min(most)));
        let left = most - candidate.map_or(0, |(_, runs)| runs);
        let half = left.div_ceil(2).max(left.saturating_sub(self.bad));
        let good = self.good.min(half);
        Self {
            good,
            bad: self.bad.min(left - good),
            candidate,
        }
    }
}

/// What has been found.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// Nothing yet.
    Open,
    /// The ends do not differ.
    NoChange {
        /// Its probability.
        probability: f64,
    },
    /// One of some revisions introduced the change.
    Found(Found),
    /// As many runs as were allowed gave no answer.
    Undecided,
}

/// Where the change is.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The revisions, ascending. They are several where those that could tell them apart cannot be measured.
    pub revisions: Vec<usize>,
    /// Probability that it is one of them.
    pub probability: f64,
    /// The nearest revisions before them that can be measured: several before a merge.
    pub before: Vec<Revision>,
    /// The nearest ones that can be measured and contain them. A comparison of these with those before, in fresh runs
    /// of fresh builds, confirms the answer.
    pub after: Vec<usize>,
}

/// Runs so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Runs {
    /// Of the good end.
    pub good: usize,
    /// Of the bad end.
    pub bad: usize,
    /// Of the revisions between them.
    pub candidates: usize,
}

impl Runs {
    /// All of them.
    pub fn total(self) -> usize {
        self.good + self.bad + self.candidates
    }
}

/// The probability of each hypothesis; their sum is 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Posterior {
    /// Of no change.
    pub no_change: f64,
    /// Of each revision, that it introduced the change.
    pub revisions: Vec<f64>,
}
