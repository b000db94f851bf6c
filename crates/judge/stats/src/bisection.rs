//! Which revision introduced a change, decided by evidence.
//!
//! Hypothesis `i` says that revision `i` introduced the change: of all revisions, it and those that contain it are bad.
//! One more hypothesis says that nothing changed. After each block of runs, each hypothesis has the mass
//!
//! ```text
//! prior * likelihood of all values / sum over all hypotheses
//! ```
//!
//! and the next revision to measure is the one that divides the mass most evenly: the sum over the revisions that it
//! contains is nearest to one half. With values that never err, that is plain bisection; with noise, a revision near the
//! middle is measured again until the mass has moved to one side. Where one hypothesis has 95 % of the mass, it is the
//! answer.
//!
//! The revision that divides the mass most evenly is not the one at which the sum first exceeds one half. Once most of
//! the mass is on one revision, that would always be this one, and never its neighbour before, without which the two
//! cannot be told apart.
//!
//! Values come in blocks, in which the ends are measured beside the candidate, so that a machine that drifts moves all
//! of them. The likelihood is that of [`Measured`] for the values of a metric, and of [`Outcomes`] for runs that pass or
//! fail.
//!
//! Sources: Horstein, *IEEE Transactions on Information Theory* 9 (1963) 136, for the posterior median; Waeber, Frazier
//! and Henderson, *SIAM Journal on Control and Optimization* 51 (2013) 2261.

mod block;
mod choice;
mod evidence;
mod groups;
mod hypotheses;
mod lineage;
mod measured;
mod outcomes;
mod terms;

pub use block::{Block, Revision, Run};
pub use evidence::Evidence;
pub use lineage::Lineage;
pub use measured::Measured;
pub use outcomes::Outcomes;
pub use terms::{Answer, Event, Found, Plan, Posterior, Runs, Terms};

use std::cmp::Ordering;

use crate::error::Error;
use evidence::Learnt;
use groups::Groups;
use hypotheses::{Hypotheses, NO_CHANGE};

/// Share of the error that is left at which no change is the answer, as [`Evidence::LEFT`] of a revision: it takes runs of
/// the ends only, and a step that is called none is not looked for again.
const LEFT_OF_NO_CHANGE: f64 = 0.3;

/// Most times that a block makes all blocks be learnt from again.
const MOST_RESTARTS: usize = 40;

/// The search for the revision that introduced a change.
#[derive(Debug, Clone)]
pub struct Bisection<E: Evidence> {
    lineage: Lineage,
    terms: Terms,
    hypotheses: Hypotheses,
    evidence: E,
    blocks: Vec<Block<E::Value>>,
    skipped: Vec<bool>,
    groups: Groups,
    runs: Runs,
}

impl<E: Evidence> Bisection<E> {
    /// Before anything is measured.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for probabilities that are none.
    pub fn new(lineage: Lineage, terms: Terms, mut evidence: E) -> Result<Self, Error> {
        terms.check()?;
        let mut hypotheses = Hypotheses::new(&lineage, terms.no_change);
        hypotheses.enter(&lineage, lineage.bad(), |_| {});
        evidence.restart(hypotheses.classes(), &[], lineage.bad());
        let skipped = vec![false; lineage.len()];
        Ok(Self {
            groups: Groups::new(&lineage, &skipped),
            lineage,
            terms,
            hypotheses,
            evidence,
            blocks: Vec::new(),
            skipped,
            runs: Runs::default(),
        })
    }

    /// The search as it is after these events.
    ///
    /// # Errors
    /// As [`Self::new`] and [`Self::observe`].
    pub fn replay<'a>(
        lineage: Lineage,
        terms: Terms,
        evidence: E,
        events: impl IntoIterator<Item = &'a Event<E::Value>>,
    ) -> Result<Self, Error>
    where
        E::Value: 'a,
    {
        let mut search = Self::new(lineage, terms, evidence)?;
        for event in events {
            match event {
                Event::Measured(block) => search.observe(block)?,
                Event::Skipped(revision) => search.skip(*revision),
            }
        }
        Ok(search)
    }

    /// Learns from a block. It need not be what was planned: any revisions may be in it.
    ///
    /// # Errors
    /// For values that cannot be used, and [`Error::TooFew`] for a revision that does not exist. Nothing is learnt then.
    pub fn observe(&mut self, block: &Block<E::Value>) -> Result<(), Error> {
        self.evidence.check(block)?;
        let beyond = block.runs.iter().find_map(|run| match run.revision {
            Revision::At(at) if at >= self.lineage.len() => Some(at),
            _ => None,
        });
        if let Some(at) = beyond {
            return Err(Error::TooFew {
                what: "revisions".to_owned(),
                needed: at + 1,
                found: self.lineage.len(),
            });
        }
        let block = self.in_order(block);
        for run in &block.runs {
            self.enter(run.revision);
        }
        let mut learnt = self.learn(&block);
        self.blocks.push(block);
        for _ in 0..MOST_RESTARTS {
            if learnt == Learnt::Kept {
                break;
            }
            let classes = self.hypotheses.classes();
            if !self
                .evidence
                .restart(classes, &self.blocks, self.lineage.bad())
            {
                break;
            }
            for block in std::mem::take(&mut self.blocks) {
                learnt = self.learn(&block);
                self.blocks.push(block);
            }
        }
        Ok(())
    }

    /// The runs of a block in an order that does not depend on how they came. Those of the ends are first: what they
    /// say of the level is known before the value of a candidate is judged.
    fn in_order(&self, block: &Block<E::Value>) -> Block<E::Value> {
        let bad = Revision::At(self.lineage.bad());
        let rank = |run: &Run<E::Value>| {
            let is_end = run.revision == Revision::Good || run.revision == bad;
            (!is_end, run.revision, run.build)
        };
        let mut block = block.clone();
        block.runs.sort_by(|a, b| {
            let by_value = a.value.partial_cmp(&b.value).unwrap_or(Ordering::Equal);
            rank(a).cmp(&rank(b)).then(by_value)
        });
        block
    }

    /// Counts a run, and divides the hypotheses by its revision.
    fn enter(&mut self, revision: Revision) {
        match revision {
            Revision::Good => self.runs.good += 1,
            Revision::At(at) if at == self.lineage.bad() => self.runs.bad += 1,
            Revision::At(at) => {
                self.runs.candidates += 1;
                let evidence = &mut self.evidence;
                self.hypotheses
                    .enter(&self.lineage, at, |class| evidence.divide(class));
            }
        }
    }

    fn learn(&mut self, block: &Block<E::Value>) -> Learnt {
        let hypotheses = &self.hypotheses;
        let is_bad = |class: usize, revision: Revision| hypotheses.is_bad(class, revision);
        self.evidence.learn(block, self.lineage.bad(), &is_bad)
    }

    /// Notes that a revision cannot be measured, because it cannot be built for instance. The ends can be measured.
    pub fn skip(&mut self, revision: usize) {
        if revision < self.lineage.bad() && !self.skipped[revision] {
            self.skipped[revision] = true;
            self.groups = Groups::new(&self.lineage, &self.skipped);
        }
    }

    /// Whether a revision is known not to be measurable.
    pub fn is_skipped(&self, revision: usize) -> bool {
        self.skipped.get(revision).is_some_and(|skipped| *skipped)
    }

    /// The revisions and which contains which.
    pub fn lineage(&self) -> &Lineage {
        &self.lineage
    }

    /// Runs so far.
    pub fn runs(&self) -> Runs {
        self.runs
    }

    /// Mass of each class.
    fn classes(&self) -> Vec<f64> {
        let classes = 0..self.hypotheses.classes();
        let ln: Vec<f64> = classes
            .map(|class| self.evidence.ln_likelihood(class))
            .collect();
        let most = ln.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let masses = ln.iter().enumerate();
        let masses: Vec<f64> = masses
            .map(|(class, ln)| self.hypotheses.prior(class) * (ln - most).exp())
            .collect();
        let total: f64 = masses.iter().sum();
        masses.iter().map(|mass| mass / total).collect()
    }

    /// The probability of each hypothesis.
    pub fn posterior(&self) -> Posterior {
        let classes = self.classes();
        let change = 1.0 - self.terms.no_change;
        let of = |(revision, prior): (usize, &f64)| {
            let class = self.hypotheses.of(revision);
            classes[class] * (change * prior / self.hypotheses.prior(class))
        };
        Posterior {
            no_change: classes[NO_CHANGE],
            revisions: self.lineage.prior().iter().enumerate().map(of).collect(),
        }
    }

    /// The likeliest class with a change.
    fn favourite(&self, classes: &[f64]) -> usize {
        (NO_CHANGE + 1..classes.len())
            .max_by(|&a, &b| classes[a].total_cmp(&classes[b]))
            .unwrap_or(NO_CHANGE)
    }

    /// Runs of each side with which a comparison of a good and a bad revision shows with probability 0.95 that they differ,
    /// if the change is as large as was learnt; 500 at most. Values that chose an answer make the change look a little
    /// larger than it is.
    pub fn confirming(&self) -> usize {
        self.evidence.confirming(self.favourite(&self.classes()))
    }

    /// The smallest difference that is looked for: of failures as a share of runs, of a metric as a ratio minus 1 or a
    /// shift, by the scatter of its runs. Of smaller ones "no change" says nothing. NaN for a metric before the ends
    /// were measured, and once "no change" is refuted.
    pub fn smallest(&self) -> f64 {
        self.evidence.smallest()
    }

    /// What has been found.
    pub fn answer(&self) -> Answer {
        self.answer_to(&self.posterior())
    }

    fn answer_to(&self, posterior: &Posterior) -> Answer {
        let enough = |left: f64| 1.0 - left * (1.0 - self.terms.confidence);
        if posterior.no_change >= enough(LEFT_OF_NO_CHANGE) {
            return Answer::NoChange {
                probability: posterior.no_change,
            };
        }
        let (revisions, probability) = self.groups.heaviest(&posterior.revisions);
        if probability >= enough(E::LEFT) {
            let (before, after) = groups::neighbours(&self.lineage, &self.skipped, &revisions);
            return Answer::Found(Found {
                revisions,
                probability,
                before,
                after,
            });
        }
        if self.runs.total() >= self.terms.most_runs {
            return Answer::Undecided;
        }
        Answer::Open
    }
}
