//! An instrument that shows values in steps.

use perflab_compare::{Subject, found_grid};
use perflab_stats::steps::Grid;

use crate::simulated::Random;

/// How an instrument rounds.
#[derive(Clone, Copy)]
pub struct Steps {
    /// The step about a level of 1.
    pub size: f64,
    /// Whether it is the reciprocals that are rounded, as of rates.
    pub reciprocal: bool,
    /// Whether the driver declares them; else they are found in the values.
    pub declared: bool,
    /// Where the level lies between the borders of a step, from -0.5 to 0.5; anywhere if absent.
    pub phase: Option<f64>,
}

impl Steps {
    /// The level of a report's runs.
    pub fn level(self, random: &mut Random) -> f64 {
        let phase = self.phase.unwrap_or_else(|| random.uniform() - 0.5);
        1.0 + self.size * phase
    }

    /// A value of about 100, as it is shown.
    pub fn shown(self, value: f64) -> f64 {
        let step = 100.0 * self.size;
        match self.reciprocal {
            true => 100.0 / self.size / (100.0 / (value * self.size)).round().max(1.0),
            false => (value / step).round().max(1.0) * step,
        }
    }

    /// The grid of a subject.
    pub fn grid(self, subject: &Subject) -> Option<Grid> {
        let groups = subject.groups.iter();
        let all = groups.flat_map(|group| &group.observations);
        let values: Vec<f64> = all.map(|observation| observation.value).collect();
        match (self.declared, self.reciprocal) {
            (false, _) => found_grid(&subject.key.metric, &values),
            (true, false) => Some(Grid::Even(100.0 * self.size)),
            (true, true) => Some(Grid::Reciprocal(self.size / 100.0)),
        }
    }
}
