//! Large samples: what is computed by short cuts equals what is computed by the definition.

use super::support::location_test;
use crate::Stratum;
use crate::location::{Location, NullCache, Scale, Side, hodges_lehmann, hodges_lehmann_with};

/// A sequence without pattern, uniform between 0 and 1.
fn values(seed: u64, n: usize) -> Vec<f64> {
    let mut state = seed;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..n).map(|_| next()).collect()
}

/// Effect and interval by sorting all pairs, given `k`.
fn by_definition(strata: &[Stratum], k: usize) -> (f64, f64, f64) {
    let mut ratios: Vec<f64> = strata
        .iter()
        .flat_map(|s| s.b.iter().flat_map(|b| s.a.iter().map(move |a| b / a)))
        .collect();
    ratios.sort_by(f64::total_cmp);
    let m = ratios.len();
    let middle = (ratios[(m - 1) / 2] * ratios[m / 2]).sqrt();
    (middle, ratios[k], ratios[m - 1 - k])
}

fn check(strata: &[Stratum]) -> Location {
    let found = hodges_lehmann(strata, Scale::Ratio, 0.95).expect("usable values");
    let (effect, low, high) = by_definition(strata, found.k.expect("a large design"));
    assert!((found.effect / effect - 1.0).abs() < 1e-15);
    assert_eq!((found.low, found.high), (low, high));
    found
}

fn block(seed: u64, n: usize, m: usize) -> Stratum {
    let shifted = |v: f64| 10.0 + v;
    let a: Vec<f64> = values(seed, n).into_iter().map(shifted).collect();
    let b: Vec<f64> = values(seed + 1, m).into_iter().map(shifted).collect();
    Stratum::new(a, b)
}

#[test]
fn one_large_block() {
    let found = check(&[block(1, 400, 350)]);
    assert!(!found.exact);
    // U has mean nm/2 and variance nm(n+m+1)/12.
    let (mean, sd) = (70_000.0, (140_000.0 * 751.0 / 12.0_f64).sqrt());
    let expected = mean - 1.959_963_984_540_054 * sd - 0.5;
    assert_eq!(found.k, Some(expected as usize));
}

#[test]
fn many_middling_blocks() {
    let strata: Vec<Stratum> = (0..40)
        .map(|i| block(10 * i, 30 + i as usize, 40))
        .collect();
    assert!(!check(&strata).exact);
    assert!(check(&strata[..8]).exact);
}

#[test]
fn a_hundred_thousand_runs() {
    let n = 50_000;
    let a: Vec<f64> = (0..n).map(f64::from).collect();
    let b: Vec<f64> = a.iter().map(|v| v + 7.0).collect();
    let found = hodges_lehmann(&[Stratum::new(a, b)], Scale::Shift, 0.99).unwrap();
    assert_eq!((found.effect, found.pairs), (7.0, 2_500_000_000));
    assert!(found.low < 7.0 && found.high == 14.0 - found.low);
    // The pairs with difference d + 7 are n - |d|; U is half of n^2, and 7 n less some.
    let larger: i64 = (-6..i64::from(n)).map(|d| i64::from(n) - d.abs()).sum();
    assert_eq!(found.u, larger as f64 + 0.5 * f64::from(n - 7));
}

#[test]
fn a_kept_cache_changes_nothing() {
    let mut cache = NullCache::default();
    for i in 0..60 {
        let sizes = [(i % 5 + 1, i % 3 + 1), (i % 4 + 2, i % 7 + 1)];
        let blocks = sizes.iter().zip([i, i + 100]);
        let strata: Vec<Stratum> = blocks
            .map(|(&(n, m), seed)| block(seed, n as usize, m as usize))
            .collect();
        let kept = hodges_lehmann_with(&mut cache, &strata, Scale::Ratio, 0.9);
        assert_eq!(kept, hodges_lehmann(&strata, Scale::Ratio, 0.9));
    }
}

#[test]
fn exact_and_approximate_tests_with_ties_meet() {
    // 70+70 runs with ties are too many for the exact test, 50+50 are not.
    for (n, exact) in [(50, true), (70, false)] {
        let coarse = |seed: u64| -> Vec<f64> {
            let runs = values(seed, n).into_iter();
            runs.map(|v| (20.0 * v).floor() + 1.0).collect()
        };
        let tied = [Stratum::new(coarse(3), coarse(4))];
        let found = location_test(&tied, Scale::Ratio, 1.0, Side::Greater).unwrap();
        assert_eq!(found.exact, exact);

        // Tie correction and continuity correction, from the definition.
        let pooled: Vec<f64> = [tied[0].a.clone(), tied[0].b.clone()].concat();
        let total = pooled.len() as f64;
        let ties: f64 = (1..=20)
            .map(|v| pooled.iter().filter(|&&x| x == f64::from(v)).count() as f64)
            .map(|g| g * g * g - g)
            .sum();
        let pairs = (n * n) as f64;
        let sd = (pairs / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)))).sqrt();
        let z = (found.u - 0.5 * pairs - 0.5) / sd;
        let p = 1.0 - normal_cdf(z);
        let tolerance = if exact { 2e-3 } else { 1e-7 };
        assert!((found.p - p).abs() < tolerance, "{} {p}", found.p);
    }
}

/// By the midpoint rule, good to nine digits.
fn normal_cdf(z: f64) -> f64 {
    let steps = 200_000;
    let width = (z + 9.0) / f64::from(steps);
    let density = |x: f64| (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
    (0..steps)
        .map(|i| density((f64::from(i) + 0.5) * width - 9.0) * width)
        .sum()
}
