//! An instrument that shows values in steps.

use perflab_compare::Steps;
use perflab_stats::steps::Grid;

use crate::simulated::Random;

/// How an instrument rounds.
#[derive(Clone, Copy)]
pub struct InSteps {
    /// The step about a level of 1.
    pub size: f64,
    /// That of the candidate, as a share of it.
    pub of_candidate: f64,
    /// Whether it is the reciprocals that are rounded, as of rates.
    pub reciprocal: bool,
    /// Whether the driver declares them; else they are found in the values.
    pub declared: bool,
    /// Where the level lies between the borders of a step, from -0.5 to 0.5; anywhere if absent.
    pub phase: Option<f64>,
}

impl InSteps {
    /// The level of a report's runs.
    pub fn level(self, random: &mut Random) -> f64 {
        let phase = self.phase.unwrap_or_else(|| random.uniform() - 0.5);
        1.0 + self.size * phase
    }

    /// A value of about 100, as it is shown.
    pub fn shown(self, value: f64, is_candidate: bool) -> f64 {
        let size = self.size * if is_candidate { self.of_candidate } else { 1.0 };
        let step = 100.0 * size;
        match self.reciprocal {
            true => 100.0 / size / (100.0 / (value * size)).round().max(1.0),
            false => (value / step).round().max(1.0) * step,
        }
    }

    /// What is known of them.
    pub fn known(self) -> Steps {
        match (self.declared, self.reciprocal) {
            (false, _) => Steps::Sought,
            (true, false) => Steps::Known(Some(Grid::Even(100.0 * self.size))),
            (true, true) => Steps::Known(Some(Grid::Reciprocal(self.size / 100.0))),
        }
    }
}
