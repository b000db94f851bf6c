//! How each test ended over the revisions of a history, the worst first.

use perflab_experiment::Outcome;
use perflab_stats::flaky::{Level, Since, Trials, Verdict, judge};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Probability from which on it is said what a test does.
const CONFIDENCE: f64 = 0.95;

/// The outcomes of a test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestSeries {
    /// Its name, from the outermost part. That of what holds tests ends with an empty part; the tests as a whole have no
    /// part at all.
    pub name: Vec<String>,
    /// What it did, by place in the list of revisions, ascending.
    pub cells: Vec<TestCell>,
    /// What is known of it.
    pub state: TestState,
    /// The first revision of that state, by its place; absent for a state that always was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<usize>,
}

/// What a test did at one revision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestCell {
    /// The place of the revision.
    pub place: usize,
    /// How each of its runs ended.
    pub outcomes: Vec<Outcome>,
}

/// What is known of a test at the last revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TestState {
    /// It passes, and did so at all revisions.
    Passes,
    /// It fails, and did so at all revisions.
    Fails,
    /// It fails since a revision.
    Broken,
    /// It passes since a revision.
    Fixed,
    /// The same code passes and fails.
    Flaky,
    /// Nothing of this is probable enough.
    Unclear,
}

impl TestState {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Passes => "passes",
            Self::Fails => "fails",
            Self::Broken => "broken",
            Self::Fixed => "fixed",
            Self::Flaky => "flaky",
            Self::Unclear => "unclear",
        }
    }
}

impl TestCell {
    /// The worst of its outcomes.
    pub fn worst(&self) -> Outcome {
        self.outcomes.iter().copied().max().unwrap_or(Outcome::PASS)
    }

    /// Whether some of its runs failed and others did not.
    pub fn is_mixed(&self) -> bool {
        self.trials().is_mixed()
    }

    fn trials(&self) -> Trials {
        let mut trials = Trials::default();
        for outcome in &self.outcomes {
            match outcome.is_as_expected() {
                Some(true) => trials.passed += 1,
                Some(false) => trials.failed += 1,
                None => {}
            }
        }
        trials
    }
}

impl TestSeries {
    /// The worst outcome at the last revision at which it was executed, which need not be the newest.
    pub fn last(&self) -> Outcome {
        self.cells.last().map_or(Outcome::PASS, TestCell::worst)
    }

    /// Whether it is what holds tests, and no test.
    pub fn is_group(&self) -> bool {
        self.name.last().is_none_or(String::is_empty)
    }

    /// The name in one text, for people.
    pub fn full_name(&self) -> String {
        match self.name.as_slice() {
            [] => "(all tests)".to_owned(),
            [own] if own.is_empty() => "(the report)".to_owned(),
            [parts @ .., last] if last.is_empty() => parts.join("::"),
            parts => parts.join("::"),
        }
    }

    /// From what a test did at each revision, and whether that is evidence of its own.
    pub(crate) fn judged(name: Vec<String>, cells: Vec<(TestCell, bool)>) -> Self {
        let places: Vec<usize> = cells.iter().map(|(cell, _)| cell.place).collect();
        let trials = cells.iter().map(|(cell, is_own)| match is_own {
            true => cell.trials(),
            false => Trials::default(),
        });
        let trials: Vec<Trials> = trials.collect();
        let has_run = trials
            .iter()
            .any(|trials| trials.passed + trials.failed > 0);
        // Without a run that counts there is nothing to judge.
        let judged = has_run.then(|| judge(&trials, CONFIDENCE).ok()).flatten();
        let first = |since: Since| {
            places
                .get(since.likeliest)
                .copied()
                .filter(|_| since.likeliest > 0)
        };
        let (state, since) = match judged.map(|judged| judged.verdict) {
            Some(Verdict::Steady(Level::Passes)) => (TestState::Passes, None),
            Some(Verdict::Steady(Level::Fails)) => (TestState::Fails, None),
            Some(Verdict::Broken(since)) => (TestState::Broken, first(since)),
            Some(Verdict::Fixed(since)) => (TestState::Fixed, first(since)),
            Some(Verdict::Flaky(since)) => (TestState::Flaky, first(since)),
            Some(Verdict::NotProven) | None => (TestState::Unclear, None),
        };
        Self {
            name,
            cells: cells.into_iter().map(|(cell, _)| cell).collect(),
            state,
            since,
        }
    }
}
