//! Trends: against published numbers, SciPy and pymannkendall (`vectors/trend.py`), all orders
//! counted, and the laws.

use std::collections::BTreeMap;

use super::support::{close, number, numbers, printed, vectors};
use crate::Error;
use crate::trend::{MOST_SLOPES, TheilSen, mann_kendall, theil_sen};
use proptest::prelude::*;
use serde_json::Value;
use statrs::function::erf::erfc;

const RISING: [f64; 12] = [
    10.1, 10.3, 10.2, 10.6, 10.5, 10.9, 10.7, 11.0, 10.8, 11.2, 11.1, 11.0,
];

fn cases(name: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("../../tests/vectors/trend.json"))
        .expect("the file is JSON");
    all[name].as_array().expect("a list").clone()
}

/// The values in steps of one.
fn steps(values: &[f64]) -> BTreeMap<u32, f64> {
    (1..).zip(values.iter().copied()).collect()
}

fn line(case: &Value) -> TheilSen {
    let places = numbers(&case["x"]).into_iter().map(|x| x as u32);
    let series = places.zip(numbers(&case["y"])).collect();
    let found = theil_sen(&series, 1.0 - number(&case["alpha"])).unwrap();
    let tolerance = 1e-9 * (1.0 + number(&case["intercept"]).abs());
    assert!((found.slope - number(&case["slope"])).abs() < 1e-9);
    assert!((found.intercept - number(&case["intercept"])).abs() < tolerance);
    found
}

fn same_end(found: Option<f64>, expected: &Value) -> bool {
    match (found, expected.as_f64()) {
        (Some(found), Some(expected)) => (found - expected).abs() < 1e-9,
        (found, expected) => found.is_none() && expected.is_none(),
    }
}

#[test]
fn a_noisy_rise() {
    let found = mann_kendall(&RISING).unwrap();
    printed(found.tau, 0.748_113_4, 5e-8);
    // The source has no correction for continuity.
    let p = erfc(found.z.abs() / 2_f64.sqrt());
    printed(p, 0.000_757_204, 5e-10);
    assert!(found.p > p && found.p < 1.3 * p);
    printed(theil_sen(&steps(&RISING), 0.95).unwrap().slope, 0.1, 1e-12);
}

#[test]
fn agrees_with_scipy() {
    for v in vectors("serial") {
        let y = numbers(&v["y"]);
        let found = mann_kendall(&y).unwrap();
        assert!((found.tau - number(&v["tau"])).abs() < 1e-12);
        close(
            erfc(found.z.abs() / 2_f64.sqrt()),
            number(&v["tau_p"]),
            1e-9,
        );
        let slope = theil_sen(&steps(&y), 0.95).unwrap().slope;
        assert!((slope - number(&v["slope"])).abs() <= 1e-9 * slope.abs());
    }
}

#[test]
fn few_different_values_are_judged_by_all_their_orders() {
    let mut open = 0;
    for v in cases("exact") {
        let p = mann_kendall(&numbers(&v["y"])).unwrap().p;
        close(p, number(&v["p"]), 1e-9);
        let found = line(&v);
        assert!(same_end(found.low, &v["low"]), "{v} {found:?}");
        assert!(same_end(found.high, &v["high"]), "{v} {found:?}");
        open += usize::from(found.low.is_none());
        // The interval and the test are of one mind.
        let leaves_out_zero =
            found.low.is_some_and(|low| low > 0.0) || found.high.is_some_and(|high| high < 0.0);
        assert_eq!(leaves_out_zero, p <= number(&v["alpha"]), "{v}");
    }
    // Three and four values never give 5 %, nor five 1 %.
    assert_eq!(open, 15);
}

#[test]
fn ties_and_many_values_are_judged_by_the_normal_approximation() {
    for v in cases("normal") {
        let p = mann_kendall(&numbers(&v["y"])).unwrap().p;
        assert!((p - number(&v["p"])).abs() < 1e-9, "{p} {v}");
        let found = line(&v);
        assert!(same_end(found.low, &v["low"]), "{v} {found:?}");
        assert!(same_end(found.high, &v["high"]), "{v} {found:?}");
    }
}

/// All orders of 0..n.
fn orders(n: usize) -> Vec<Vec<f64>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let shorter = orders(n - 1);
    let insert = |order: &Vec<f64>, place: usize| {
        let mut longer = order.clone();
        longer.insert(place, n as f64);
        longer
    };
    (0..n)
        .flat_map(|place| shorter.iter().map(move |order| insert(order, place)))
        .collect()
}

#[test]
fn an_exact_p_value_is_the_share_of_orders_that_are_as_extreme() {
    for n in 3..=7 {
        let found: Vec<_> = orders(n).iter().map(|o| mann_kendall(o).unwrap()).collect();
        for one in &found {
            let as_extreme = |other: &&_| {
                let other: &crate::trend::MannKendall = other;
                other.z.abs() >= one.z.abs() - 1e-9
            };
            let share = found.iter().filter(as_extreme).count() as f64 / found.len() as f64;
            // S = 0 is both tails at once.
            close(one.p, share.min(1.0), 1e-12);
        }
    }
}

#[test]
fn too_few_too_many_or_equal_values() {
    assert_eq!(mann_kendall(&[0.1; 5]), Err(Error::NoVariation));
    assert!(mann_kendall(&[1.0, 2.0]).is_err());
    let flat = theil_sen(&steps(&[0.1; 5]), 0.95).unwrap();
    assert_eq!((flat.slope, flat.intercept), (0.0, 0.1));
    assert_eq!((flat.low, flat.high), (None, None));
    assert!(theil_sen(&steps(&[1.0]), 0.95).is_err());
    assert!(theil_sen(&steps(&[1.0, f64::NAN]), 0.95).is_err());
    for confidence in [0.0, 1.0, -0.5, f64::NAN] {
        assert!(theil_sen(&steps(&RISING), confidence).is_err());
    }
    let many = vec![1.0; MOST_SLOPES + 1];
    assert!(theil_sen(&steps(&many[1..]), 0.95).is_ok());
    assert!(matches!(
        theil_sen(&steps(&many), 0.95),
        Err(Error::TooMany { .. })
    ));
    // The last place that there is.
    let last = BTreeMap::from([(0, 1.0), (u32::MAX, 2.0)]);
    assert_eq!(
        theil_sen(&last, 0.95).unwrap().slope,
        1.0 / f64::from(u32::MAX)
    );
}

proptest! {
    #[test]
    fn a_trend_turns_with_time(values in prop::collection::vec(0..12_i32, 3..40)) {
        prop_assume!(values.iter().any(|v| *v != values[0]));
        let there: Vec<f64> = values.iter().map(|&v| f64::from(v)).collect();
        let back: Vec<f64> = there.iter().rev().copied().collect();
        let (found, turned) = (mann_kendall(&there).unwrap(), mann_kendall(&back).unwrap());
        prop_assert!((found.tau + turned.tau).abs() < 1e-12 && (found.p - turned.p).abs() < 1e-12);
        prop_assert!(found.tau.abs() <= 1.0 + 1e-12);
        // Counting while merging against counting.
        let pairs = (0..values.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
        let s: i32 = pairs.map(|(i, j)| (values[j] - values[i]).signum()).sum();
        prop_assert_eq!(found.z > 0.0, s > 0);
        prop_assert_eq!(found.z == 0.0, s == 0);
        let [line, back] = [&there, &back].map(|v| theil_sen(&steps(v), 0.9).unwrap());
        prop_assert_eq!(line.slope, -back.slope);
        prop_assert_eq!(line.low, back.high.map(|end| -end));
        if let (Some(low), Some(high)) = (line.low, line.high) {
            prop_assert!(low <= line.slope && line.slope <= high);
            prop_assert!(found.p <= 0.1 || (low <= 0.0 && 0.0 <= high));
        }
    }

    #[test]
    fn a_straight_line_has_its_slope(slope in -9..9_i32, start in -99..99_i32, n in 3..30_i32) {
        prop_assume!(slope != 0);
        let values: Vec<f64> = (1..=n).map(|i| f64::from(start + slope * i)).collect();
        let line = theil_sen(&steps(&values), 0.95).unwrap();
        prop_assert_eq!((line.slope, line.intercept), (f64::from(slope), f64::from(start)));
        prop_assert_eq!(line.low.is_some(), n >= 5);
        prop_assert_eq!(mann_kendall(&values).unwrap().tau, f64::from(slope.signum()));
    }
}
