//! Every method against SciPy and NumPy on many samples; see `vectors/generate.py`.

use crate::support::{blocks, close, number, numbers, vectors};
use perflab_stats::blocked_mean::{BlockedMean, blocked_additive, blocked_welch};
use perflab_stats::brunner_munzel::{BrunnerMunzel, brunner_munzel, brunner_munzel_permutation};
use perflab_stats::detectable::{detectable_difference, t_test_power};
use perflab_stats::equivalence::{Bounds, Variances, tost_means};
use perflab_stats::harrell_davis::harrell_davis;
use perflab_stats::location::{Scale, Side, hodges_lehmann, location_test};
use perflab_stats::mean::{MeanDifference, geometric_mean_ratio, mean_interval, student, welch};
use perflab_stats::multiplicity::benjamini_hochberg;
use perflab_stats::proportion::{Proportion, boschloo, fisher_exact};
use perflab_stats::quantile::{quantile, quantile_ranks};
use perflab_stats::rank::midranks;
use perflab_stats::ratio_of_means::{RatioInterval, ratio_of_means};
use perflab_stats::summary::Summary;
use perflab_stats::{Error, Resampling, Stratum};
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
fn ranks_that_bound_quantiles() {
    for v in vectors("quantile_ranks") {
        let n = v[0].as_u64().unwrap() as usize;
        let found = quantile_ranks(n, number(&v[1]), number(&v[2])).unwrap();
        let rank = |v: &Value| v.as_u64().map(|rank| rank as usize);
        assert_eq!((found.low, found.high), (rank(&v[3]), rank(&v[4])), "{v}");
        close(found.coverage, number(&v[5]), 1e-9);
    }
}

#[test]
fn quantiles_from_all_values() {
    for v in vectors("harrell_davis") {
        let x = numbers(&v["x"]);
        for q in v["quantiles"].as_array().unwrap() {
            let found = harrell_davis(&x, number(&q[0])).unwrap();
            close(found, number(&q[1]), 1e-9);
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

        let logs = geometric_mean_ratio(&a, &b, confidence);
        if a.iter().chain(&b).all(|&x| x > 0.0) {
            let found = logs.unwrap();
            // The logarithms of one pair of samples differ in their last digits only.
            assert_difference_to(&found.logs, &v["logs"], 2e-8);
            close(found.high, number(&v["logs"]["high"]).exp(), 1e-9);
        } else {
            assert!(matches!(logs, Err(Error::NotPositive { .. })));
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
        match brunner_munzel(&numbers(&v["a"]), &numbers(&v["b"])).unwrap() {
            BrunnerMunzel::Defined { statistic, p, .. } => {
                close(statistic, number(&v["statistic"]), 1e-9);
                close(p, number(&v["p"]), 1e-9);
            }
            BrunnerMunzel::Degenerate { .. } => panic!("the samples overlap"),
        }
    }
}

#[test]
fn brunner_munzel_by_all_arrangements() {
    let resampling = Resampling { draws: 1, seed: 0 };
    for v in vectors("brunner_munzel_exact") {
        let (a, b) = (numbers(&v["a"]), numbers(&v["b"]));
        let found = brunner_munzel_permutation(&a, &b, resampling).unwrap();
        assert!(found.exact);
        assert_eq!(found.tried as u64, v["tried"].as_u64().unwrap());
        assert_eq!(found.extreme as u64, v["extreme"].as_u64().unwrap());
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
fn equivalence_of_means() {
    for v in vectors("tost") {
        let variances = if v["pooled"] == true {
            Variances::Pooled
        } else {
            Variances::Separate
        };
        let bounds = Bounds::shift(number(&v["margin"])).unwrap();
        let (a, b) = (numbers(&v["a"]), numbers(&v["b"]));
        let found = tost_means(&a, &b, bounds, variances, 0.05).unwrap();
        close(found.p_lower, number(&v["p_lower"]), 1e-9);
        close(found.p_upper, number(&v["p_upper"]), 1e-9);
        close(found.low, number(&v["low"]), 1e-9);
        close(found.high, number(&v["high"]), 1e-9);
    }
}

#[test]
fn false_discovery_rate() {
    let all: Value = serde_json::from_str(include_str!("../vectors/vectors.json")).unwrap();
    let v = &all["multiplicity"];
    let found = benjamini_hochberg(&numbers(&v["p"])).unwrap();
    for (found, expected) in found.into_iter().zip(numbers(&v["bh"])) {
        close(found, expected, 1e-12);
    }
}

#[test]
fn power_and_its_inverse() {
    for v in vectors("power") {
        let [n, m] = [0, 1].map(|i| v[i].as_u64().unwrap() as usize);
        let (difference, confidence, expected) = (number(&v[2]), number(&v[3]), number(&v[4]));
        close(
            t_test_power(n, m, difference, confidence).unwrap(),
            expected,
            1e-8,
        );
        if expected > 0.55 && expected < 0.999 {
            let back = detectable_difference(n, m, confidence, expected).unwrap();
            close(back, difference, 1e-6);
        }
    }
}
