//! The Brunner-Munzel test by rearranging the labels.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use super::arrangement::Groups;
use super::size;
use crate::{Error, check};

/// Up to this many arrangements of the labels are all tried; beyond it, random ones are drawn.
/// 10+10 runs have 184 756.
pub const EXACT_ARRANGEMENTS: usize = 200_000;

/// Random arrangements, used where there are too many to try all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resampling {
    /// How many arrangements to draw; at least 1. The smallest p-value is one over this plus one.
    pub draws: usize,
    /// Seed of the draws; the same seed gives the same p-value. To be recorded with the result.
    pub seed: u64,
}

/// Result of [`brunner_munzel_permutation`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PermutationTest {
    /// Two-sided p-value.
    pub p: f64,
    /// Arrangements at least as extreme as the one observed, itself included.
    pub extreme: usize,
    /// Arrangements tried, the one observed included. `p` is `extreme / tried`.
    pub tried: usize,
    /// Whether all arrangements were tried.
    pub exact: bool,
}

/// Brunner-Munzel test by rearrangement of the labels; at least two runs per side.
///
/// Valid for few runs. All arrangements are tried if there are at most [`EXACT_ARRANGEMENTS`];
/// otherwise `resampling` says how many to draw, and p is `(1 + extreme) / (1 + draws)`.
/// Samples that do not overlap are the most extreme arrangements there are.
pub fn brunner_munzel_permutation(
    a: &[f64],
    b: &[f64],
    resampling: Resampling,
) -> Result<PermutationTest, Error> {
    check::sample("baseline", a, 2)?;
    check::sample("candidate", b, 2)?;
    if resampling.draws == 0 {
        return Err(Error::TooFew {
            what: "random arrangements".to_owned(),
            needed: 1,
            found: 0,
        });
    }
    let (groups, mut labels) = Groups::of(a, b);
    // Equal sizes may come out of different sums, so allow for their rounding.
    let observed = size(&groups.placements(&labels)) * (1.0 - 1e-12);
    let is_extreme = |labels: &[bool]| size(&groups.placements(labels)) >= observed;

    let (extreme, tried, exact) = if few_arrangements(a.len(), b.len()) {
        labels.sort_unstable();
        let (mut extreme, mut tried) = (0, 0);
        loop {
            tried += 1;
            extreme += usize::from(is_extreme(&labels));
            if !next_arrangement(&mut labels) {
                break (extreme, tried, true);
            }
        }
    } else {
        let mut random = ChaCha8Rng::seed_from_u64(resampling.seed);
        let mut extreme = 1;
        for _ in 0..resampling.draws {
            shuffle(&mut labels, &mut random);
            extreme += usize::from(is_extreme(&labels));
        }
        (extreme, resampling.draws + 1, false)
    };
    Ok(PermutationTest {
        p: extreme as f64 / tried as f64,
        extreme,
        tried,
        exact,
    })
}

/// Whether the labels of `n` and `m` runs can all be tried.
fn few_arrangements(n: usize, m: usize) -> bool {
    let mut arrangements = 1;
    for i in 1..=n.min(m) {
        // Each product is a binomial coefficient times i, so the division is exact.
        arrangements = arrangements * (n.max(m) + i) / i;
        if arrangements > EXACT_ARRANGEMENTS {
            return false;
        }
    }
    true
}

/// The next arrangement in lexicographic order; false after the last one.
fn next_arrangement(labels: &mut [bool]) -> bool {
    // The last true behind a false moves before it; behind the two, where all trues precede all
    // falses, the order starts anew.
    let Some(rise) = labels.windows(2).rposition(|w| !w[0] && w[1]) else {
        return false;
    };
    labels.swap(rise, rise + 1);
    labels[rise + 2..].reverse();
    true
}

/// Fisher and Yates' shuffle.
fn shuffle(labels: &mut [bool], random: &mut ChaCha8Rng) {
    for i in (1..labels.len()).rev() {
        // Multiply-shift; its bias is below 2^-40 for any number of runs one can make.
        let j = (u128::from(random.next_u64()) * (i as u128 + 1)) >> 64;
        labels.swap(i, j as usize);
    }
}
