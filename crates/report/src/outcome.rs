//! What is proven of a row, all its questions together: the one place that text, pages, pictures and gates ask.

use crate::model::{Answer, Row, Verdict};

/// What is proven of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// One question is answered with better, another with worse.
    Mixed,
    /// Some question is answered with worse.
    Worse,
    /// Some question is answered with better.
    Better,
    /// All that was asked is the same within the margin.
    Same,
    /// None of these.
    NotProven,
}

impl Outcome {
    /// All of them, the one to look at first in front.
    pub(crate) const ALL: [Self; 5] = [
        Self::Mixed,
        Self::Worse,
        Self::Better,
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
            _ if has(Verdict::Same) && !has(Verdict::NotProven) => Self::Same,
            _ => Self::NotProven,
        }
    }

    /// Of several rows: the first of [`Outcome::ALL`] that is proven of any, and sameness where it is proven of all.
    pub(crate) fn of_all(outcomes: &(impl Iterator<Item = Self> + Clone)) -> Self {
        let has = |wanted: &Self| outcomes.clone().any(|outcome| outcome == *wanted);
        let differs = [Self::Mixed, Self::Worse, Self::Better];
        match differs.into_iter().find(has) {
            Some(proven) => proven,
            None if has(&Self::Same) && !has(&Self::NotProven) => Self::Same,
            None => Self::NotProven,
        }
    }
}

impl Row {
    /// The answers to the questions that were asked, with what each is about.
    pub(crate) fn asked(&self) -> impl Iterator<Item = (&'static str, &Answer)> + Clone {
        let both = [("typical run", &self.typical), ("mean", &self.mean)];
        both.into_iter()
            .filter(|(_, answer)| answer.p_adjusted.is_some())
    }

    /// What is proven of it.
    pub fn outcome(&self) -> Outcome {
        Outcome::of(&self.asked().map(|(_, answer)| answer.verdict))
    }
}
