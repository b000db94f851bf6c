//! Tests that never err, revisions that cannot be built, merges, weights.

use super::{found, measured, run, searched};
use crate::bisection::{Answer, Bisection, Block, Lineage, Outcomes, Revision, Terms};

#[test]
fn a_test_that_never_errs_is_bisected_plainly() {
    for revisions in [1, 2, 3, 64, 100, 1000] {
        let most = (revisions as f64).log2().ceil() as usize;
        let step = 1 + revisions / 50;
        for change in (0..revisions).step_by(step) {
            let lineage = Lineage::linear(revisions).unwrap();
            let search = searched(lineage, 1.0 - 1e-9, Some(change), &[]);
            let found = found(&search);
            assert_eq!(found.revisions, [change]);
            assert_eq!(found.after, [change]);
            let before = change.checked_sub(1).map_or(Revision::Good, Revision::At);
            assert_eq!(found.before, [before]);
            let runs = search.runs();
            assert!(
                runs.candidates <= most && runs.good + runs.bad == 2,
                "{runs:?}"
            );
        }
    }
}

#[test]
fn a_test_that_always_passes_shows_no_change() {
    let search = searched(Lineage::linear(100).unwrap(), 0.99, None, &[]);
    assert!(matches!(search.answer(), Answer::NoChange { .. }));
    assert_eq!(search.runs().candidates, 0);
}

#[test]
fn ends_that_differ_the_other_way_round() {
    // Whether the older end fails more often for sure, and whether that is likely.
    for (certain, ends, expected) in [
        (0.99, [[1, 0], [0, 1]], [true, true]),
        (0.99, [[0, 1], [1, 0]], [false, false]),
        (0.99, [[2, 0], [2, 0]], [false, false]),
        (0.99, [[0, 2], [0, 2]], [false, false]),
        (0.1, [[9, 1], [1, 9]], [true, true]),
        (0.1, [[7, 11], [2, 16]], [false, true]),
        (0.1, [[5, 5], [4, 6]], [false, false]),
    ] {
        let search = Outcomes::other_way_round(certain, ends).unwrap();
        let is_sure = matches!(search.answer(), Answer::Found(_));
        let found = [is_sure, search.posterior().no_change < 0.1];
        assert_eq!(found, expected, "{certain} {ends:?}");
    }
}

#[test]
fn what_cannot_be_built_is_answered_together() {
    let skipped = [40, 41, 42];
    for change in 40..=43 {
        let search = searched(Lineage::linear(64).unwrap(), 0.99, Some(change), &skipped);
        let found = found(&search);
        assert_eq!(found.revisions, [40, 41, 42, 43]);
        assert_eq!(
            (found.before, found.after),
            (vec![Revision::At(39)], vec![43])
        );
    }
    // Everything between the ends.
    let all: Vec<usize> = (0..9).collect();
    let search = searched(Lineage::linear(10).unwrap(), 0.99, Some(3), &all);
    let found = found(&search);
    assert_eq!(found.revisions.len(), 10);
    assert_eq!((found.before, found.after), (vec![Revision::Good], vec![9]));
}

#[test]
fn a_merge_that_breaks_lies_between_both_parents() {
    // 0 - 1 - 3 and 0 - 2 - 3, then 4.
    let parents = vec![vec![], vec![0], vec![0], vec![1, 2], vec![3]];
    let search = searched(Lineage::new(parents).unwrap(), 0.99, Some(3), &[]);
    let found = found(&search);
    assert_eq!(found.revisions, [3]);
    assert_eq!(found.before, [Revision::At(1), Revision::At(2)]);
}

#[test]
fn weights_move_the_first_probe() {
    let mut weights = [1.0; 100];
    weights[9] = 1000.0;
    let lineage = Lineage::linear(100).unwrap().weighted(&weights).unwrap();
    let search = searched(lineage, 0.99, Some(9), &[]);
    assert_eq!(found(&search).revisions, [9]);
    assert!(search.runs().candidates <= 3);
}

#[test]
fn a_search_makes_no_more_runs_than_it_may() {
    let mut undecided = 0;
    for most_runs in 1..=40 {
        let terms = Terms {
            most_runs,
            ..Terms::default()
        };
        let lineage = Lineage::linear(9).unwrap();
        let mut search = Bisection::new(lineage, terms, measured()).unwrap();
        let mut made = 0;
        while let Some(plan) = search.next() {
            let mut revisions = vec![Revision::Good; plan.good];
            revisions.extend(vec![Revision::At(8); plan.bad]);
            if let Some((at, runs)) = plan.candidate {
                revisions.extend(vec![Revision::At(at); runs]);
            }
            assert!(!revisions.is_empty(), "{most_runs}");
            // The level rises with the revision, by less than runs scatter.
            let runs = revisions.into_iter().map(|revision| {
                made += 1;
                let level = match revision {
                    Revision::Good => 0.0,
                    Revision::At(at) => 0.2 * (at + 1) as f64,
                };
                run(revision, level + (made * 37 % 11) as f64 / 5.0)
            });
            let runs = runs.collect();
            search.observe(&Block { session: 0, runs }).unwrap();
        }
        assert!(made <= most_runs, "{made} of {most_runs}");
        if search.answer() == Answer::Undecided {
            assert_eq!(made, most_runs);
            undecided += 1;
        }
    }
    assert!(undecided > 10, "{undecided}");
}
