//! Planning: against SciPy, against the methods that it plans for, and at the edges.

use super::support::{close, number, redis_like};
use crate::location::{Scale, hodges_lehmann};
use crate::planning::{Goal, Pilot, mean_runs, typical_runs, typical_runs_in_turns};
use crate::verdict::Sides;
use crate::{Error, Observation, Stratum};
use serde_json::Value;

const GOAL: Goal = Goal {
    difference: 0.01,
    power: 0.8,
    confidence: 0.95,
};

fn vectors(name: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("../../tests/vectors/planning.json"))
        .expect("the file is JSON");
    all[name].as_array().expect("a list").clone()
}

fn observed(values: &[f64], each: usize) -> Vec<Observation> {
    let observe = |(run, value): (usize, &f64)| Observation {
        block: (run / each) as u32,
        unit: run as u32,
        value: *value,
    };
    values.iter().enumerate().map(observe).collect()
}

fn of_runs(base: &[Observation], candidate: &[Observation]) -> Result<Pilot, Error> {
    Pilot::of(&Sides::of(base, candidate)?, false)
}

#[test]
fn the_mean_s_deviation_is_that_within_blocks() {
    let (a, b) = redis_like();
    for v in vectors("spread") {
        let each = number(&v["each"]) as usize;
        let pilot = of_runs(&observed(&a, each), &observed(&b, each)).unwrap();
        close(pilot.mean.estimate, number(&v["estimate"]), 1e-9);
        close(pilot.mean.upper, number(&v["upper"]), 1e-9);
        let ratio = pilot.mean.upper / pilot.mean.estimate;
        close(pilot.typical.upper / pilot.typical.estimate, ratio, 1e-12);
    }
}

#[test]
fn the_typical_run_s_deviation_is_that_of_its_interval() {
    let (a, b) = redis_like();
    let found = hodges_lehmann(&[Stratum::new(a.clone(), b.clone())], Scale::Ratio, 0.8).unwrap();
    let pilot = of_runs(&observed(&a, 30), &observed(&b, 30)).unwrap();
    // z(0.9) from tables.
    let tau = 0.5 * (found.high / found.low).ln() / (1.281_551_565_544_6 * (1.0_f64 / 15.0).sqrt());
    close(pilot.typical.estimate, tau, 1e-12);
    // Slow runs do not count: a tenth of the deviation that they make of the mean.
    assert!(pilot.typical.estimate < 0.1 * pilot.mean.estimate);
}

#[test]
fn runs_for_the_mean_are_those_of_the_t_test() {
    for v in vectors("mean_runs") {
        let goal = Goal {
            difference: number(&v["difference"]),
            power: number(&v["power"]),
            confidence: number(&v["confidence"]),
        };
        let runs = mean_runs(number(&v["spread"]), &goal, 0).unwrap();
        assert_eq!(runs as f64, number(&v["runs"]), "{v}");
        assert_eq!(
            mean_runs(number(&v["spread"]), &goal, 4).unwrap(),
            runs.next_multiple_of(4)
        );
    }
}

/// The difference of n pairs has n - 1 degrees of freedom, which costs about a quarter of z squared in runs.
#[test]
fn pairs_take_more_runs_for_the_mean() {
    let runs = |block| mean_runs(0.02, &GOAL, block).unwrap();
    assert!(runs(1) > runs(0) && runs(1) <= runs(0) + 2);
}

#[test]
fn ranks_within_small_blocks_see_more_deviation() {
    let deviations = [0, 5, 3, 1].map(|block| Pilot::known(0.01, block).unwrap().typical.upper);
    assert!(deviations.is_sorted());
    close(
        deviations[0],
        0.01 / (3.0 / std::f64::consts::PI).sqrt(),
        1e-12,
    );
    // The sign test of pairs: 2 / pi of the information in pairs.
    close(
        deviations[3],
        0.01 / (2.0 / std::f64::consts::PI).sqrt(),
        1e-12,
    );
}

#[test]
fn large_differences_take_what_a_proof_takes() {
    let goal = Goal {
        difference: 0.9,
        ..GOAL
    };
    assert_eq!(typical_runs(1e-9, &goal, 3), Ok(6));
    assert_eq!(typical_runs(1e-9, &goal, 1), Ok(6));
    assert_eq!(typical_runs(1e-9, &goal, 0), Ok(4));
}

#[test]
fn what_cannot_be_planned() {
    assert!(Pilot::known(0.0, 3).is_err());
    let few = observed(&[1.0, 2.0], 3);
    assert!(matches!(of_runs(&few, &few), Err(Error::TooFew { .. })));
    let negative = observed(&[-1.0, 2.0, 3.0, 4.0, 5.0], 5);
    assert!(of_runs(&negative, &negative).is_err());
    assert!(of_runs(&[], &[]).is_err());
    let equal = observed(&[5.0; 12], 3);
    assert_eq!(of_runs(&equal, &equal), Err(Error::NoVariation));
    for runs in [typical_runs, mean_runs] {
        let goal = |difference| Goal { difference, ..GOAL };
        for sd in [0.5, 1e-3, 1e-6, 1e-9, 1e-12] {
            let Err(Error::TooSmall { smallest, .. }) = runs(sd, &goal(sd * 1e-6), 3) else {
                panic!("a million runs show it")
            };
            assert!(runs(sd, &goal(smallest * (1.0 - 1e-9)), 3).is_err());
            assert!(runs(sd, &goal(smallest * (1.0 + 1e-9)), 3).is_ok());
        }
    }
    assert!(typical_runs(f64::NAN, &GOAL, 3).is_err());
    assert!(
        mean_runs(
            0.1,
            &Goal {
                difference: 0.0,
                ..GOAL
            },
            3
        )
        .is_err()
    );
}

#[test]
fn what_both_runs_of_a_pair_have_in_common_does_not_count() {
    // The speed of blocks differs by a fifth, that of the two runs of a block by 1 %.
    let (a, b): (Vec<f64>, Vec<f64>) = (0..40)
        .map(|block| {
            let speed = 1.0 + 0.2 * f64::from(block % 5);
            let own = 0.01 * f64::from(block % 7 - 3) / 2.0;
            (speed, 1.1 * speed * (1.0 + own))
        })
        .unzip();
    let sides = Sides::of(&observed(&a, 1), &observed(&b, 1)).unwrap();
    // The deviation of the differences is 1 %, that of a run by itself the root of 2 less.
    for in_turns in [false, true] {
        let pilot = Pilot::of(&sides, in_turns).unwrap();
        for found in [pilot.typical, pilot.mean] {
            assert!((0.005..0.02).contains(&found.estimate), "{pilot:?}");
        }
    }
}

#[test]
fn signed_ranks_take_fewer_pairs_than_signs() {
    let runs = |sd| {
        let known = Pilot::known_in_turns(sd).unwrap().typical.upper;
        let signs = Pilot::known(sd, 1).unwrap().typical.upper;
        [
            typical_runs_in_turns(known, &GOAL).unwrap(),
            typical_runs(signs, &GOAL, 1).unwrap(),
        ]
    };
    // Of normal values two thirds.
    let [ranks, signs] = runs(0.03);
    let share = ranks as f64 / signs as f64;
    assert!((0.6..0.75).contains(&share), "{ranks} {signs}");
    // Five pairs prove nothing at 95 %.
    assert_eq!(runs(1e-9), [6, 6]);
}
