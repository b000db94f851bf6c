//! Steady state: changes against the R package changepoint, classes of series that are drawn.

use super::support::{number, numbers};
use crate::Better;
use crate::steady::pelt::{MOST_VALUES, changes};
use crate::steady::{Class, Steady, Terms, Together, steady, together};
use proptest::prelude::*;
use serde_json::Value;

const TERMS: Terms = Terms {
    better: Better::Lower,
    margin: 0.01,
};

/// Noise between -1 and 1 that is always the same.
fn noise(n: usize) -> impl Iterator<Item = f64> {
    (0..n).map(|i| ((i * i * 7 + i * 13) % 101) as f64 / 50.0 - 1.0)
}

/// Levels, each for a number of iterations, with noise of half a unit.
fn series(levels: &[(usize, f64)]) -> Vec<f64> {
    let total = levels.iter().map(|(n, _)| n).sum();
    let level = levels
        .iter()
        .flat_map(|(n, level)| std::iter::repeat_n(*level, *n));
    level
        .zip(noise(total))
        .map(|(level, noise)| level + 0.5 * noise)
        .collect()
}

fn classified(levels: &[(usize, f64)]) -> Steady {
    steady(&series(levels), &TERMS).expect("a series")
}

#[test]
fn changes_are_those_of_the_r_package() {
    let all: Value =
        serde_json::from_str(include_str!("../../tests/vectors/changes.json")).unwrap();
    let rows = all.as_array().unwrap();
    assert_eq!(rows.len(), 27);
    for row in rows {
        let found = changes(&numbers(&row["values"]), number(&row["penalty"])).unwrap();
        let found: Vec<f64> = found.iter().map(|change| *change as f64).collect();
        assert_eq!(found, numbers(&row["changes"]), "{}", row["name"]);
    }
}

#[test]
fn the_classes() {
    let flat = classified(&[(400, 100.0)]);
    assert_eq!((flat.class, flat.from), (Class::Flat, Some(0)));
    assert_eq!(flat.segments.len(), 1);
    let warmup = classified(&[(20, 150.0), (60, 110.0), (300, 100.0)]);
    assert_eq!((warmup.class, warmup.from), (Class::Warmup, Some(80)));
    let ends: Vec<usize> = warmup.segments.iter().map(|segment| segment.end).collect();
    assert_eq!(ends, [20, 80, 380]);
    let slower = classified(&[(90, 90.0), (300, 100.0)]);
    assert_eq!((slower.class, slower.from), (Class::Slowdown, Some(90)));
    // The first half of the warm-up does not hide that the process became worse afterwards.
    let both = classified(&[(40, 150.0), (100, 90.0), (300, 100.0)]);
    assert_eq!((both.class, both.from), (Class::Slowdown, Some(140)));
    // Nor does the second half of a slow-down hide that it was better before.
    let both = classified(&[(40, 90.0), (100, 150.0), (300, 100.0)]);
    assert_eq!((both.class, both.from), (Class::Slowdown, Some(140)));
    let never = classified(&[(300, 100.0), (60, 110.0)]);
    assert_eq!((never.class, never.from), (Class::NoSteadyState, None));
    // Below the margin nothing matters, though it is found.
    let little = classified(&[(200, 100.5), (200, 100.0)]);
    assert_eq!((little.class, little.segments.len()), (Class::Flat, 2));
}

/// What changed before the last quarter, or before the last 500 iterations, leaves a steady state; later it does not.
#[test]
fn the_last_quarter_must_be_steady() {
    for (first, rest) in [(300, 100), (4000, 500)] {
        let in_time = classified(&[(first, 110.0), (rest, 100.0)]);
        assert_eq!((in_time.class, in_time.from), (Class::Warmup, Some(first)));
        let late = classified(&[(first + 1, 110.0), (rest - 1, 100.0)]);
        assert_eq!((late.class, late.from), (Class::NoSteadyState, None));
    }
}

#[test]
fn better_says_which_way_a_warm_up_goes() {
    let rising = series(&[(50, 80.0), (200, 100.0)]);
    let terms = Terms {
        better: Better::Higher,
        ..TERMS
    };
    assert_eq!(steady(&rising, &terms).unwrap().class, Class::Warmup);
    assert_eq!(steady(&rising, &TERMS).unwrap().class, Class::Slowdown);
}

#[test]
fn a_spike_is_no_change() {
    let mut values = series(&[(600, 100.0)]);
    for index in [250, 251, 400, 599] {
        values[index] = 300.0;
    }
    let found = steady(&values, &TERMS).unwrap();
    assert_eq!(found.spikes, [250, 251, 400, 599]);
    assert_eq!((found.class, found.segments.len()), (Class::Flat, 1));
    // Early ones are spikes too,
    let mut values = series(&[(600, 100.0)]);
    for index in [3, 4, 40] {
        values[index] = 300.0;
    }
    let found = steady(&values, &TERMS).unwrap();
    assert_eq!((found.class, found.segments.len()), (Class::Flat, 1));
    // but not those that the series begins with: they are the warm-up.
    let mut values = series(&[(600, 100.0)]);
    values[..8].fill(300.0);
    let found = steady(&values, &TERMS).unwrap();
    assert_eq!((found.class, found.from), (Class::Warmup, Some(8)));
}

#[test]
fn counts_and_equal_values_have_no_infinite_likelihood() {
    let equal = steady(&[5.0; 300], &TERMS).unwrap();
    assert_eq!((equal.class, equal.segments.len()), (Class::Flat, 1));
    let coarse: Vec<f64> = noise(300).map(|v| (100.0 + 2.0 * v).round()).collect();
    assert_eq!(changes(&coarse, 15.0 * 300_f64.ln()), Ok(Vec::new()));
}

#[test]
fn several_processes() {
    use Class::{Flat, NoSteadyState, Slowdown, Warmup};
    assert_eq!(together(&[]), None);
    assert_eq!(together(&[Warmup, Warmup]), Some(Together::Same(Warmup)));
    assert_eq!(together(&[Warmup, Flat]), Some(Together::GoodInconsistent));
    for other in [Slowdown, NoSteadyState] {
        assert_eq!(together(&[Flat, other]), Some(Together::BadInconsistent));
    }
}

#[test]
fn what_cannot_be_classified() {
    assert!(steady(&[1.0; 19], &TERMS).is_err());
    assert!(steady(&[-1.0; 30], &TERMS).is_err());
    let margin = Terms {
        margin: 0.0,
        ..TERMS
    };
    assert!(steady(&[1.0; 30], &margin).is_err());
    assert!(changes(&[1.0], 3.0).is_err() && changes(&[1.0, f64::NAN], 3.0).is_err());
    assert!(changes(&[1.0, 2.0], 0.0).is_err());
    let error = changes(&vec![1.0; MOST_VALUES + 1], 3.0).unwrap_err();
    assert!(error.to_string().contains("at most 20000"), "{error}");
}

/// The same sum of costs, over all ways to cut.
fn brute_force(values: &[f64], penalty: f64) -> Vec<usize> {
    let cost = |part: &[f64]| {
        let n = part.len() as f64;
        let mean = part.iter().sum::<f64>() / n;
        let squares: f64 = part.iter().map(|v| (v - mean).powi(2)).sum();
        n * (squares / n).ln() + n
    };
    let ways = (0..1_u32 << (values.len() - 1)).filter_map(|way| {
        let cuts: Vec<usize> = (1..values.len())
            .filter(|i| way >> (i - 1) & 1 == 1)
            .collect();
        let mut ends = vec![0];
        ends.extend(&cuts);
        ends.push(values.len());
        let long = ends.windows(2).all(|cut| cut[1] - cut[0] >= 2);
        let costs: f64 = ends
            .windows(2)
            .map(|cut| cost(&values[cut[0]..cut[1]]))
            .sum();
        long.then_some((costs + penalty * cuts.len() as f64, cuts))
    });
    ways.min_by(|(x, _), (y, _)| x.total_cmp(y))
        .expect("a way")
        .1
}

proptest! {
    #[test]
    fn nothing_better_is_pruned_away(
        values in prop::collection::vec(1.0..100.0_f64, 12),
        penalty in 0.5..12.0_f64,
    ) {
        prop_assert_eq!(changes(&values, penalty).unwrap(), brute_force(&values, penalty));
    }

    #[test]
    fn no_series_panics_and_units_do_not_matter(
        values in prop::collection::vec(0.001..1e6_f64, 20..120),
        scale in prop_oneof![Just(1e-6), Just(1024.0), Just(1e9)],
    ) {
        let found = steady(&values, &TERMS).unwrap();
        prop_assert_eq!(found.segments.first().unwrap().start, 0);
        prop_assert_eq!(found.segments.last().unwrap().end, values.len());
        prop_assert!(found.segments.windows(2).all(|pair| pair[0].end == pair[1].start));
        let scaled: Vec<f64> = values.iter().map(|value| value * scale).collect();
        let again = steady(&scaled, &TERMS).unwrap();
        prop_assert_eq!((again.class, again.from), (found.class, found.from));
    }
}
