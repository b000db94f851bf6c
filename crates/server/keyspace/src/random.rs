//! Random numbers for sampling. They are fast, not secret.

use std::hash::{BuildHasher, RandomState};

/// A xorshift generator.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A generator with a seed of the operating system.
    pub fn new() -> Self {
        Self::seeded(RandomState::new().hash_one(0))
    }

    /// A generator whose numbers follow from the seed.
    pub fn seeded(seed: u64) -> Self {
        // The state 0 would stay 0.
        Self(seed | 1)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // The product mixes high bits, which the shifts leave regular.
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `end`.
    ///
    /// # Panics
    /// If `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        assert!(end > 0, "no number is below 0");
        ((u128::from(self.number()) * end as u128) >> 64) as usize
    }
}

impl Default for Random {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spread_evenly() {
        let mut random = Random::seeded(7);
        let mut counts = [0u32; 10];
        for _ in 0..10_000 {
            counts[random.below(10)] += 1;
        }
        assert!(
            counts.iter().all(|count| (800..1200).contains(count)),
            "{counts:?}"
        );
    }
}
