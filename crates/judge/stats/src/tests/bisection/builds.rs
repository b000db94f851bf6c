//! Builds that differ, sessions, and laws that hold for all values.

use proptest::prelude::*;

use super::{measured, run};
use crate::bisection::{Bisection, Block, Event, Lineage, Measured, Revision, Run, Terms};
use crate::location::Scale;

/// Ends with six builds each, of two runs, three apart; builds scatter by about one, runs by a tenth.
fn ends_with_builds(bad: usize) -> Block<f64> {
    let mut runs = Vec::new();
    for (end, level) in [(Revision::Good, 0.0), (Revision::At(bad), 3.0)] {
        for (build, effect) in [-1.2, -0.6, -0.1, 0.2, 0.7, 1.1].into_iter().enumerate() {
            for value in [level + effect - 0.07, level + effect + 0.07] {
                let build = build as u32;
                runs.push(Run {
                    revision: end,
                    build,
                    value,
                });
            }
        }
    }
    Block { session: 0, runs }
}

/// The mass of the first half after many runs of the revision in the middle, which look a little bad.
fn first_half(builds_vary: bool, fresh: bool) -> f64 {
    let evidence = Measured::new(Scale::Shift, 1.0, builds_vary).unwrap();
    let mut search =
        Bisection::new(Lineage::linear(10).unwrap(), Terms::default(), evidence).unwrap();
    search.observe(&ends_with_builds(9)).unwrap();
    for at in 0..10_u32 {
        let runs = [1.9, 2.0].map(|value| Run {
            revision: Revision::At(4),
            build: if fresh { at } else { 0 },
            value,
        });
        search
            .observe(&Block {
                session: 0,
                runs: runs.to_vec(),
            })
            .unwrap();
    }
    let posterior = search.posterior();
    posterior.revisions[..5].iter().sum()
}

#[test]
fn many_runs_of_one_build_are_one() {
    let one_build = first_half(true, false);
    assert!((0.5..0.99).contains(&one_build), "{one_build}");
    let ten_builds = first_half(true, true);
    assert!(ten_builds > 0.99, "{ten_builds}");
    // As if each run were for itself.
    let ignored = first_half(false, false);
    assert!(ignored > 0.97, "{ignored}");
}

#[test]
fn a_new_session_may_have_another_level() {
    let after = |session: u32, moved: f64| {
        let mut search =
            Bisection::new(Lineage::linear(10).unwrap(), Terms::default(), measured()).unwrap();
        search.observe(&ends_with_builds(9)).unwrap();
        let runs = [
            (Revision::Good, 0.3),
            (Revision::At(9), 2.8),
            (Revision::At(4), 0.1),
        ];
        let runs = runs
            .map(|(revision, value)| run(revision, value + moved))
            .to_vec();
        search.observe(&Block { session, runs }).unwrap();
        let posterior = search.posterior();
        posterior.revisions[5..].iter().sum::<f64>()
    };
    assert!((after(1, 20.0) - after(1, 0.0)).abs() < 0.01);
    assert!(after(1, 20.0) > 0.8, "{}", after(1, 20.0));
}

/// Blocks of values around two levels.
fn blocks(revisions: usize) -> impl Strategy<Value = Vec<Block<f64>>> {
    let value = -30..30_i32;
    let run = (prop::option::of(0..revisions), 0..2_u32, value);
    let opening = prop::collection::vec(-30..30_i32, 6);
    (
        opening,
        prop::collection::vec(prop::collection::vec(run, 1..5), 1..5),
    )
        .prop_map(move |(opening, blocks)| {
            let level = |revision: Option<usize>| {
                if revision.is_some_and(|at| 2 * at >= revisions) {
                    50.0
                } else {
                    0.0
                }
            };
            let of = |revision: Option<usize>, build, value| Run {
                revision: revision.map_or(Revision::Good, Revision::At),
                build,
                value: level(revision) + f64::from(value),
            };
            let ends = opening.iter().enumerate();
            let ends =
                ends.map(|(at, &value)| of((at % 2 == 1).then_some(revisions - 1), 0, value));
            let first = Block {
                session: 0,
                runs: ends.collect(),
            };
            let others = blocks.into_iter().enumerate().map(|(at, runs)| Block {
                session: at as u32 / 3,
                runs: runs
                    .into_iter()
                    .map(|(revision, build, value)| of(revision, build, value))
                    .collect(),
            });
            std::iter::once(first).chain(others).collect()
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn masses_are_a_distribution_whatever_the_order_within_blocks(
        blocks in blocks(12),
        builds_vary in any::<bool>(),
        turn in 0..5_usize,
    ) {
        let evidence = || Measured::new(Scale::Shift, 1.0, builds_vary).unwrap();
        let lineage = || Lineage::linear(12).unwrap();
        let mut one = Bisection::new(lineage(), Terms::default(), evidence()).unwrap();
        let mut other = one.clone();
        for block in &blocks {
            one.observe(block).unwrap();
            let mut turned = block.clone();
            turned.runs.reverse();
            let by = turn % turned.runs.len();
            turned.runs.rotate_left(by);
            other.observe(&turned).unwrap();
            let posterior = one.posterior();
            let sum = posterior.no_change + posterior.revisions.iter().sum::<f64>();
            prop_assert!((sum - 1.0).abs() < 1e-9, "{}", sum);
            prop_assert!(posterior.revisions.iter().all(|mass| *mass >= 0.0));
        }
        prop_assert_eq!(one.posterior(), other.posterior());
        prop_assert_eq!(one.next(), other.next());
        let events: Vec<_> = blocks.into_iter().map(Event::Measured).collect();
        let again = Bisection::replay(lineage(), Terms::default(), evidence(), &events).unwrap();
        prop_assert_eq!(again.posterior(), one.posterior());
        prop_assert_eq!(again.next(), one.next());
        prop_assert_eq!(again.answer(), one.answer());
    }
}
