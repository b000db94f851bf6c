//! Changes of a history: against an independent program (`vectors/history.py`), published series,
//! and the laws.

use super::support::{close, number, numbers};
use crate::changes::arrivals::arrivals;
use crate::changes::dependence::autocorrelation;
use crate::changes::place::settle;
use crate::changes::sample::Sample;
use crate::changes::scan::peaks;
use crate::changes::segments;
use crate::changes::{
    Changes, MOST_VALUES, Terms, changes, changes_of_groups, freed_of_groups, p_value, strongest,
};
use crate::{Error, Resampling};
use proptest::prelude::*;
use serde_json::Value;

const TERMS: Terms = Terms {
    level: 0.05,
    confidence: 0.95,
    resampling: Resampling {
        draws: 199,
        seed: 1,
    },
};

fn cases(name: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("../../tests/vectors/history.json"))
        .expect("the file is JSON");
    all[name].as_array().expect("a list").clone()
}

fn whole(values: &[f64]) -> Vec<Option<f64>> {
    values.iter().copied().map(Some).collect()
}

fn found(values: &[f64]) -> Changes {
    changes(&whole(values), &TERMS).expect("a series")
}

fn places(found: &Changes) -> Vec<usize> {
    found.changes.iter().map(|change| change.place).collect()
}

/// Noise between -1 and 1 that is always the same, and has no order.
fn noise(n: usize) -> impl Iterator<Item = f64> {
    (0..n as u64).map(|i| {
        let mut x = (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    })
}

/// Levels, each for a number of values, with that noise.
fn series(levels: &[(usize, f64)]) -> Vec<f64> {
    let total = levels.iter().map(|(n, _)| n).sum();
    let level = levels
        .iter()
        .flat_map(|(n, level)| std::iter::repeat_n(*level, *n));
    level
        .zip(noise(total))
        .map(|(l, noise)| l + noise)
        .collect()
}

#[test]
fn agrees_with_the_independent_program() {
    let (series, groups) = (cases("series"), cases("groups"));
    assert_eq!((series.len(), groups.len()), (29, 32));
    for case in series.iter().chain(&groups) {
        let (values, name) = (numbers(&case["values"]), &case["name"]);
        let sample = match case["groups"].as_array() {
            Some(_) => {
                let groups = numbers(&case["groups"]);
                let groups: Vec<usize> = groups.iter().map(|group| *group as usize).collect();
                Sample::grouped(values, &groups).0
            }
            None => Sample::alone(values),
        };
        let peaks = peaks(&sample);
        let strongest = peaks.iter().map(|peak| peak.statistic);
        let strongest = strongest.fold(0.0, f64::max);
        assert!(
            (strongest - number(&case["strongest"])).abs() < 1e-9,
            "{name}"
        );
        let expected: Vec<Vec<f64>> = case["changes"]
            .as_array()
            .unwrap()
            .iter()
            .map(numbers)
            .collect();
        let mut found = segments::found(&sample, &peaks, number(&case["bar"]));
        let cuts: Vec<usize> = found.iter().map(|found| found.place).collect();
        let expected_cuts: Vec<usize> = expected.iter().map(|pair| pair[0] as usize).collect();
        assert_eq!(cuts, expected_cuts, "{name}");
        for (found, pair) in found.iter().zip(&expected) {
            close(found.statistic, pair[1], 1e-9);
        }
        let rho = autocorrelation(&sample, &cuts);
        assert!(
            (rho - number(&case["autocorrelation"])).abs() < 1e-9,
            "{name}"
        );
        settle(&sample, &mut found);
        let places: Vec<f64> = found.iter().map(|found| found.place as f64).collect();
        assert_eq!(places, numbers(&case["places"]), "{name}");
    }
}

/// Three groups that lie apart by much more than their values, and nothing changes within.
fn groups_apart() -> Vec<(f64, usize)> {
    let offsets = [0.0, 30.0, 10.0];
    let values = noise(36).enumerate();
    values
        .map(|(place, noise)| (noise + offsets[place / 12], place / 12))
        .collect()
}

#[test]
fn a_group_that_is_off_is_no_change() {
    let apart = groups_apart();
    let alone: Vec<f64> = apart.iter().map(|value| value.0).collect();
    assert_eq!(places(&found(&alone)), [12, 24]);
    let grouped = changes_of_groups(&apart, &TERMS).unwrap();
    assert!(places(&grouped).is_empty());
    // Groups of one, and one of all, share nothing that could look like a change.
    for group in [|place: usize| place, |_: usize| 7] {
        let others = alone.iter().enumerate();
        let others: Vec<(f64, usize)> = others
            .map(|(place, value)| (*value, group(place)))
            .collect();
        assert_eq!(changes_of_groups(&others, &TERMS).unwrap(), found(&alone));
    }
}

/// Most values are equal, and one is odd or a group is off.
#[test]
fn odd_ones_and_groups_among_equal_values_are_no_change() {
    let odd = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    let groups = (0..24).map(|place| (f64::from(u8::from(place / 8 == 1)), place / 8));
    let odd = odd.into_iter().zip([0, 0, 0, 0, 1, 1, 1, 1]);
    for series in [groups.collect::<Vec<_>>(), odd.collect()] {
        let found = changes_of_groups(&series, &TERMS).unwrap();
        assert!(found.changes.is_empty(), "{found:?}");
    }
}

#[test]
fn a_change_within_groups_is_found_and_where_it_is() {
    let mut values = groups_apart();
    for value in &mut values[18..] {
        value.0 += 60.0;
    }
    // Dealt out in turn, as campaigns that are spread over a history.
    for (place, value) in values.iter_mut().enumerate() {
        *value = (
            value.0 - [0.0, 30.0, 10.0][place / 12] + [0.0, 3.0, 1.0][place % 3],
            place % 3,
        );
    }
    let found = changes_of_groups(&values, &TERMS).unwrap();
    assert_eq!(places(&found), [18]);
    assert!(found.changes[0].low <= 18 && found.changes[0].high >= 18);
}

#[test]
fn groups_that_are_off_raise_no_alarm() {
    let apart = groups_apart();
    let alone: Vec<f64> = apart.iter().map(|value| value.0).collect();
    let freed = freed_of_groups(&apart).unwrap();
    let alarm = |values: &[Option<f64>]| arrivals(values, 1000.0).unwrap().alarm;
    assert_eq!(
        (alarm(&whole(&alone)).is_some(), alarm(&freed)),
        (true, None)
    );
}

/// The table was made by importance sampling; these are counts of plain simulations by NumPy.
#[test]
fn the_tail_is_the_one_that_is_counted() {
    for case in cases("tails") {
        let (n, statistic) = (number(&case["n"]) as usize, number(&case["statistic"]));
        let (reached, of) = (number(&case["reached"]), number(&case["of"]));
        let counted = reached / of;
        let table = p_value(n, statistic);
        // Where none was counted, the table says how many were to be expected.
        let error = 4.0 * (counted.max(table) / of).sqrt();
        // Up to 32 values, a statistic counts as the next one of the table below.
        let above = if n <= 32 { 0.6 } else { 0.0 };
        let off = 0.03 + if counted < 0.001 { 0.12 } else { 0.0 };
        assert!(
            table >= counted * (1.0 - off) - error
                && table <= counted * (1.0 + off + above) + error,
            "{n} {statistic}: {table} {counted}"
        );
    }
}

/// Otava's series of 20 values: E-divisive and Otava find 10 as well.
#[test]
fn a_published_series_of_twenty() {
    let values = [
        1.02, 0.95, 0.99, 1.00, 1.12, 1.00, 1.01, 0.98, 1.01, 0.96, 0.50, 0.51, 0.48, 0.48, 0.55,
        0.50, 0.49, 0.51, 0.50, 0.49,
    ];
    close(strongest(&values).unwrap(), 3.792_498, 2e-7);
    let found = found(&values);
    assert_eq!(places(&found), [10]);
    let change = found.changes[0];
    // One of eleven random orders behind place 9 begins with the value that is there.
    assert_eq!((change.low, change.high), (9, 11));
    assert!(change.p < 0.001, "{}", change.p);
    close(change.before, 1.0, 1e-12);
    close(change.after, 0.5, 1e-12);
    close(change.ratio().unwrap(), 0.5, 1e-12);
    close(change.difference(), -0.5, 1e-12);
}

/// Otava's series of 14 values, in which it finds 5 and 8. Five values against three are apart in one
/// of 28 random orders: with eight values nothing can be proven. The one change that is found is the larger step.
#[test]
fn a_published_series_that_is_too_short_for_its_second_change() {
    let values = [
        0.3, 2.4, 1.5, -0.9, -0.5, 99.7, 98.3, 99.1, 149.0, 149.7, 149.5, 149.1, 148.8, 150.0,
    ];
    let few = found(&values);
    assert_eq!(places(&few), [5]);
    // In eight times as many values with such steps both are found.
    let more = series(&[(40, 0.0), (24, 99.0), (48, 149.0)]);
    assert_eq!(places(&found(&more)), [40, 64]);
}

#[test]
fn several_changes_of_either_direction() {
    let values = series(&[(60, 10.0), (40, 13.0), (25, 10.0), (80, 9.0)]);
    let found = found(&values);
    let places = places(&found);
    assert_eq!(places.len(), 3, "{places:?}");
    for (change, at) in found.changes.iter().zip([60, 100, 125]) {
        assert!(change.low <= at && at <= change.high, "{change:?}");
        assert!(change.low <= change.place && change.place <= change.high);
    }
    assert!(
        found.p
            <= found
                .changes
                .iter()
                .fold(1.0, |least: f64, change| least.min(change.p))
    );
}

#[test]
fn missing_values_widen_the_interval_and_move_nothing() {
    let values = series(&[(50, 1.0), (50, 9.0)]);
    let whole_found = found(&values);
    let mut gaps: Vec<Option<f64>> = Vec::new();
    for (place, value) in values.iter().enumerate() {
        // Ten revisions in front of the change were not measured.
        if place == 50 {
            gaps.extend([None; 10]);
        }
        gaps.push(Some(*value));
    }
    let with_gaps = changes(&gaps, &TERMS).unwrap();
    assert_eq!((with_gaps.values, with_gaps.p), (100, whole_found.p));
    let (change, other) = (with_gaps.changes[0], whole_found.changes[0]);
    assert_eq!((other.place, other.low, other.high), (50, 50, 50));
    assert_eq!((change.place, change.low, change.high), (60, 50, 60));
    assert_eq!((change.before, change.after), (other.before, other.after));
}

#[test]
fn equal_values_and_odd_ones_are_no_change() {
    let equal = found(&[7.0; 200]);
    assert_eq!((equal.changes.len(), equal.p, equal.factor), (0, 1.0, 1.0));
    for odd in [0, 1, 100, 199] {
        let mut values = [7.0; 200];
        values[odd] = 8.0;
        let found = found(&values);
        assert!(
            found.changes.is_empty() && found.p > 0.9,
            "{odd}: {found:?}"
        );
    }
    // But a step of constant values is one, and its place is known.
    let step: Vec<f64> = (0..200).map(|i| if i < 120 { 7.0 } else { 7.5 }).collect();
    let found = found(&step);
    assert_eq!(places(&found), [120]);
    assert_eq!((found.changes[0].low, found.changes[0].high), (120, 120));
}

#[test]
fn autocorrelation_raises_the_threshold() {
    let mut last = 0.0;
    let wave: Vec<f64> = noise(300)
        .map(|step| {
            last = 0.7 * last + step;
            last
        })
        .collect();
    let found = found(&wave);
    assert!(
        found.autocorrelation > 0.5 && found.factor > 1.7,
        "{found:?}"
    );
    assert!(found.changes.is_empty());
    let independent = changes(&whole(&series(&[(300, 0.0)])), &TERMS).unwrap();
    assert_eq!(independent.factor, 1.0);
    // A step is no autocorrelation.
    let step = changes(&whole(&series(&[(150, 0.0), (150, 2.0)])), &TERMS).unwrap();
    assert!(
        step.autocorrelation.abs() < 0.15 && step.changes.len() == 1,
        "{step:?}"
    );
}

#[test]
fn p_values_fall_and_do_not_end() {
    for n in [8, 9, 31, 33, 100, 9999, 10_000, 10_001, 150_000] {
        let mut last = 1.0;
        for step in 0..400 {
            let p = p_value(n, f64::from(step) * 0.05);
            assert!(p <= last && p >= 1e-12, "{n} {step}: {p} {last}");
            last = p;
        }
    }
    assert_eq!(p_value(7, 5.0), 1.0);
    assert!(p_value(150, 6.5) < 1e-6 && p_value(10_000, 7.0) < 1e-6);
    assert!(p_value(20_000, 5.0) > p_value(10_000, 5.0));
}

#[test]
fn what_is_refused() {
    let refused = |series: &[Option<f64>], terms: Terms| changes(series, &terms).unwrap_err();
    let few = [Some(1.0), None, Some(f64::NAN)];
    assert!(matches!(refused(&few, TERMS), Error::NotFinite { .. }));
    for terms in [
        Terms {
            level: 0.0,
            ..TERMS
        },
        Terms {
            confidence: 1.0,
            ..TERMS
        },
        Terms {
            resampling: Resampling { draws: 0, seed: 1 },
            ..TERMS
        },
    ] {
        assert!(matches!(refused(&[], terms), Error::OutOfRange { .. }));
    }
    let long = vec![None; MOST_VALUES + 1];
    assert!(matches!(refused(&long, TERMS), Error::TooMany { .. }));
    assert!(arrivals(&long, 100.0).is_err() && arrivals(&[], 1.0).is_err());
}

#[test]
fn an_alarm_in_time_and_none_before() {
    let values = whole(&series(&[(100, 5.0), (40, 9.0)]));
    assert_eq!(arrivals(&values[..100], 1000.0).unwrap().alarm, None);
    let found = arrivals(&values, 1000.0).unwrap();
    let alarm = found.alarm.unwrap();
    assert!(
        alarm.at < 108 && alarm.since.abs_diff(100) <= 1 && alarm.rises,
        "{alarm:?}"
    );
    assert!(found.wealth >= 1.0);
    // The same, whatever comes afterwards; and mirrored.
    assert_eq!(arrivals(&values[..=alarm.at], 1000.0).unwrap(), found);
    let mirrored: Vec<Option<f64>> = values.iter().map(|v| v.map(|v| -v)).collect();
    let fallen = arrivals(&mirrored, 1000.0).unwrap().alarm.unwrap();
    assert_eq!(
        (fallen.at, fallen.since, fallen.rises),
        (alarm.at, alarm.since, false)
    );
    let equal = vec![Some(3.0); 500];
    assert_eq!(arrivals(&equal, 10.0).unwrap().alarm, None);
}

proptest! {
    #[test]
    fn no_series_panics_and_monotone_units_do_not_matter(
        values in prop::collection::vec(prop_oneof![
            1 => Just(None),
            8 => (-50_i32..50).prop_map(|v| Some(f64::from(v))),
            1 => (-1e70..1e70_f64).prop_map(Some),
        ], 0..130),
        level in 1e-9..0.5_f64,
    ) {
        let terms = Terms { level, ..TERMS };
        let found = changes(&values, &terms).unwrap();
        for change in &found.changes {
            prop_assert!(change.low <= change.place && change.place <= change.high);
            prop_assert!(change.low > 0 && change.high < values.len());
            prop_assert!(values[change.place].is_some());
            prop_assert!(change.p <= level * 1.001 && change.p >= found.p);
        }
        prop_assert!(found.changes.windows(2).all(|pair| pair[0].place < pair[1].place));
        // The unit does not matter.
        let scaled: Vec<Option<f64>> = values.iter().map(|v| v.map(|v| 4.0 * v)).collect();
        let again = changes(&scaled, &terms).unwrap();
        prop_assert_eq!(again.p, found.p);
        let of = |found: &Changes| -> Vec<_> {
            found.changes.iter().map(|change| (change.low, change.place, change.high)).collect()
        };
        prop_assert_eq!(of(&again), of(&found));
        prop_assert!(arrivals(&values, 50.0).is_ok());
    }
}
