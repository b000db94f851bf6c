//! Bisection: against an independent program, by brute force, and the laws that it obeys.

mod builds;
mod graphs;
mod plain;
mod vectors;

use crate::Error;
use crate::bisection::{
    Answer, Bisection, Block, Evidence, Found, Lineage, Measured, Outcomes, Plan, Revision, Run,
    Terms,
};
use crate::location::Scale;

fn measured() -> Measured {
    Measured::new(Scale::Shift, 1.0, false).unwrap()
}

fn run<V>(revision: Revision, value: V) -> Run<V> {
    Run {
        revision,
        build: 0,
        value,
    }
}

/// Outcomes of a test that never errs.
fn outcomes(lineage: &Lineage, plan: Plan, change: Option<usize>) -> Block<bool> {
    let bad = Revision::At(lineage.len() - 1);
    let mut revisions = vec![Revision::Good; plan.good];
    revisions.extend(vec![bad; plan.bad]);
    if let Some((candidate, runs)) = plan.candidate {
        revisions.extend(vec![Revision::At(candidate); runs]);
    }
    let failed = |revision| match (revision, change) {
        (Revision::At(at), Some(change)) => lineage.contains(at, change),
        _ => false,
    };
    let runs = revisions
        .into_iter()
        .map(|revision| run(revision, failed(revision)));
    Block {
        session: 0,
        runs: runs.collect(),
    }
}

/// Searches to the end; skipped revisions cannot be measured.
fn searched(
    lineage: Lineage,
    certain: f64,
    change: Option<usize>,
    skipped: &[usize],
) -> Bisection<Outcomes> {
    let evidence = Outcomes::new(certain).unwrap();
    let mut search = Bisection::new(lineage, Terms::default(), evidence).unwrap();
    while let Some(plan) = search.next() {
        match plan.candidate {
            Some((candidate, _)) if skipped.contains(&candidate) => search.skip(candidate),
            _ => search
                .observe(&outcomes(search.lineage(), plan, change))
                .unwrap(),
        }
    }
    search
}

fn found<E: Evidence>(search: &Bisection<E>) -> Found {
    match search.answer() {
        Answer::Found(found) => found,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_no_lineage_is_refused() {
    assert!(matches!(Lineage::linear(0), Err(Error::TooFew { .. })));
    let refused = |parents: &[&[usize]]| {
        let parents = parents.iter().map(|own| own.to_vec()).collect();
        Lineage::new(parents).unwrap_err()
    };
    assert_eq!(
        refused(&[&[0]]),
        Error::Lineage {
            revision: 0,
            parent: 0
        }
    );
    assert_eq!(
        refused(&[&[], &[2], &[1]]),
        Error::Lineage {
            revision: 1,
            parent: 2
        }
    );
    // Nothing leads from 1 to the bad end.
    assert_eq!(
        refused(&[&[], &[0], &[0]]),
        Error::Lineage {
            revision: 1,
            parent: 2
        }
    );
    let line = Lineage::linear(3).unwrap();
    assert!(line.clone().weighted(&[1.0, 2.0]).is_err());
    assert!(line.clone().weighted(&[1.0, 0.0, 2.0]).is_err());
    assert!(line.clone().weighted(&[1.0, f64::NAN, 2.0]).is_err());
    for confidence in [0.5, 1.0, f64::NAN] {
        let terms = Terms {
            confidence,
            ..Terms::default()
        };
        assert!(Bisection::new(line.clone(), terms, measured()).is_err());
    }
}

#[test]
fn values_that_cannot_be_used_change_nothing() {
    let ratios = Measured::new(Scale::Ratio, 1.0, false).unwrap();
    let mut search = Bisection::new(Lineage::linear(3).unwrap(), Terms::default(), ratios).unwrap();
    let before = search.posterior();
    for (revision, value) in [
        (Revision::Good, 0.0),
        (Revision::Good, f64::NAN),
        (Revision::At(3), 1.0),
    ] {
        let block = Block {
            session: 0,
            runs: vec![run(revision, value)],
        };
        assert!(search.observe(&block).is_err());
    }
    assert_eq!(search.posterior(), before);
    assert_eq!(search.runs().total(), 0);
}

/// Values that do not vary at all, as counts of instructions do.
#[test]
fn exact_values_are_bisected_plainly() {
    for (scale, [good, bad]) in [
        (Scale::Ratio, [1000.0, 1001.0]),
        (Scale::Ratio, [1e-3, 1e6]),
        (Scale::Ratio, [1e9, 1e9 + 1.0]),
        (Scale::Shift, [0.0, 7.0]),
        (Scale::Shift, [1e12, -1e12]),
    ] {
        let lineage = Lineage::linear(1000).unwrap();
        let evidence = Measured::new(scale, 1.0, false).unwrap();
        let mut search = Bisection::new(lineage, Terms::default(), evidence).unwrap();
        while let Some(plan) = search.next() {
            let block = outcomes(search.lineage(), plan, Some(700));
            let runs = block.runs.iter().map(|run| Run {
                revision: run.revision,
                build: run.build,
                value: if run.value { bad } else { good },
            });
            let runs = runs.collect();
            search.observe(&Block { session: 0, runs }).unwrap();
        }
        assert_eq!(found(&search).revisions, [700], "{good} {bad}");
        assert!(
            search.runs().candidates <= 11,
            "{good} {bad}: {:?}",
            search.runs()
        );
    }
}
