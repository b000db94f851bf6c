//! Halves that take turns: against all orders counted (`vectors/allan.py`), and what the Allan deviation predicts.

use super::allan::{cases, flicker, series, walk, white};
use super::support::numbers;
use crate::allan::Series;
use crate::resampling::Resampling;

const MANY: Resampling = Resampling {
    draws: 200,
    seed: 5,
};

#[test]
fn agrees_with_all_orders() {
    let mut compared = 0;
    for case in cases() {
        let found = Series::new(&numbers(&case["values"])).unwrap();
        for turns in case["turns"].as_array().unwrap() {
            let [together, rounds, expected] = numbers(turns)[..] else {
                panic!("{turns}");
            };
            let found = found.in_turns(together as usize, rounds as usize, MANY);
            let ratio = found.unwrap().unwrap() / expected;
            // With one round both orders differ by as much: nothing is left to chance.
            let tolerance = if rounds == 1.0 { 1e-9 } else { 0.04 };
            assert!((ratio - 1.0).abs() < tolerance, "{turns}: {ratio}");
            compared += 1;
        }
    }
    assert_eq!(compared, 24);
}

/// In turns of `s` of halves of `s k`: the Allan deviation at `s`, times the root of `2 / k`.
#[test]
fn the_allan_deviation_explains_it() {
    const HALF: usize = 256;
    for (name, noise, factor) in [
        ("white", white(1 << 16, 1), 1.0),
        ("flicker", flicker(1 << 14, 2), 2.0),
        ("walk", walk(1 << 16, 3), 4.0),
    ] {
        let series = series(&noise, 1e-7);
        let found = |together: usize| {
            let rounds = HALF / together;
            let found = series.in_turns(together, rounds, MANY).unwrap().unwrap();
            let explained = series.deviation(together).unwrap() * (2.0 / rounds as f64).sqrt();
            assert!(
                (found / explained - 1.0).abs() < 0.1,
                "{name} {together}: {found}, not {explained}"
            );
            found
        };
        // Turns four times as long differ by this factor, within the chance that 32 windows leave.
        let ratio = found(64) / found(16);
        assert!((ratio / factor - 1.0).abs() < 0.15, "{name}: {ratio}");
    }
}

#[test]
fn what_cannot_be_told_is_absent() {
    let series = Series::new(&vec![1.0; 80]).unwrap();
    assert_eq!(series.in_turns(2, 5, MANY), Ok(Some(0.0)));
    // Four windows of two halves need a value more.
    assert_eq!(series.in_turns(11, 1, MANY), Ok(None));
    assert_eq!(series.in_turns(0, 5, MANY), Ok(None));
    assert_eq!(series.in_turns(5, 0, MANY), Ok(None));
    assert!(
        series
            .in_turns(2, 5, Resampling { draws: 0, seed: 1 })
            .is_err()
    );
    // A clock that stands still for a whole half has no ratio.
    let steps: Vec<f64> = (0..80)
        .map(|at| f64::from(u8::from(at % 40 == 0)))
        .collect();
    assert_eq!(Series::new(&steps).unwrap().in_turns(2, 5, MANY), Ok(None));
}
