//! Cases of values that an instrument shows in steps.

use crate::case::{Case, NULL, Noise, SimulatedSubject, case};
use crate::steps::InSteps;

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
pub fn stepped_cases() -> Vec<Case> {
    let mut all = Vec::new();
    for (size, reciprocal) in [(0.001, false), (0.01, false), (0.05, true), (0.2, true)] {
        let noise = |scatter: [f64; 2]| scatter.map(|steps| steps * size);
        let stepped = |name: &str, blocks, runs, scatter| Case {
            steps: Some(InSteps {
                size,
                of_candidate: 1.0,
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
            worst.steps = worst.steps.map(|steps| InSteps {
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
        // Found in the values, where all runs of a side show the same, and where the sides are rounded differently.
        let found = |of_candidate: f64, differing_by: f64, runs: usize, scatter: f64| {
            let mut found = stepped(
                &format!("1:{of_candidate} found, "),
                1,
                [runs; 2],
                [scatter; 2],
            );
            found.steps = found.steps.map(|steps| InSteps {
                of_candidate,
                declared: false,
                ..steps
            });
            found.subjects = differing(1.0 + differing_by * size);
            found.margin = (differing_by > 0.0).then_some(differing_by * size);
            found
        };
        let is_looked_at = size == 0.01 || size == 0.05;
        for scatter in [0.02, 0.1, 0.3].into_iter().filter(|_| is_looked_at) {
            all.push(found(1.0, 0.5, 30, scatter));
            for of_candidate in [0.5, 0.1] {
                all.push(found(of_candidate, 0.0, 5, scatter));
                all.push(found(of_candidate, 0.0, 150, scatter));
                all.push(found(of_candidate, 0.5, 30, scatter));
            }
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
        hidden.steps = hidden.steps.map(|steps| InSteps {
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
