//! Plans are kept: as many runs as planned prove the difference as often as promised.

use indexmap::IndexMap;
use perflab_compare::{
    Design, Goal, Group, Questions, Selection, Steps, Subject, SubjectKey, analyse, pilot_plan,
};
use perflab_experiment::{Better, Metric};
use perflab_stats::Observation;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// Runs of each variant in a block, which share a build.
const BLOCK: usize = 3;

/// The difference that is there, and planned for.
const DIFFERENCE: f64 = 0.05;

/// A standard normal number, by Box and Muller.
fn normal(random: &mut ChaCha8Rng) -> f64 {
    let mut uniform = || (random.next_u32() as f64 + 0.5) / 4_294_967_296.0;
    (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos()
}

/// Blocks in which the runs of a variant share a build. Builds scatter by 3 %, their runs by 0.5 %.
fn measured(blocks: u32, random: &mut ChaCha8Rng) -> Subject {
    let mut group = |variant: &str, factor: f64| {
        let mut observations = Vec::new();
        for block in 0..blocks {
            let build = factor * (1.0 + 0.03 * normal(random));
            observations.extend((0..BLOCK).map(|_| Observation {
                block,
                unit: block,
                value: build * (1.0 + 0.005 * normal(random)),
            }));
        }
        Group {
            variant: variant.to_owned(),
            observations,
        }
    };
    Subject {
        steps: Steps::Known(None),
        groups: vec![group("old", 1.0), group("new", 1.0 + DIFFERENCE)],
        key: SubjectKey {
            workload: "w".to_owned(),
            parameters: IndexMap::new(),
            benchmark: None,
            metric: Metric {
                name: "wall".to_owned(),
                unit: "s".to_owned(),
                better: Better::Lower,
            },
            observed: false,
        },
    }
}

fn design() -> Design {
    Design {
        blocks: 0,
        planned: 0,
        recorded: 0,
        failed: IndexMap::new(),
        seed: Some(1),
        randomised: true,
        until_decided: None,
        undecided: Vec::new(),
        ..Design::default()
    }
}

/// How many of 100 plans from pilots of so many blocks are followed by a proof, for the typical run and the mean.
fn proven(pilot_blocks: u32, seed: u64) -> [usize; 2] {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let selection = Selection::default();
    let goal = Goal {
        difference: DIFFERENCE,
        power: 0.8,
        confidence: 0.95,
        questions: Questions::default(),
        block: BLOCK,
        shared: BLOCK,
        in_turns: false,
        round_s: Some(1.0),
    };
    let mut proven = [0; 2];
    for _ in 0..100 {
        let pilot = [measured(pilot_blocks, &mut random)];
        let plan = pilot_plan("pilot", &pilot, &selection, &goal).unwrap();
        for (row, proven) in plan.rows.iter().zip(&mut proven) {
            assert_eq!(row.runs % BLOCK, 0);
            assert_eq!(row.seconds, Some(row.runs as f64));
            let subjects = [measured((row.runs / BLOCK) as u32, &mut random)];
            let report = analyse("report", None, &subjects, design(), &selection).unwrap();
            let verdict = match row.question.as_str() {
                "typical" => report.rows[0].typical.verdict,
                _ => report.rows[0].mean.verdict,
            };
            *proven += usize::from(verdict.is_difference());
        }
    }
    proven
}

#[test]
fn runs_that_share_a_build_are_planned_as_builds() {
    for (pilot_blocks, seed) in [(8, 1), (60, 2)] {
        let proven = proven(pilot_blocks, seed);
        assert!(
            proven.iter().all(|often| *often >= 75),
            "{pilot_blocks} blocks: {proven:?}"
        );
    }
}
