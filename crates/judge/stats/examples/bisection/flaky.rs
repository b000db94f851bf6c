//! Tests that fail by chance.

use perflab_stats::bisection::{
    Answer, Bisection, Block, Lineage, Outcomes, Plan, Revision, Run, Terms,
};
use perflab_stats::boschloo::boschloo;
use perflab_stats::proportion::Proportion;

use crate::simulated::Random;
use crate::trials::{End, Outcome};

/// A test of 1000 revisions.
#[derive(Clone, Copy)]
pub struct Flaky {
    pub name: &'static str,
    /// How likely it is thought to be that the test never errs.
    pub certain: f64,
    /// Probability that a good and that a bad revision fails; the same for no change.
    pub fails: [f64; 2],
    /// Most runs of candidates, where any are promised.
    pub promised: Option<f64>,
}

pub const REVISIONS: usize = 1000;

pub fn search(flaky: &Flaky, mut random: Random) -> Outcome {
    let [good, bad] = flaky.fails;
    let change = (good != bad).then(|| random.below(REVISIONS));
    let nothing = Outcome {
        end: End::Undecided,
        candidates: 0,
        ends: 0,
    };
    let search = Lineage::linear(REVISIONS).and_then(|lineage| {
        Bisection::new(lineage, Terms::default(), Outcomes::new(flaky.certain)?)
    });
    let Ok(mut search) = search else {
        return nothing;
    };
    while let Some(Plan {
        good: goods,
        bad: bads,
        candidate,
    }) = search.next()
    {
        let mut revisions = vec![Revision::Good; goods];
        revisions.extend(vec![Revision::At(REVISIONS - 1); bads]);
        if let Some((at, runs)) = candidate {
            revisions.extend(vec![Revision::At(at); runs]);
        }
        let runs = revisions.into_iter().map(|revision| {
            let is_bad =
                matches!((revision, change), (Revision::At(at), Some(change)) if at >= change);
            Run {
                revision,
                build: 0,
                value: random.uniform() < if is_bad { bad } else { good },
            }
        });
        let block = Block {
            session: 0,
            runs: runs.collect(),
        };
        if search.observe(&block).is_err() {
            return nothing;
        }
    }
    let runs = search.confirming().max(12);
    let mut fails = |bad_or_good: f64| (0..runs).filter(|_| random.uniform() < bad_or_good).count();
    let mut is_shown = |before: f64, after: f64| {
        let (before, after) = (fails(before), fails(after));
        let sides = [before, after].map(|failed| Proportion::new(failed, runs));
        let [Ok(of_before), Ok(of_after)] = sides else {
            return false;
        };
        after > before && boschloo(of_before, of_after).p <= 0.05
    };
    let end = match (search.answer(), change) {
        (Answer::NoChange { .. }, None) => End::Right,
        (Answer::NoChange { .. }, Some(_)) => End::Missed,
        (Answer::Found(found), Some(change)) if found.revisions == [change] => End::Found {
            confirmed: is_shown(good, bad),
        },
        // Both sides are good, or both are bad.
        (Answer::Found(found), change) => {
            let is_bad = change.is_some_and(|change| found.revisions[0] > change);
            let level = if is_bad { bad } else { good };
            End::Wrong {
                confirmed: is_shown(level, level),
            }
        }
        _ => End::Undecided,
    };
    let runs = search.runs();
    Outcome {
        end,
        candidates: runs.candidates,
        ends: runs.good + runs.bad,
    }
}
