//! Drift over blocks: what moves both sides, what moves one, and what is refused.

use crate::drift::{Drift, drift};
use crate::location::Scale;
use crate::{Error, Observation};

/// Three runs in each block, around a level that the block has.
fn side(blocks: u32, level: impl Fn(f64) -> f64) -> Vec<Observation> {
    let mut runs = Vec::new();
    for block in 1..=blocks {
        for run in 0..3 {
            // The middle one is at the level, whatever the others do.
            let noise = [0.9, 1.0, 1.3][run];
            runs.push(Observation {
                block,
                unit: 3 * block + run as u32,
                value: noise * level(f64::from(block)),
            });
        }
    }
    runs
}

fn ratio(a: &[Observation], b: &[Observation]) -> Drift {
    drift(a, b, Scale::Ratio, 0.95).unwrap()
}

#[track_caller]
fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} {expected}");
}

#[test]
fn what_moves_both_sides_leaves_the_difference() {
    let level = |block: f64| 100.0 * 1.01_f64.powf(block);
    let a = side(10, level);
    let b = side(10, |block| 1.02 * level(block));
    let found = ratio(&a, &b);
    near(found.base.start, level(1.0));
    near(found.base.end, level(10.0));
    near(found.base.change, 1.01_f64.powi(9) - 1.0);
    near(found.candidate.change, found.base.change);
    assert!(found.base.low.unwrap() > 0.0);
    // All 10! orders are equally likely without a trend.
    near(found.base.p, 2.0 / 3_628_800.0);
    assert_eq!(found.base.medians.len(), 10);
    near(found.base.medians[&3], level(3.0));
    near(found.difference.start, 0.02);
    near(found.difference.change, 0.0);
}

#[test]
fn a_difference_that_moves_is_measured_against_the_drift() {
    let machine = |block: f64| 100.0 - 2.0 * block;
    let a = side(8, machine);
    let b = side(8, |block| machine(block) * 1.005_f64.powf(block));
    let found = ratio(&a, &b);
    assert!(found.base.change < -0.1);
    near(found.difference.start, 0.005);
    near(found.difference.end, 1.005_f64.powi(8) - 1.0);
    near(found.difference.change, 1.005_f64.powi(7) - 1.0);
    assert!(found.difference.p < 0.001 && found.difference.low.unwrap() > 0.0);
}

#[test]
fn differences_of_values_that_may_be_negative() {
    let a = side(6, |_| 0.0);
    let b = side(6, |block| block - 3.0);
    assert!(drift(&a, &b, Scale::Ratio, 0.95).is_err());
    let found = drift(&a, &b, Scale::Shift, 0.95).unwrap();
    near(found.difference.start, -2.0);
    near(found.difference.end, 3.0);
    near(found.difference.change, 5.0);
    // A baseline that never varies has no trend, and nothing that bounds one.
    assert_eq!((found.base.p, found.base.change), (1.0, 0.0));
    assert_eq!((found.base.low, found.base.high), (None, None));
}

#[test]
fn the_order_is_that_of_the_blocks() {
    let a = side(6, |_| 10.0);
    let mut b = side(6, |block| 10.0 + block);
    let found = ratio(&a, &b);
    b.reverse();
    assert_eq!(ratio(&a, &b), found);
    assert!(found.difference.change > 0.3);
    for run in &mut b {
        run.block = 7 - run.block;
    }
    assert!(ratio(&a, &b).difference.change < -0.2);
}

#[test]
fn a_unit_with_many_values_counts_once_in_its_block() {
    let a = side(5, |_| 10.0);
    let mut b = side(5, |block| 10.0 + block);
    let expected = ratio(&a, &b);
    for _ in 0..20 {
        b.push(b[0]);
    }
    assert_eq!(ratio(&a, &b), expected);
}

#[test]
fn blocks_that_a_side_lacks_are_left_out_of_the_difference() {
    let a = side(9, |block| 100.0 + block);
    let mut b = side(9, |block| 100.0 + block);
    b.retain(|run| run.block != 4);
    let found = ratio(&a, &b);
    assert_eq!(found.base.medians.len(), 9);
    assert_eq!(found.difference.medians.len(), 8);
    near(found.candidate.change, found.base.change);
    b.retain(|run| run.block > 7);
    let refused = drift(&a, &b, Scale::Ratio, 0.95);
    assert!(matches!(
        refused,
        Err(Error::TooFew {
            needed: 3,
            found: 2,
            ..
        })
    ));
    assert!(drift(&a, &[], Scale::Ratio, 0.95).is_err());
}

#[test]
fn four_blocks_have_a_direction_but_prove_nothing() {
    let found = ratio(&side(4, |block| block), &side(4, |_| 1.0));
    near(found.base.p, 1.0 / 12.0);
    assert_eq!((found.base.low, found.base.high), (None, None));
}

#[test]
fn many_blocks_are_taken_together() {
    let level = |block: f64| 1.000_1_f64.powf(block) * (1.0 + 0.01 * (block * 7.0 % 11.0));
    let found = ratio(&side(4001, level), &side(4001, level));
    assert_eq!(found.base.medians.len(), 445);
    assert!(
        (found.base.change - 0.49).abs() < 0.02,
        "{}",
        found.base.change
    );
    assert_eq!(found.difference.change, 0.0);
}
