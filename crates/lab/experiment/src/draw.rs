//! Random draws that stay the same for ever.
//!
//! A recorded seed must give the same plan in every later version, so only the raw ChaCha8 stream
//! (D. J. Bernstein, "ChaCha, a variant of Salsa20", 2008) is taken from a library; how numbers are
//! made of it is written here.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// A source of random draws.
pub(crate) struct Draw(ChaCha8Rng);

impl Draw {
    /// The stream of a seed for one purpose; different purposes give independent streams.
    ///
    /// The key is the seed, little-endian, followed by the purpose, cut or filled up with zeros.
    pub(crate) fn new(seed: u64, purpose: &[u8]) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..]
            .iter_mut()
            .zip(purpose)
            .for_each(|(to, from)| *to = *from);
        Self(ChaCha8Rng::from_seed(key))
    }

    /// 64 random bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A uniform number below `bound`, which must not be 0.
    ///
    /// Draws from the incomplete last multiple of `bound` are rejected: a plain remainder would
    /// favour small numbers.
    fn below(&mut self, bound: u64) -> u64 {
        let largest_fair = u64::MAX - (u64::MAX % bound + 1) % bound;
        loop {
            let bits = self.bits();
            if bits <= largest_fair {
                return bits % bound;
            }
        }
    }

    /// Puts a list into a uniformly random order (Fisher and Yates; Knuth, TAOCP vol. 2, algorithm 3.4.2P).
    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            let chosen = self.below(last as u64 + 1) as usize;
            list.swap(last, chosen);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pearson's statistic against equal frequencies.
    fn chi_square(counts: &[u32]) -> f64 {
        let expected = f64::from(counts.iter().sum::<u32>()) / counts.len() as f64;
        counts
            .iter()
            .map(|&count| (f64::from(count) - expected).powi(2) / expected)
            .sum()
    }

    #[test]
    fn bounded_draws_are_uniform() {
        let mut draw = Draw::new(1, b"test");
        let mut counts = [0; 7];
        (0..70_000).for_each(|_| counts[draw.below(7) as usize] += 1);
        // 99.9 % quantile of chi-square with 6 degrees of freedom.
        assert!(chi_square(&counts) < 22.46, "{counts:?}");
    }

    #[test]
    fn a_bound_just_over_half_the_range_is_not_biased() {
        // A remainder would give the lower half of this range twice as often.
        let bound = (1 << 63) + (1 << 62);
        let mut draw = Draw::new(2, b"test");
        let mut counts = [0; 3];
        (0..30_000).for_each(|_| counts[(draw.below(bound) >> 62) as usize] += 1);
        // 99.9 % quantile of chi-square with 2 degrees of freedom.
        assert!(chi_square(&counts) < 13.82, "{counts:?}");
    }

    #[test]
    fn all_orders_are_equally_frequent() {
        let mut draw = Draw::new(3, b"test");
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..24_000 {
            let mut list = [0, 1, 2, 3];
            draw.shuffle(&mut list);
            *counts.entry(list).or_insert(0) += 1;
        }
        let counts: Vec<u32> = counts.into_values().collect();
        assert_eq!(counts.len(), 24);
        // 99.9 % quantile of chi-square with 23 degrees of freedom.
        assert!(chi_square(&counts) < 49.73, "{counts:?}");
    }

    #[test]
    fn purposes_and_seeds_give_different_streams() {
        let first = |seed, purpose: &[u8]| Draw::new(seed, purpose).bits();
        assert_ne!(first(1, b"a"), first(1, b"b"));
        assert_ne!(first(1, b"a"), first(2, b"a"));
        assert_eq!(first(1, b"a"), first(1, b"a"));
    }
}
