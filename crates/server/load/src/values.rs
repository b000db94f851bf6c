//! Values that do not compress.

use std::ops::RangeInclusive;

use crate::random::Random;

/// Places at which a value can begin. Values overlap, but each by itself is random, and so is where it begins.
const PLACES: usize = 1 << 18;

/// Random bytes of which each value is a piece.
#[derive(Debug)]
pub struct Values {
    pool: Vec<u8>,
    bytes: RangeInclusive<usize>,
}

impl Values {
    /// Of so many bytes.
    pub fn new(bytes: RangeInclusive<usize>, seed: u64) -> Self {
        let mut random = Random::new(seed, u64::MAX);
        let words = (PLACES + bytes.end()).div_ceil(size_of::<u64>());
        let pool = (0..words).flat_map(|_| random.word().to_le_bytes());
        Self {
            pool: pool.collect(),
            bytes,
        }
    }

    /// The length of a value.
    pub fn length(&self, random: &mut Random) -> usize {
        let (least, most) = (*self.bytes.start(), *self.bytes.end());
        if least == most {
            least
        } else {
            least + random.below((most - least) as u64 + 1) as usize
        }
    }

    /// The bytes of a value of a length that was drawn.
    pub fn value(&self, length: usize, random: &mut Random) -> &[u8] {
        let begin = random.below(PLACES as u64) as usize;
        &self.pool[begin..begin + length]
    }
}

#[cfg(test)]
mod tests {
    use super::Values;
    use crate::random::Random;

    #[test]
    fn lengths_fill_their_range() {
        let mut random = Random::new(1, 1);
        let values = Values::new(3..=6, 0);
        let mut seen = [false; 10];
        for _ in 0..1000 {
            let length = values.length(&mut random);
            seen[length] = true;
            assert_eq!(values.value(length, &mut random).len(), length);
        }
        let expected: Vec<bool> = (0..10).map(|length| (3..=6).contains(&length)).collect();
        assert_eq!(seen.as_slice(), expected);
        assert_eq!(Values::new(0..=0, 0).length(&mut random), 0);
    }

    #[test]
    fn bytes_are_spread_evenly() {
        let values = Values::new(100_000..=100_000, 3);
        let value = values.value(100_000, &mut Random::new(2, 2)).to_vec();
        let mut counts = [0_u32; 256];
        value
            .iter()
            .for_each(|byte| counts[usize::from(*byte)] += 1);
        // Five standard deviations of 391.
        assert!(
            counts.iter().all(|count| count.abs_diff(391) < 100),
            "{counts:?}"
        );
    }
}
