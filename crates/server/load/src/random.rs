//! Numbers that look random, from a seed.
//!
//! The generator is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014): one
//! word of state, a few operations for each number, so that the client spends its time on requests.

/// A sequence of numbers that a seed fixes.
#[derive(Debug, Clone)]
pub struct Random(u64);

/// What the state grows by: the golden ratio as an odd number of 64 bits.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Random {
    /// One of many sequences of a seed.
    pub fn new(seed: u64, sequence: u64) -> Self {
        let first = Self(seed).word();
        Self(first ^ Self(!sequence).word())
    }

    /// Any word, each as likely.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// A number below a limit of at least 1. How likely numbers are differs by less than `limit` parts of 2^64.
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.word()) * u128::from(limit)) >> 64) as u64
    }

    /// A number above 0 and below 1.
    pub fn unit(&mut self) -> f64 {
        // 52 bits and a half: with one bit more the largest number would be rounded to 1.
        ((self.word() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }

    /// Puts elements into a random order.
    pub fn shuffle<T>(&mut self, elements: &mut [T]) {
        for last in (1..elements.len()).rev() {
            let other = self.below(last as u64 + 1) as usize;
            elements.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn numbers_stay_within_their_limits() {
        let mut random = Random::new(1, 0);
        let mut seen = [0_u32; 7];
        for _ in 0..70_000 {
            seen[random.below(7) as usize] += 1;
            let unit = random.unit();
            assert!(0.0 < unit && unit < 1.0, "{unit}");
        }
        // Five standard deviations of 10 000.
        for count in seen {
            assert!(count.abs_diff(10_000) < 470, "{seen:?}");
        }
    }

    #[test]
    fn the_ends_of_the_unit_interval_are_never_reached() {
        let least = 0.5 / (1_u64 << 52) as f64;
        let most = ((u64::MAX >> 12) as f64 + 0.5) / (1_u64 << 52) as f64;
        assert!(least > 0.0 && most < 1.0);
    }

    #[test]
    fn a_seed_fixes_each_of_its_sequences() {
        let words = |seed, sequence| {
            let mut random = Random::new(seed, sequence);
            [random.word(), random.word(), random.word()]
        };
        assert_eq!(words(7, 3), words(7, 3));
        assert_ne!(words(7, 3), words(7, 4));
        assert_ne!(words(7, 3), words(8, 3));
        assert_ne!(words(3, 7), words(7, 3));
    }

    #[test]
    fn each_order_is_as_likely() {
        let mut random = Random::new(5, 0);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..60_000 {
            let mut order = [0, 1, 2];
            random.shuffle(&mut order);
            *counts.entry(order).or_insert(0_u32) += 1;
        }
        assert_eq!(counts.len(), 6);
        for count in counts.values() {
            assert!(count.abs_diff(10_000) < 460, "{counts:?}");
        }
    }
}
