//! Hypotheses in classes: those that say the same of every revision measured so far.
//!
//! A hypothesis says which revision introduced the change, or that none did. Two of them that agree on which of the
//! measured revisions are bad give all values the same likelihood. So evidence is kept for classes, of which there are
//! hardly more than measured revisions, and not for thousands of hypotheses.

use super::block::Revision;
use super::lineage::Lineage;

/// The class of the hypothesis that there is no change.
pub(super) const NO_CHANGE: usize = 0;

/// All hypotheses, by class.
#[derive(Debug, Clone)]
pub(super) struct Hypotheses {
    /// Class of each revision.
    of: Vec<usize>,
    /// Mass of each class before anything was measured.
    prior: Vec<f64>,
    /// Which place each revision has among the measured ones.
    probe: Vec<Option<usize>>,
    probes: usize,
    /// For each class: which measured revisions are bad.
    bad: Vec<Vec<bool>>,
}

impl Hypotheses {
    /// Two classes: no change, and a change by any revision.
    pub(super) fn new(lineage: &Lineage, no_change: f64) -> Self {
        Self {
            of: vec![NO_CHANGE + 1; lineage.len()],
            prior: vec![no_change, 1.0 - no_change],
            probe: vec![None; lineage.len()],
            probes: 0,
            bad: vec![Vec::new(); 2],
        }
    }

    /// Number of classes.
    pub(super) fn classes(&self) -> usize {
        self.prior.len()
    }

    /// The class of a revision.
    pub(super) fn of(&self, revision: usize) -> usize {
        self.of[revision]
    }

    /// Mass of a class before anything was measured.
    pub(super) fn prior(&self, class: usize) -> f64 {
        self.prior[class]
    }

    /// Whether a measured revision is bad if the class is right.
    pub(super) fn is_bad(&self, class: usize, revision: Revision) -> bool {
        match revision {
            Revision::Good => false,
            Revision::At(revision) => self.probe[revision].is_some_and(|at| self.bad[class][at]),
        }
    }

    /// Enters a revision that is measured for the first time. Calls for each class that it divides: the new classes
    /// have the next numbers.
    pub(super) fn enter(
        &mut self,
        lineage: &Lineage,
        revision: usize,
        mut divided: impl FnMut(usize),
    ) {
        if self.probe[revision].is_some() {
            return;
        }
        self.probe[revision] = Some(self.probes);
        self.probes += 1;
        let mut contained = vec![false; lineage.len()];
        lineage.each_contained(revision, |other| contained[other] = true);
        let mut sides = vec![[0.0; 2]; self.classes()];
        let mut members = vec![[0_usize; 2]; self.classes()];
        for (other, &class) in self.of.iter().enumerate() {
            let side = usize::from(contained[other]);
            sides[class][side] += (1.0 - self.prior[NO_CHANGE]) * lineage.prior()[other];
            members[class][side] += 1;
        }
        // Which class the bad ones of each go to.
        let mut goes_to: Vec<usize> = (0..self.classes()).collect();
        for class in NO_CHANGE + 1..goes_to.len() {
            if members[class][0] > 0 && members[class][1] > 0 {
                goes_to[class] = self.prior.len();
                self.prior[class] = sides[class][0];
                self.prior.push(sides[class][1]);
                self.bad.push(self.bad[class].clone());
                divided(class);
            }
        }
        let old = goes_to.len();
        for (class, bad) in self.bad.iter_mut().enumerate() {
            bad.push(class >= old || (class != NO_CHANGE && members[class][0] == 0));
        }
        for (other, class) in self.of.iter_mut().enumerate() {
            if contained[other] {
                *class = goes_to[*class];
            }
        }
    }
}
