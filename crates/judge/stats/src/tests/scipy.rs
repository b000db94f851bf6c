//! Every method against SciPy and NumPy on many samples; see `vectors/generate.py`.

use super::support::{
    blocks, brunner_munzel, close, harrell_davis, location_test, number, numbers, vectors, welch,
};
use crate::Stratum;
use crate::blocked_mean::{BlockedMean, blocked_additive, blocked_welch};
use crate::boschloo::boschloo;
use crate::detectable::t_test_power;
use crate::location::{Scale, Side, hodges_lehmann};
use crate::mean::{MeanDifference, mean_interval, student};
use crate::proportion::{Proportion, fisher_exact};
use crate::quantile::quantile;
use crate::rank::midranks;
use crate::ratio_of_means::{RatioInterval, ratio_of_means};
use crate::summary::Summary;
use serde_json::Value;

const SIDES: [(&str, Side); 3] = [
    ("two-sided", Side::TwoSided),
    ("less", Side::Less),
    ("greater", Side::Greater),
];

#[test]
fn summaries_ranks_and_quantiles() {
    for v in vectors("summary") {
        let x = numbers(&v["x"]);
        let s = Summary::of(&x).unwrap();
        close(s.mean, number(&v["mean"]), 1e-14);
        close(s.sd.unwrap(), number(&v["sd"]), 1e-9);
        let (low, high) = mean_interval(s.n, s.mean, s.sd.unwrap(), 0.95).unwrap();
        close(low, number(&v["mean_interval"][0]), 1e-9);
        close(high, number(&v["mean_interval"][1]), 1e-9);
        close(s.median, number(&v["median"]), 0.0);
        close(s.mad, number(&v["mad"]), 1e-12);
        assert_eq!(midranks(&x).unwrap(), numbers(&v["ranks"]));
        for q in v["quantiles"].as_array().unwrap() {
            close(quantile(&x, number(&q[0])).unwrap(), number(&q[1]), 1e-13);
        }
    }
}

#[test]
fn quantiles_from_all_values() {
    for v in vectors("harrell_davis") {
        let x = numbers(&v["x"]);
        for q in v["quantiles"].as_array().unwrap() {
            close(harrell_davis(&x, number(&q[0])), number(&q[1]), 1e-9);
        }
    }
}

#[test]
fn hodges_lehmann_without_ties() {
    for v in vectors("location") {
        let scale = if v["shift"] == true {
            Scale::Shift
        } else {
            Scale::Ratio
        };
        let found = hodges_lehmann(&blocks(&v), scale, number(&v["confidence"])).unwrap();
        assert_eq!(found.u, number(&v["u"]));
        assert_eq!(found.k.map(|k| k as u64), v["k"].as_u64());
        assert!(found.exact);
        close(found.p, number(&v["p"]), 1e-9);
        close(found.effect, number(&v["effect"]), 1e-9);
        let limits = match scale {
            Scale::Ratio => (0.0, f64::INFINITY),
            Scale::Shift => (f64::NEG_INFINITY, f64::INFINITY),
        };
        if found.k.is_some() {
            close(found.low, number(&v["low"]), 1e-9);
            close(found.high, number(&v["high"]), 1e-9);
        } else {
            assert_eq!((found.low, found.high), limits);
        }
    }
}

#[test]
fn tests_with_ties_try_every_labelling() {
    for v in vectors("tied") {
        for (name, side) in SIDES {
            let found = location_test(&blocks(&v), Scale::Ratio, 1.0, side).unwrap();
            assert!(found.exact);
            assert_eq!(found.u, number(&v["u"]));
            close(found.p, number(&v[name]), 1e-9);
        }
    }
}

#[test]
fn large_samples_use_the_corrected_normal_approximation() {
    for v in vectors("mann_whitney_asymptotic") {
        let strata = [Stratum::new(numbers(&v["a"]), numbers(&v["b"]))];
        for (name, side) in SIDES {
            let found = location_test(&strata, Scale::Shift, 0.0, side).unwrap();
            assert!(!found.exact);
            close(found.p, number(&v[name]), 1e-9);
        }
    }
}

#[track_caller]
fn assert_difference(found: &MeanDifference, expected: &Value) {
    assert_difference_to(found, expected, 1e-9);
}

#[track_caller]
fn assert_difference_to(found: &MeanDifference, expected: &Value, tolerance: f64) {
    close(found.t, number(&expected["t"]), tolerance);
    close(found.df, number(&expected["df"]), tolerance);
    close(found.p, number(&expected["p"]), tolerance);
    // An end near zero is the difference of two larger numbers.
    let scale = found.low.abs().max(found.high.abs());
    for (end, name) in [(found.low, "low"), (found.high, "high")] {
        assert!((end - number(&expected[name])).abs() <= tolerance * scale);
    }
}

#[test]
fn means() {
    for v in vectors("means") {
        let (a, b, confidence) = (numbers(&v["a"]), numbers(&v["b"]), number(&v["confidence"]));
        assert_difference(&student(&a, &b, confidence).unwrap(), &v["student"]);
        assert_difference(&welch(&a, &b, confidence).unwrap(), &v["welch"]);

        if a.iter().chain(&b).all(|&x| x > 0.0) {
            let logs = |side: &[f64]| side.iter().map(|x| x.ln()).collect::<Vec<_>>();
            let found = welch(&logs(&a), &logs(&b), confidence).unwrap();
            // The logarithms of one pair of samples differ in their last digits only.
            assert_difference_to(&found, &v["logs"], 2e-8);
        }

        let fieller = &v["fieller"];
        let found = ratio_of_means(&a, &b, confidence).unwrap();
        close(found.ratio, number(&fieller["ratio"]), 1e-12);
        close(found.g, number(&fieller["g"]), 1e-9);
        match found.interval {
            RatioInterval::Bounded { low, high } => {
                // The oracle solves a quadratic, which costs it digits.
                close(low, number(&fieller["low"]), 1e-6);
                close(high, number(&fieller["high"]), 1e-6);
            }
            RatioInterval::Unbounded => assert!(fieller["low"].is_null()),
        }
    }
}

#[test]
fn blocked_means() {
    let check = |found: BlockedMean, expected: &Value| {
        assert_difference(&found.difference, expected);
        close(
            found.difference.difference,
            number(&expected["difference"]),
            1e-9,
        );
        let d = &found.difference;
        close(found.ratio.unwrap().ratio, d.mean_b / d.mean_a, 1e-14);
        close(d.mean_b - d.mean_a, d.difference, 1e-9);
    };
    for v in vectors("blocked") {
        check(blocked_additive(&blocks(&v), 0.95).unwrap(), &v["additive"]);
        check(blocked_welch(&blocks(&v), 0.95).unwrap(), &v["welch"]);
    }
}

#[test]
fn brunner_munzel_by_t() {
    for v in vectors("brunner_munzel") {
        let p = brunner_munzel(&numbers(&v["a"]), &numbers(&v["b"]));
        close(p.unwrap(), number(&v["p"]), 1e-9);
    }
}

#[test]
fn proportions() {
    for v in vectors("proportions") {
        let read = |v: &Value| {
            let [k, n] = [0, 1].map(|i| v[i].as_u64().unwrap() as usize);
            Proportion::new(k, n).unwrap()
        };
        let (a, b) = (read(&v["a"]), read(&v["b"]));
        close(fisher_exact(a, b), number(&v["fisher"]), 1e-9);
        let found = boschloo(a, b);
        assert!(found.unconditional);
        close(found.p, number(&v["boschloo"]), 1e-9);
        for w in v["wilson"].as_array().unwrap() {
            let w = numbers(w);
            for (side, low, high) in [(a, w[1], w[2]), (b, w[3], w[4])] {
                let found = side.wilson(w[0]).unwrap();
                assert!((found.0 - low).abs() < 1e-12 && (found.1 - high).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn power() {
    for v in vectors("power") {
        let [n, m] = [0, 1].map(|i| v[i].as_u64().unwrap() as usize);
        let (difference, confidence, expected) = (number(&v[2]), number(&v[3]), number(&v[4]));
        close(
            t_test_power(n, m, difference, confidence).unwrap(),
            expected,
            1e-8,
        );
    }
}
