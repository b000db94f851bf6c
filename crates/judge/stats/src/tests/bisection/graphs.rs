//! Histories with merges, by brute force, and long ones.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{found, outcomes, searched};
use crate::bisection::{Bisection, Lineage, Outcomes, Revision, Terms};

/// Any graph in which the last revision contains all others.
fn graph() -> impl Strategy<Value = Vec<Vec<usize>>> {
    (1..40_usize).prop_flat_map(|count| {
        let parents =
            (0..count).map(|revision| prop::collection::btree_set(0..revision.max(1), 0..3));
        parents.collect::<Vec<_>>().prop_map(move |mut parents| {
            parents[0].clear();
            let mut loose: BTreeSet<usize> = (0..count - 1).collect();
            for own in &parents[1..] {
                loose.retain(|revision| !own.contains(revision));
            }
            parents[count - 1].extend(loose);
            parents
                .into_iter()
                .map(|own| own.into_iter().collect())
                .collect()
        })
    })
}

/// What each revision contains, by walking.
fn contained(parents: &[Vec<usize>]) -> Vec<BTreeSet<usize>> {
    let mut all: Vec<BTreeSet<usize>> = Vec::new();
    for (revision, own) in parents.iter().enumerate() {
        let mut set = BTreeSet::from([revision]);
        for &parent in own {
            set.extend(all[parent].clone());
        }
        all.push(set);
    }
    all
}

proptest! {
    #[test]
    fn graphs_contain_what_a_walk_finds(parents in graph()) {
        let sets = contained(&parents);
        let lineage = Lineage::new(parents).unwrap();
        let mass: Vec<f64> = (0..lineage.len()).map(|at| (1 + at * at % 7) as f64).collect();
        let sums = lineage.contained_mass(&mass);
        for (revision, set) in sets.iter().enumerate() {
            for other in 0..lineage.len() {
                prop_assert_eq!(lineage.contains(revision, other), set.contains(&other));
            }
            let sum: f64 = set.iter().map(|&other| mass[other]).sum();
            prop_assert!((sums[revision] - sum).abs() < 1e-9);
            let mut called = BTreeSet::new();
            lineage.each_contained(revision, |other| { called.insert(other); });
            prop_assert_eq!(&called, set);
        }
    }

    /// Whatever the graph and whatever is skipped: the answer is all revisions that the others cannot tell from the
    /// right one.
    #[test]
    fn graphs_are_searched_to_what_can_be_told_apart(
        parents in graph(),
        at in any::<prop::sample::Index>(),
        skips in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let count = parents.len();
        let sets = contained(&parents);
        let change = at.index(count);
        let skipped: BTreeSet<usize> = skips.iter().map(|at| at.index(count)).filter(|&at| at + 1 < count).collect();
        let skipped: Vec<usize> = skipped.into_iter().collect();
        let search = {
            let evidence = Outcomes::new(0.99).unwrap();
            let mut search = Bisection::new(Lineage::new(parents).unwrap(), Terms::default(), evidence).unwrap();
            skipped.iter().for_each(|&revision| search.skip(revision));
            while let Some(plan) = search.next() {
                prop_assert!(plan.candidate.is_none_or(|(at, _)| !skipped.contains(&at)));
                search.observe(&outcomes(search.lineage(), plan, Some(change))).unwrap();
            }
            search
        };
        let containing = |revision: usize| -> Vec<usize> {
            let measurable = (0..count).filter(|at| !skipped.contains(at));
            measurable.filter(|&at| sets[at].contains(&revision)).collect()
        };
        let expected: Vec<usize> = (0..count).filter(|&at| containing(at) == containing(change)).collect();
        let found = found(&search);
        prop_assert_eq!(&found.revisions, &expected);
        for &after in &found.after {
            prop_assert!(!skipped.contains(&after) && expected.iter().all(|member| sets[after].contains(member)));
        }
        for before in found.before {
            if let Revision::At(at) = before {
                prop_assert!(!skipped.contains(&at) && expected.iter().all(|member| !sets[at].contains(member)));
            }
        }
        let mass: f64 = search.posterior().revisions.iter().sum::<f64>() + search.posterior().no_change;
        prop_assert!((mass - 1.0).abs() < 1e-9);
    }
}

/// A merge in every other revision, and many revisions without one.
#[test]
fn long_histories_are_searched() {
    let braided = (0..10_000_usize).map(|at| match at {
        0 => vec![],
        1 => vec![0],
        _ if at % 2 == 0 => vec![at - 1, at - 2],
        _ => vec![at - 1],
    });
    let began = std::time::Instant::now();
    let search = searched(
        Lineage::new(braided.collect()).unwrap(),
        0.99,
        Some(1234),
        &[],
    );
    assert_eq!(found(&search).revisions, [1234]);
    let steps = search.runs().total() as u32;
    println!(
        "10 000 revisions with merges: {:?} for each run",
        began.elapsed() / steps
    );
    let began = std::time::Instant::now();
    let search = searched(Lineage::linear(100_000).unwrap(), 0.99, Some(77_777), &[]);
    assert_eq!(found(&search).revisions, [77_777]);
    let steps = search.runs().total() as u32;
    println!(
        "100 000 revisions in a line: {:?} for each run",
        began.elapsed() / steps
    );
}
