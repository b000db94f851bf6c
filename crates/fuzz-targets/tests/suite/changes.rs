//! Small damage to an input: what is found without a fuzzer is mostly found by this.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// An input that was changed.
pub struct Changed {
    /// Says what was changed, for the message of a failure.
    pub how: String,
    pub input: Vec<u8>,
}

/// The input cut short and with one other byte, in turn, at random places. They depend only on its length, so a new seed
/// does not move those of the others.
pub fn changes(input: &[u8], count: usize) -> Vec<Changed> {
    if input.is_empty() {
        return Vec::new();
    }
    let mut rng = ChaCha8Rng::seed_from_u64(input.len() as u64);
    (0..count)
        .map(|number| {
            let place = rng.random_range(0..input.len());
            let mut input = input.to_vec();
            let how = if number % 2 == 0 {
                input.truncate(place);
                format!("cut to {place} bytes")
            } else {
                let flip = rng.random_range(1..=u8::MAX);
                input[place] ^= flip;
                format!("byte {place} changed to {:#04x}", input[place])
            };
            Changed { how, input }
        })
        .collect()
}
