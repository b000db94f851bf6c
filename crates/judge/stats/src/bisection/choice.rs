//! What to measure next.

use super::Bisection;
use super::evidence::{Design, Evidence};
use super::terms::{Answer, Plan};

/// Probability of no change above which only the ends are measured. A step that was found early is overestimated, and
/// every later decision rests on it.
const DOUBT: f64 = 0.02;

impl<E: Evidence> Bisection<E> {
    /// What to measure next; `None` once there is an answer. Together with the runs so far these are no more than the terms
    /// allow.
    pub fn next(&self) -> Option<Plan> {
        let left = self.terms.most_runs.saturating_sub(self.runs.total());
        Some(self.wanted()?.at_most(left))
    }

    /// What to measure next, however many runs it takes.
    fn wanted(&self) -> Option<Plan> {
        let posterior = self.posterior();
        if self.answer_to(&posterior) != Answer::Open {
            return None;
        }
        let ends_only = |[good, bad]: [usize; 2]| Plan {
            good,
            bad,
            candidate: None,
        };
        if let Some(missing) = self.evidence.opening() {
            return Some(ends_only(missing));
        }
        if posterior.no_change > DOUBT {
            return Some(ends_only(self.evidence.doubt()));
        }
        let favourite = self.favourite(&self.classes());
        let Some(probe) = self.probe(favourite, &posterior.revisions) else {
            return Some(ends_only(self.evidence.doubt()));
        };
        let Design { runs, ends } = self.evidence.design(favourite);
        // An odd run goes to the end that has fewer.
        let odd_to_good = self.runs.good <= self.runs.bad;
        let (good, bad) = match odd_to_good {
            true => (ends.div_ceil(2), ends / 2),
            false => (ends / 2, ends.div_ceil(2)),
        };
        Some(Plan {
            good,
            bad,
            candidate: Some((probe, runs)),
        })
    }

    /// The revision of which a run tells most.
    fn probe(&self, favourite: usize, mass: &[f64]) -> Option<usize> {
        let bad = self.lineage.contained_mass(mass);
        let gain_of = self.evidence.gain(favourite);
        let mut best: Option<(usize, f64)> = None;
        let candidates = bad.iter().take(self.lineage.bad()).enumerate();
        for (revision, &bad) in candidates {
            if self.skipped[revision] {
                continue;
            }
            let gain = gain_of(bad);
            if best.is_none_or(|(_, most)| gain > most) {
                best = Some((revision, gain));
            }
        }
        best.map(|(revision, _)| revision)
    }
}
