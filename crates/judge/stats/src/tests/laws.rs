//! Laws that hold for all samples.

use super::support::{brunner_munzel, location_test};
use crate::blocked_mean::{blocked_additive, blocked_welch};
use crate::boschloo::boschloo;
use crate::location::{Scale, Side, hodges_lehmann};
use crate::mean::student;
use crate::modes::{Modes, slow_mode};
use crate::proportion::{Proportion, fisher_exact, newcombe};
use crate::ratio_of_means::RatioInterval;
use crate::{Better, Stratum};
use proptest::prelude::*;

fn close(x: f64, y: f64) -> bool {
    x == y || (x - y).abs() <= 1e-9 * x.abs().max(y.abs())
}

fn swapped(strata: &[Stratum]) -> Vec<Stratum> {
    let blocks = strata.iter();
    blocks
        .map(|s| Stratum::new(s.b.clone(), s.a.clone()))
        .collect()
}

fn map(strata: &[Stratum], f: impl Fn(f64) -> f64, g: impl Fn(f64) -> f64) -> Vec<Stratum> {
    strata
        .iter()
        .map(|s| Stratum {
            a: s.a.iter().map(|&v| f(v)).collect(),
            b: s.b.iter().map(|&v| g(v)).collect(),
        })
        .collect()
}

/// Blocks whose values practically never tie.
fn continuous(least: usize) -> impl Strategy<Value = Vec<Stratum>> {
    let side = move || prop::collection::vec(50.0..150.0_f64, least..6);
    let block = (side(), side()).prop_map(|(a, b)| Stratum { a, b });
    prop::collection::vec(block, 1..5)
}

/// Blocks with many ties.
fn coarse() -> impl Strategy<Value = Vec<Stratum>> {
    let side = || prop::collection::vec((8..14_i32).prop_map(f64::from), 1..6);
    let block = (side(), side()).prop_map(|(a, b)| Stratum { a, b });
    prop::collection::vec(block, 1..5)
}

fn scale() -> impl Strategy<Value = Scale> {
    prop_oneof![Just(Scale::Ratio), Just(Scale::Shift)]
}

proptest! {
    #[test]
    fn p_and_interval_agree(
        strata in continuous(1),
        scale in scale(),
        confidence in 0.5..0.99_f64,
    ) {
        let found = hodges_lehmann(&strata, scale, confidence).unwrap();
        let none = scale.none();
        let excluded = found.low > none || found.high < none;
        prop_assert_eq!(excluded, found.p <= (1.0 - confidence) * (1.0 + 1e-12));
        prop_assert!(found.low <= found.effect && found.effect <= found.high);
    }

    #[test]
    fn an_interval_holds_the_effects_that_are_not_rejected(
        strata in continuous(2),
        scale in scale(),
        confidence in 0.5..0.95_f64,
    ) {
        let found = hodges_lehmann(&strata, scale, confidence).unwrap();
        prop_assume!(found.k.is_some() && found.high - found.low > 1e-6);
        let p = |effect| {
            location_test(&strata, scale, effect, Side::TwoSided).unwrap().p
        };
        let level = 1.0 - confidence;
        for (end, inwards) in [(found.low, 1e-9), (found.high, -1e-9)] {
            prop_assert!(p(end + inwards) > level && p(end - inwards) <= level * (1.0 + 1e-12));
        }
    }

    #[test]
    fn the_sides_of_a_test_add_up(
        strata in prop_oneof![continuous(1), coarse()],
        effect in prop_oneof![Just(1.0), 0.8..1.2_f64],
    ) {
        let p = |side| location_test(&strata, Scale::Ratio, effect, side).unwrap().p;
        let (less, greater, both) = (p(Side::Less), p(Side::Greater), p(Side::TwoSided));
        prop_assert!(less + greater > 1.0 - 1e-9);
        prop_assert!(both <= 2.0 * less.max(greater) + 1e-9);
        prop_assert!(both >= less.min(greater) - 1e-9);
    }

    #[test]
    fn swapping_the_variants_turns_the_effect_round(
        strata in prop_oneof![continuous(1), coarse()],
        scale in scale(),
    ) {
        let there = hodges_lehmann(&strata, scale, 0.9).unwrap();
        let back = hodges_lehmann(&swapped(&strata), scale, 0.9).unwrap();
        let turn = |effect: f64| match scale {
            Scale::Ratio => 1.0 / effect,
            Scale::Shift => -effect,
        };
        prop_assert!(close(there.effect, turn(back.effect)));
        prop_assert!(close(there.low, turn(back.high)) && close(there.high, turn(back.low)));
        prop_assert!(close(there.p, back.p));
        prop_assert_eq!(there.u + back.u, there.pairs as f64);
    }

    #[test]
    fn the_unit_does_not_matter(strata in prop_oneof![continuous(1), coarse()]) {
        let before = hodges_lehmann(&strata, Scale::Ratio, 0.9).unwrap();
        let scaled = map(&strata, |v| 8.0 * v, |v| 8.0 * v);
        prop_assert_eq!(before, hodges_lehmann(&scaled, Scale::Ratio, 0.9).unwrap());
        let doubled = hodges_lehmann(&map(&strata, |v| v, |v| 2.0 * v), Scale::Ratio, 0.9).unwrap();
        prop_assert!(close(doubled.effect, 2.0 * before.effect));
        prop_assert_eq!((doubled.low, doubled.high), (2.0 * before.low, 2.0 * before.high));
    }

    #[test]
    fn a_block_may_move_as_a_whole(strata in coarse(), by in 1..100_i32) {
        let before = hodges_lehmann(&strata, Scale::Shift, 0.9).unwrap();
        let mut moved = strata.clone();
        moved[0] = map(&strata[..1], |v| v + f64::from(by), |v| v + f64::from(by)).remove(0);
        prop_assert_eq!(before, hodges_lehmann(&moved, Scale::Shift, 0.9).unwrap());
    }

    #[test]
    fn one_sided_blocks_are_passed_over(mut strata in continuous(1), extra in 50.0..150.0_f64) {
        let location = hodges_lehmann(&strata, Scale::Ratio, 0.9);
        let mean = blocked_additive(&strata, 0.9);
        strata.insert(0, Stratum::new([extra, 2.0 * extra], []));
        prop_assert_eq!(location, hodges_lehmann(&strata, Scale::Ratio, 0.9));
        prop_assert_eq!(mean, blocked_additive(&strata, 0.9));
    }

    #[test]
    fn one_block_needs_no_blocks(
        a in prop::collection::vec(50.0..150.0_f64, 2..9),
        b in prop::collection::vec(50.0..150.0_f64, 2..9),
    ) {
        let strata = [Stratum::new(a.clone(), b.clone())];
        let blocked = blocked_additive(&strata, 0.95).unwrap().difference;
        let plain = student(&a, &b, 0.95).unwrap();
        prop_assert!(close(blocked.t, plain.t));
        prop_assert!(close(blocked.df, plain.df));
        prop_assert!(close(blocked.high, plain.high));
    }

    #[test]
    fn ratio_and_difference_of_means_agree(strata in continuous(2)) {
        let found = blocked_welch(&strata, 0.95).unwrap();
        let d = found.difference;
        prop_assume!(d.low.abs() > 1e-6 && d.high.abs() > 1e-6);
        if let RatioInterval::Bounded { low, high } = found.ratio.unwrap().interval {
            prop_assert_eq!(d.low > 0.0 || d.high < 0.0, low > 1.0 || high < 1.0);
            prop_assert_eq!(d.low > 0.0 || d.high < 0.0, d.p < 0.05);
        }
    }

    #[test]
    fn pairs_make_a_paired_test(
        runs in prop::collection::vec((50.0..150.0_f64, 50.0..150.0_f64), 3..9),
    ) {
        let strata: Vec<Stratum> = runs.iter().map(|&(a, b)| Stratum::new([a], [b])).collect();
        let found = blocked_additive(&strata, 0.95).unwrap().difference;
        let differences: Vec<f64> = runs.iter().map(|(a, b)| b - a).collect();
        let n = differences.len() as f64;
        let mean = differences.iter().sum::<f64>() / n;
        let variance = differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / (n - 1.0);
        prop_assert!(close(found.standard_error, (variance / n).sqrt()));
        prop_assert_eq!(found.df, n - 1.0);
        prop_assert!(blocked_welch(&strata, 0.95).is_err());
    }

    #[test]
    fn brunner_munzel_depends_on_the_order_alone(
        a in prop::collection::vec(1..20_i32, 2..8),
        b in prop::collection::vec(1..20_i32, 2..8),
    ) {
        let numbers = |v: &[i32]| v.iter().map(|&x| f64::from(x)).collect::<Vec<_>>();
        let (a, b) = (numbers(&a), numbers(&b));
        let bent = |v: &[f64]| v.iter().map(|x| x.powi(3)).collect::<Vec<_>>();
        let found = brunner_munzel(&a, &b);
        prop_assert_eq!(found, brunner_munzel(&bent(&a), &bent(&b)));
        match (found, brunner_munzel(&b, &a)) {
            (Some(p), Some(q)) => prop_assert!(close(p, q)),
            (there, back) => prop_assert_eq!(there, back, "defined one way and not the other"),
        }
    }

    #[test]
    fn shares_can_be_swapped(n in 1..25_usize, m in 1..25_usize, k in 0..25_usize, l in 0..25_usize) {
        let a = Proportion::new(k.min(n), n).unwrap();
        let b = Proportion::new(l.min(m), m).unwrap();
        prop_assert!(close(fisher_exact(a, b), fisher_exact(b, a)));
        let p = boschloo(a, b).p;
        prop_assert!(p > 0.0 && p <= 1.0);
        prop_assert!((p - boschloo(b, a).p).abs() <= 1e-9 * p);
        // Failures instead of successes.
        let (c, d) = (
            Proportion::new(n - a.successes, n).unwrap(),
            Proportion::new(m - b.successes, m).unwrap(),
        );
        prop_assert!((p - boschloo(c, d).p).abs() <= 1e-9 * p);
        let (there, back) = (newcombe(a, b, 0.9).unwrap(), newcombe(b, a, 0.9).unwrap());
        prop_assert!((there.low + back.high).abs() < 1e-12);
        prop_assert!(there.low <= there.difference && there.difference <= there.high);
        prop_assert!(there.low >= -1.0 - 1e-12 && there.high <= 1.0 + 1e-12);
    }

    #[test]
    fn modes_mirror(values in prop::collection::vec(1..400_i32, 1..40)) {
        let x: Vec<f64> = values.iter().map(|&v| f64::from(v)).collect();
        let y: Vec<f64> = x.iter().map(|v| -v).collect();
        let (x, y) = (slow_mode(&x, Better::Higher), slow_mode(&y, Better::Lower));
        let parts = |m: Option<Modes>| m.map(|m| (m.gap, m.slow + m.fast));
        prop_assert_eq!(parts(x.unwrap()), parts(y.unwrap()));
    }
}
