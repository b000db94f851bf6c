//! Cases of values that an instrument shows in steps.

use perflab_compare::{Subject, found_grid};
use perflab_stats::steps::Grid;

use crate::cases::{Case, NULL, Noise, SimulatedSubject, case};
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

/// Scatter of both sides, in steps.
const SCATTERS: [[f64; 2]; 7] = [
    [0.1, 0.1],
    [0.4, 0.4],
    [1.0, 1.0],
    [0.1, 1.0],
    [0.4, 1.2],
    [1.5, 0.2],
    [6.0, 6.0],
];

/// No difference, and one of half a step, with equal and with unequal scatter.
pub fn steps() -> Vec<Case> {
    let mut all = Vec::new();
    for (size, reciprocal) in [(0.001, false), (0.01, false), (0.05, true), (0.2, true)] {
        let noise = |scatter: [f64; 2]| scatter.map(|steps| steps * size);
        let stepped = |name: &str, blocks, runs, scatter| Case {
            steps: Some(Steps {
                size,
                reciprocal,
                declared: true,
                phase: None,
            }),
            ..case(
                &format!("steps {} %, {name}", 100.0 * size),
                Noise::Normal,
                blocks,
                runs,
                noise(scatter),
            )
        };
        let differing = |factor| vec![SimulatedSubject { factor, samples: 1 }];
        // A fifth of the value rounded to fifths, with scatter of a step and more, is no ratio that a mean can have.
        let scatters = SCATTERS.iter().filter(|[a, b]| a.max(*b) * size < 0.2);
        for &scatter in scatters {
            for (blocks, runs) in [(1, [5, 5]), (1, [30, 30]), (10, [3, 3]), (1, [150, 150])] {
                all.push(stepped("", blocks, runs, scatter));
            }
            // Where rounding is worst.
            let mut worst = stepped("at a border, ", 1, [30, 30], scatter);
            worst.steps = worst.steps.map(|steps| Steps {
                phase: Some(0.45),
                declared: false,
                ..steps
            });
            all.push(worst);
            all.push(Case {
                subjects: differing(1.0 + 0.5 * size),
                ..stepped("+half a step, ", 1, [30, 30], scatter)
            });
            all.push(Case {
                subjects: differing(1.0 + 2.0 * size),
                margin: Some(2.0 * size),
                ..stepped("at the margin, ", 1, [30, 30], scatter)
            });
        }
        for of_runs in [Noise::HeavyTails, Noise::SlowMode] {
            for (blocks, runs) in [(1, [30, 30]), (10, [3, 3])] {
                all.push(Case {
                    noise: of_runs,
                    ..stepped("", blocks, runs, [0.2, 0.6])
                });
            }
        }
        // Both sides are shown as the same, but for slow runs, of which a step is a smaller share.
        let mut hidden = Case {
            noise: Noise::SlowMode,
            subjects: differing((1.0 + 0.45 * size) / (1.0 - 0.45 * size)),
            margin: Some(0.88 * size),
            ..stepped("hidden by a step, ", 1, [30, 30], [0.01, 0.01])
        };
        hidden.steps = hidden.steps.map(|steps| Steps {
            phase: Some(-0.45),
            ..steps
        });
        // Slow runs that are only two steps away are not told from scatter.
        if size < 0.1 {
            all.push(hidden);
        }
        all.push(Case {
            noise: Noise::SlowMode,
            subjects: differing(1.0 + 2.0 * size),
            margin: Some(2.0 * size),
            ..stepped("at the margin, ", 1, [30, 30], [0.1, 0.1])
        });
        all.push(Case {
            subjects: vec![NULL; 8],
            apart: true,
            ..stepped("8 rows, ", 1, [12, 12], [0.1, 0.8])
        });
    }
    all
}
