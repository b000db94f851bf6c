//! Bounds on one grace period of a library. Some actions it has if the flavour is what its name says, and others never.

use std::fmt::Write;

use crate::counts::{Counts, plural};
use crate::flavour::Flavour;
use crate::unavailable::NotAtWork;

use super::words::PHASE;

/// How a grace period changes the word of gp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// It flips the phase.
    FlipsPhase,
    /// It adds 2.
    GrowsByTwo,
}

/// How often something happens in one grace period.
#[derive(Debug, Clone, Copy)]
pub struct Bound {
    what: &'static str,
    count: fn(&Counts) -> u64,
    least: u64,
    most: u64,
    /// The flavour in which it happens.
    sign_of: &'static str,
}

impl Bound {
    /// It happens at least this number of times.
    pub fn at_least(self, least: u64) -> Self {
        Self {
            least,
            most: u64::MAX,
            ..self
        }
    }

    /// MEMBARRIER_CMD_PRIVATE_EXPEDITED: never.
    pub const EXPEDITED: Self = Self {
        what: "MEMBARRIER_CMD_PRIVATE_EXPEDITED",
        count: |counts| counts.membarrier_expedited,
        least: 0,
        most: 0,
        sign_of: "memb",
    };

    /// MEMBARRIER_CMD_GLOBAL: never.
    pub const GLOBAL: Self = Self {
        what: "MEMBARRIER_CMD_GLOBAL",
        count: |counts| counts.membarrier_global,
        least: 0,
        most: 0,
        sign_of: "memb-global",
    };

    /// Any other command of membarrier, which no flavour uses: never.
    const OTHER: Self = Self {
        what: "calls of membarrier with other commands",
        count: |counts| counts.membarrier_other,
        least: 0,
        most: 0,
        sign_of: "another flavour",
    };

    /// Signals that readers handled: never.
    pub const SIGNALS: Self = Self {
        what: "signals handled",
        count: |counts| counts.signals_handled,
        least: 0,
        most: 0,
        sign_of: "signal",
    };

    /// Threads that ever handled one: as many as there may be.
    pub const SIGNALLED: Self = Self {
        what: "threads signalled",
        count: |counts| counts.threads_signalled,
        least: 0,
        most: u64::MAX,
        sign_of: "signal",
    };

    /// Quiescent states: as many as there may be.
    pub const STATES: Self = Self {
        what: "quiescent states",
        count: |counts| counts.quiescent_states,
        least: 0,
        most: u64::MAX,
        sign_of: "qsbr",
    };

    fn holds(&self, counted: &Counts) -> bool {
        (self.least..=self.most).contains(&(self.count)(counted))
    }
}

/// Judges one grace period of the flavour F by what was counted before and after it. The bounds are these, and the one
/// that holds for every flavour.
pub fn judge<F: Flavour>(
    before: &Counts,
    after: &Counts,
    readers: u64,
    word: Word,
    bounds: &[Bound],
) -> Result<(), NotAtWork> {
    let flavour = F::NAME;
    let counted = after.since(before);
    let mut wrong = Vec::new();
    if readers == 0 {
        wrong.push("without a reader a grace period does nothing".to_owned());
    }
    let (expected, did_not) = match word {
        Word::FlipsPhase => (before.word ^ PHASE, "did not flip the phase of gp"),
        Word::GrowsByTwo => (
            before.word.wrapping_add(2),
            "did not add 2 to the counter of gp",
        ),
    };
    if after.word != expected {
        wrong.push(format!(
            "it {did_not} ({:#x}, then {:#x})",
            before.word, after.word
        ));
    }
    let bounds = bounds.iter().chain([&Bound::OTHER]);
    let broken: Vec<&Bound> = bounds.filter(|bound| !bound.holds(&counted)).collect();
    for bound in &broken {
        let least = if bound.most == 0 { "" } else { "at least " };
        let found = (bound.count)(&counted);
        wrong.push(format!(
            "{}: {found}, expected {least}{}",
            bound.what, bound.least
        ));
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let mut sentence = format!(
        "{flavour}: in 1 grace period with {readers} reader{}, {}{}",
        plural(readers),
        wrong.join("; "),
        counted.failed()
    );
    if let Some(other) = broken.iter().find(|bound| bound.most == 0) {
        let _ = write!(sentence, ": {flavour} works as {} here", other.sign_of);
    }
    Err(NotAtWork(sentence))
}
