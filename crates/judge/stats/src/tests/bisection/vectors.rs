//! Against an independent program; see `tests/vectors/bisection.py`.

use serde_json::Value;

use super::measured;
use crate::bisection::{Bisection, Block, Lineage, Outcomes, Posterior, Revision, Run, Terms};
use crate::tests::support::{number, numbers};

fn cases(name: &str) -> Vec<Value> {
    let all: Value =
        serde_json::from_str(include_str!("../../../tests/vectors/bisection.json")).unwrap();
    all[name].as_array().unwrap().clone()
}

/// The revision of a number, -1 being the good end.
fn revision(number: &Value) -> Revision {
    let number = number.as_i64().unwrap();
    usize::try_from(number).map_or(Revision::Good, Revision::At)
}

fn agrees(found: &Posterior, case: &Value, tolerance: f64) {
    let expected = numbers(&case["posterior"]);
    assert_eq!(found.revisions.len(), expected.len());
    let all = found.revisions.iter().zip(&expected);
    let no_change = number(&case["no_change"]);
    for (found, expected) in all.chain([(&found.no_change, &no_change)]) {
        assert!((found - expected).abs() < tolerance, "{found} {expected}");
    }
}

#[test]
fn values_against_a_pass_for_each_hypothesis() {
    for case in cases("measured") {
        let revisions = case["revisions"].as_u64().unwrap() as usize;
        let lineage = Lineage::linear(revisions).unwrap();
        let mut search = Bisection::new(lineage, Terms::default(), measured()).unwrap();
        for block in case["blocks"].as_array().unwrap() {
            let runs = block.as_array().unwrap().iter().map(|run| Run {
                revision: revision(&run[0]),
                build: run[1].as_u64().unwrap() as u32,
                value: number(&run[2]),
            });
            let runs = runs.collect();
            search.observe(&Block { session: 0, runs }).unwrap();
        }
        // Points that are dropped have less than this together.
        agrees(&search.posterior(), &case, 2e-3);
    }
}

#[test]
fn outcomes_against_the_counts_of_each_hypothesis() {
    for case in cases("outcomes") {
        let parents = case["parents"].as_array().unwrap().iter();
        let parents =
            parents.map(|own| numbers(own).iter().map(|&parent| parent as usize).collect());
        let lineage = Lineage::new(parents.collect()).unwrap();
        let evidence = Outcomes::new(number(&case["certain"])).unwrap();
        let mut search = Bisection::new(lineage, Terms::default(), evidence).unwrap();
        for run in case["runs"].as_array().unwrap() {
            let run = Run {
                revision: revision(&run[0]),
                build: 0,
                value: run[1].as_bool().unwrap(),
            };
            search
                .observe(&Block {
                    session: 0,
                    runs: vec![run],
                })
                .unwrap();
        }
        agrees(&search.posterior(), &case, 1e-9);
    }
}
