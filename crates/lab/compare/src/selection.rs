//! How to compare, and which questions are asked.

use perflab_experiment::Experiment;
use perflab_stats::verdict::{MEAN_WEIGHT, SLOW_WEIGHT, TYPICAL_WEIGHT};
use perflab_store::Origin;

/// Which questions a report asks of each row. Each takes its share of the error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Questions {
    /// About the typical run.
    pub typical: bool,
    /// About the mean.
    pub mean: bool,
}

impl Default for Questions {
    fn default() -> Self {
        Self {
            typical: true,
            mean: true,
        }
    }
}

/// A question about a row.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Question {
    Typical,
    Mean,
    SlowRuns,
}

impl Questions {
    /// How many questions are asked of each row.
    pub fn count(self) -> usize {
        self.asked().len()
    }

    /// What is asked of each row, and the share of the error that it gets.
    ///
    /// That about slow runs takes its share where there are none as well: families that depend on the data would
    /// promise less than they say.
    pub(crate) fn asked(self) -> Vec<(Question, f64)> {
        let Self { typical, mean } = self;
        [
            (typical, Question::Typical, TYPICAL_WEIGHT),
            (mean, Question::Mean, MEAN_WEIGHT),
            (typical && mean, Question::SlowRuns, SLOW_WEIGHT),
        ]
        .into_iter()
        .filter(|(is_asked, ..)| *is_asked)
        .map(|(_, question, weight)| (question, weight))
        .collect()
    }
}

/// How to compare.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// The variant that the others are compared with; the first where absent.
    pub baseline: Option<String>,
    /// A variant that is the baseline once more.
    pub control: Option<String>,
    /// Largest relative difference that does not matter.
    pub margin: Option<f64>,
    /// Confidence level.
    pub confidence: f64,
    /// Which questions are asked.
    pub questions: Questions,
    /// Whether the runs may have been stopped by their own results. Then only what holds whenever
    /// one stops is claimed, and nothing about the mean.
    pub anytime: bool,
    /// Whether the runs of a block were executed in turns, so that they are pairs.
    pub in_turns: bool,
}

impl Default for Selection {
    fn default() -> Self {
        Self {
            baseline: None,
            control: None,
            margin: None,
            confidence: 0.95,
            questions: Questions::default(),
            anytime: false,
            in_turns: false,
        }
    }
}

impl Selection {
    /// How an experiment is compared unless one says otherwise.
    pub fn of(experiment: &Experiment, origin: &Origin) -> Self {
        Self {
            baseline: Some(experiment.baseline().to_owned()),
            control: experiment.design.control.clone(),
            margin: experiment.design.margin,
            confidence: experiment.design.confidence,
            questions: Questions::default(),
            anytime: origin.until_decided.is_some(),
            in_turns: experiment.design.least_slices().is_some(),
        }
    }
}
