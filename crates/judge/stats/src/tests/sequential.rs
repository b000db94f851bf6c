//! Looking while measuring: against published numbers, SciPy, and what may happen by chance.

use super::support::{blocks, close, number, numbers, redis_like_in_blocks, vectors};
use crate::Stratum;
use crate::location::{Scale, Side};
use crate::sequential::{Evidence, RankEProcess};
use proptest::prelude::*;

fn observed(process: &mut RankEProcess, block: &Stratum) -> Evidence {
    process.observe(block).unwrap();
    process.evidence()
}

#[test]
fn the_redis_like_case_is_decided_after_seven_blocks() {
    let mut process = RankEProcess::new(Scale::Ratio);
    assert_eq!(
        (process.evidence().e_value, process.evidence().p),
        (1.0, 1.0)
    );
    let path: Vec<_> = redis_like_in_blocks()
        .iter()
        .map(|block| observed(&mut process, block))
        .collect();
    for (found, expected) in path.iter().zip(numbers(&vectors("rank_process")[0]["e"])) {
        close(found.e_value, expected, 1e-9);
    }
    let decided = path.iter().position(|found| found.p <= 0.05);
    assert_eq!(decided, Some(6));
    // The p-value keeps the best moment.
    assert_eq!(path[1].p, path[0].p);
}

#[test]
fn ranks_against_an_enumeration() {
    for (v, confidence) in vectors("rank_process")
        .iter()
        .zip([0.95, 0.95, 0.95, 0.8, 0.9, 0.95])
    {
        let mut process = RankEProcess::new(Scale::Ratio);
        for (block, e_value) in blocks(v).iter().zip(numbers(&v["e"])) {
            close(observed(&mut process, block).e_value, e_value, 1e-9);
        }
        close(process.evidence().p, number(&v["p"]), 1e-9);
        close(
            process.p(1.01, Side::Greater),
            number(&v["up_at_1.01"]),
            1e-9,
        );
        let (low, high) = process.interval(confidence).unwrap();
        close(low, number(&v["low"]), 1e-12);
        close(high, v["high"].as_f64().unwrap_or(f64::INFINITY), 1e-12);
    }
}

#[test]
fn the_interval_and_the_test_agree() {
    let mut process = RankEProcess::new(Scale::Ratio);
    assert_eq!(process.interval(0.95), Ok((0.0, f64::INFINITY)));
    assert!(process.interval(1.0).is_err());
    let mut widths = Vec::new();
    for block in redis_like_in_blocks() {
        process.observe(&block).unwrap();
        let (low, high) = process.interval(0.95).unwrap();
        assert_eq!(low > 1.0 || high < 1.0, process.evidence().p <= 0.05);
        assert_eq!(process.evidence().p, process.p(1.0, Side::TwoSided));
        widths.push(high / low);
    }
    // What has been refuted stays refuted.
    assert!(widths.is_sorted_by(|before, after| before >= after));
    // The same differences on the other scale.
    let mut shifts = RankEProcess::new(Scale::Shift);
    for block in redis_like_in_blocks() {
        let ln = |side: &[f64]| -> Vec<f64> { side.iter().map(|v| v.ln()).collect() };
        shifts
            .observe(&Stratum::new(ln(&block.a), ln(&block.b)))
            .unwrap();
    }
    let (ratios, shifts) = (
        process.interval(0.9).unwrap(),
        shifts.interval(0.9).unwrap(),
    );
    close(shifts.0.exp(), ratios.0, 1e-12);
    close(shifts.1.exp(), ratios.1, 1e-12);
}

#[test]
fn blocks_that_say_nothing_and_blocks_that_cannot_be_used() {
    let mut process = RankEProcess::new(Scale::Ratio);
    let before = observed(&mut process, &redis_like_in_blocks()[0]);
    assert_eq!(observed(&mut process, &Stratum::new([1.0], [])), before);
    assert!(process.observe(&Stratum::new([1.0], [f64::NAN])).is_err());
    assert_eq!(process.evidence(), before);
    let equal = observed(&mut process, &Stratum::new([5.0; 3], [5.0; 3]));
    assert!(equal.e_value < before.e_value && equal.p == before.p);
}

proptest! {
    #[test]
    fn ranks_do_not_mind_units_or_names(
        blocks in prop::collection::vec(
            (prop::collection::vec(1..30_i32, 0..5), prop::collection::vec(1..30_i32, 0..5)), 1..6),
    ) {
        let side = |values: &[i32], power: i32| -> Vec<f64> {
            values.iter().map(|&v| f64::from(v).powi(power)).collect()
        };
        let mut processes = [(); 3].map(|()| RankEProcess::new(Scale::Ratio));
        for (a, b) in &blocks {
            let plain = observed(&mut processes[0], &Stratum::new(side(a, 1), side(b, 1)));
            let bent = observed(&mut processes[1], &Stratum::new(side(a, 3), side(b, 3)));
            let swapped = observed(&mut processes[2], &Stratum::new(side(b, 1), side(a, 1)));
            prop_assert_eq!(plain, bent);
            prop_assert!((plain.e_value / swapped.e_value - 1.0).abs() < 1e-9);
            prop_assert!(plain.p <= 1.0 && plain.p * plain.e_value <= 2.0 + 1e-9);
        }
    }
}
