//! Small designs with every assignment of labels within blocks: the error rates promised.

use crate::Stratum;
use crate::location::{NullCache, Scale, hodges_lehmann, hodges_lehmann_with};

#[test]
fn two_blocks_by_hand() {
    let blocks = [
        Stratum::new([100.0, 101.0, 99.0], [104.0, 103.0, 105.5]),
        Stratum::new([110.0, 112.0, 111.0], [115.0, 114.0, 116.5]),
    ];
    let found = hodges_lehmann(&blocks, Scale::Ratio, 0.95).unwrap();
    assert!((found.p - 2.0 / 400.0).abs() < 1e-12);
    assert!(found.low > 1.0 && found.effect < 1.05);
}

/// Every way of labelling the pooled runs of each block, `m` of them the candidate's.
fn labellings(blocks: &[(&[f64], usize)]) -> Vec<Vec<Stratum>> {
    let Some(((pooled, m), rest)) = blocks.split_first() else {
        return vec![vec![]];
    };
    let others = labellings(rest);
    let mut all = vec![];
    for mask in 0_u32..1 << pooled.len() {
        if mask.count_ones() as usize != *m {
            continue;
        }
        let pick = |of_b: bool| {
            let runs = pooled.iter().enumerate();
            runs.filter(|&(i, _)| (mask >> i & 1 == 1) == of_b)
                .map(|(_, &v)| v)
                .collect::<Vec<_>>()
        };
        for other in &others {
            let mut blocks = vec![Stratum::new(pick(false), pick(true))];
            blocks.extend_from_slice(other);
            all.push(blocks);
        }
    }
    all
}

/// Under the null hypothesis a p-value of `p` must come up, or a smaller one, with probability
/// `p`, neither more nor less; and an interval must miss no more often than it may.
fn check(blocks: &[(&[f64], usize)], ties: bool) {
    let all = labellings(blocks);
    let mut cache = NullCache::default();
    let results: Vec<_> = all
        .iter()
        .map(|s| hodges_lehmann_with(&mut cache, s, Scale::Ratio, 0.8).expect("usable values"))
        .collect();
    let share = |count: usize| count as f64 / all.len() as f64;
    for result in &results {
        assert!(result.exact);
        let as_small = results.iter().filter(|r| r.p <= result.p + 1e-12).count();
        assert!((share(as_small) - result.p).abs() < 1e-12, "{result:?}");
    }
    let missed = results
        .iter()
        .filter(|r| r.low > 1.0 || r.high < 1.0)
        .count();
    assert!(share(missed) <= 0.2 + 1e-12);
    if !ties {
        let rejected = results.iter().filter(|r| r.p <= 0.2 + 1e-12).count();
        assert_eq!(missed, rejected);
    }
}

#[test]
fn one_block() {
    check(&[(&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0], 3)], false);
}

#[test]
fn blocks_of_different_sizes_and_levels() {
    let first: &[f64] = &[1.0, 1.1, 1.3, 1.7];
    let second: &[f64] = &[100.0, 103.0, 109.0, 111.0, 150.0];
    check(&[(first, 2), (second, 3), (first, 1)], false);
}

#[test]
fn ties_within_blocks() {
    let first: &[f64] = &[1.0, 1.0, 2.0, 2.0, 3.0];
    let second: &[f64] = &[7.0, 8.0, 8.0, 8.0];
    check(&[(first, 2), (second, 1)], true);
    check(&[(first, 3)], true);
}

#[test]
fn equal_values_in_different_blocks_are_no_ties() {
    let block: &[f64] = &[1.0, 2.0, 3.0, 5.0];
    check(&[(block, 2), (block, 2), (block, 2)], false);
}
