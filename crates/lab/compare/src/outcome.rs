//! What is proven of a row, all its questions together: the one place that text, pages, pictures and gates ask.

use crate::row::{Answer, Row, Slow};
use crate::verdict::Verdict;

/// A question, with its answer.
#[derive(Debug, Clone, Copy)]
pub enum AskedQuestion<'row> {
    /// About the typical run.
    Typical(&'row Answer),
    /// About the mean.
    Mean(&'row Answer),
    /// About the shares of slow runs.
    SlowRuns(&'row Slow),
}

impl AskedQuestion<'_> {
    /// Its verdict.
    pub fn verdict(self) -> Verdict {
        match self {
            Self::Typical(answer) | Self::Mean(answer) => answer.verdict,
            Self::SlowRuns(slow) => slow.verdict,
        }
    }

    /// Whether a difference or sameness is proven.
    pub fn is_proven(self) -> bool {
        self.verdict() != Verdict::NotProven
    }

    /// Whether a difference is proven, be it within the margin.
    pub fn is_difference(self) -> bool {
        let beside = match self {
            Self::Typical(answer) | Self::Mean(answer) => {
                answer.same.as_ref().and_then(|same| same.beside)
            }
            Self::SlowRuns(_) => None,
        };
        self.verdict().is_difference() || beside.is_some_and(Verdict::is_difference)
    }
}

/// What is proven of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// One question is answered with better, another with worse.
    Mixed,
    /// Some question is answered with worse.
    Worse,
    /// Some question is answered with better.
    Better,
    /// Some question is answered with a difference, of a metric of which neither way is better.
    Differs,
    /// All that was asked is the same within the margin.
    Same,
    /// None of these.
    NotProven,
}

impl Outcome {
    /// All of them, the one to look at first in front.
    pub const ALL: [Self; 6] = [
        Self::Mixed,
        Self::Worse,
        Self::Better,
        Self::Differs,
        Self::Same,
        Self::NotProven,
    ];

    /// Whether a gate against regressions stops here.
    pub fn is_regression(self) -> bool {
        matches!(self, Self::Mixed | Self::Worse)
    }

    /// Of these verdicts on one thing together.
    fn of(verdicts: &(impl Iterator<Item = Verdict> + Clone)) -> Self {
        let has = |wanted| verdicts.clone().any(|verdict| verdict == wanted);
        match (has(Verdict::Better), has(Verdict::Worse)) {
            (true, true) => Self::Mixed,
            (false, true) => Self::Worse,
            (true, false) => Self::Better,
            _ if has(Verdict::Differs) => Self::Differs,
            _ if has(Verdict::Same) && !has(Verdict::NotProven) => Self::Same,
            _ => Self::NotProven,
        }
    }

    /// Of several rows: the first of [`Outcome::ALL`] that is proven of any, and sameness where it is proven of all.
    pub fn of_all(outcomes: &(impl Iterator<Item = Self> + Clone)) -> Self {
        let has = |wanted: &Self| outcomes.clone().any(|outcome| outcome == *wanted);
        let differs = [Self::Mixed, Self::Worse, Self::Better, Self::Differs];
        match differs.into_iter().find(has) {
            Some(proven) => proven,
            None if has(&Self::Same) && !has(&Self::NotProven) => Self::Same,
            None => Self::NotProven,
        }
    }
}

impl Row {
    /// The questions that were asked, with their answers; that about slow runs only where they differ, as nobody can
    /// prove that shares do not.
    pub fn asked(&self) -> impl Iterator<Item = AskedQuestion<'_>> + Clone {
        let is_asked = |p_adjusted: Option<f64>| p_adjusted.is_some();
        let typical = Some(AskedQuestion::Typical(&self.typical));
        let mean = Some(AskedQuestion::Mean(&self.mean));
        let slow = self.slow.as_ref();
        [
            typical.filter(|_| is_asked(self.typical.p_adjusted)),
            mean.filter(|_| is_asked(self.mean.p_adjusted)),
            slow.filter(|slow| is_asked(slow.p_adjusted))
                .map(AskedQuestion::SlowRuns)
                .filter(|asked| asked.is_proven()),
        ]
        .into_iter()
        .flatten()
    }

    /// Whether anything is asked of it.
    pub fn is_asked(&self) -> bool {
        self.asked().next().is_some()
    }

    /// What is proven of it.
    pub fn outcome(&self) -> Outcome {
        Outcome::of(&self.asked().map(AskedQuestion::verdict))
    }
}
