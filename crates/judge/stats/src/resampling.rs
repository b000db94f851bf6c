//! Chance, where a method needs it: drawn from the caller's seed and from nothing else.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use crate::check;
use crate::error::Error;

/// Most draws that a method makes.
const MOST_DRAWS: usize = 10_000_000;

/// Random draws, used where there are too many possibilities to try all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resampling {
    /// How many to draw: from 1 to ten million. The smallest p-value is one over this plus one.
    pub draws: usize,
    /// Seed of the draws; the same seed gives the same result. To be recorded with the result.
    pub seed: u64,
}

impl Resampling {
    /// The source of the draws.
    pub(crate) fn random(self) -> Result<Random, Error> {
        let above_most = (MOST_DRAWS + 1) as f64;
        check::between("number of random draws", self.draws as f64, 0.0, above_most)?;
        Ok(Random(ChaCha8Rng::seed_from_u64(self.seed)))
    }
}

/// A stream of random numbers.
#[derive(Clone)]
pub(crate) struct Random(ChaCha8Rng);

impl Random {
    /// A whole number below `bound`, which must not be zero.
    ///
    /// Multiply-shift; its bias is below 2^-40 for any number of runs one can make.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.0.next_u64()) * bound as u128) >> 64) as usize
    }
}
