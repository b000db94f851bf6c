//! How many runs, and in which order.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// Fewest runs where nothing else is asked, as in hyperfine.
const DEFAULT_MIN_RUNS: u32 = 10;

/// Limits on the number of runs per command.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Count {
    /// Time that the runs of one command shall take together, in seconds.
    pub seconds: f64,
    /// Exactly so many.
    pub exactly: Option<u32>,
    /// At least so many.
    pub least: Option<u32>,
    /// At most so many.
    pub most: Option<u32>,
}

impl Count {
    /// Runs per command, once the time of one run of each is known from the first block.
    ///
    /// Whole blocks where the limits leave room. The number depends on the sum over all commands
    /// alone, so it cannot favour one of them.
    pub fn decide(self, seconds_per_round: f64, commands: usize, block: u32) -> u32 {
        if let Some(exactly) = self.exactly {
            return exactly;
        }
        let budget = self.seconds * commands as f64;
        let affordable = if seconds_per_round > 0.0 {
            budget / seconds_per_round
        } else {
            f64::MAX
        };
        let least = self.least.unwrap_or(DEFAULT_MIN_RUNS);
        let most = self.most.unwrap_or(u32::MAX - block);
        let wanted = (affordable.min(100_000_000.0) as u32).clamp(least.min(most), most);
        wanted.div_ceil(block).saturating_mul(block).min(most)
    }
}

/// Draws the order of execution, block by block.
#[derive(Debug)]
pub struct Shuffler {
    random: ChaCha8Rng,
}

impl Shuffler {
    /// From a seed, which gives the same orders again.
    pub fn new(seed: u64) -> Self {
        Self {
            random: ChaCha8Rng::seed_from_u64(seed),
        }
    }

    /// One block: each command so many times, in random order.
    pub fn block(&mut self, commands: usize, each: u32) -> Vec<usize> {
        let mut order: Vec<usize> = (0..commands)
            .flat_map(|command| std::iter::repeat_n(command, each as usize))
            .collect();
        self.shuffle(&mut order);
        order
    }

    /// Puts places in random order.
    pub fn shuffle(&mut self, order: &mut [usize]) {
        for last in (1..order.len()).rev() {
            let other = self.random.random_range(0..=last);
            order.swap(last, other);
        }
    }

    /// One for the turns of a block. How many orders it gives depends on how long runs take, and this one must not.
    pub fn of_turns(&mut self) -> Self {
        Self::new(self.random.random())
    }

    /// A padding for the environment of one run, in bytes.
    pub fn padding(&mut self) -> u32 {
        self.random
            .random_range(0..perflab_runner::MAX_PADDING_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: Count = Count {
        seconds: 3.0,
        exactly: None,
        least: None,
        most: None,
    };

    #[test]
    fn runs_fill_three_seconds_in_whole_blocks() {
        assert_eq!(FREE.decide(0.2, 2, 3), 30);
        assert_eq!(FREE.decide(60.0, 2, 3), 12);
        let longer = Count {
            seconds: 9.0,
            ..FREE
        };
        assert_eq!(longer.decide(0.2, 2, 3), 90);
        assert_eq!(FREE.decide(0.0, 1, 3) % 3, 0);
        assert_eq!(
            Count {
                most: Some(10),
                ..FREE
            }
            .decide(0.2, 2, 3),
            10
        );
        assert_eq!(
            Count {
                least: Some(40),
                ..FREE
            }
            .decide(60.0, 2, 3),
            42
        );
        assert_eq!(
            Count {
                exactly: Some(7),
                ..FREE
            }
            .decide(60.0, 2, 3),
            7
        );
        assert_eq!(
            Count {
                most: Some(2),
                ..FREE
            }
            .decide(60.0, 2, 3),
            2
        );
    }

    #[test]
    fn a_block_has_each_command_equally_often() {
        let mut shuffler = Shuffler::new(1);
        for _ in 0..50 {
            let block = shuffler.block(3, 4);
            for command in 0..3 {
                assert_eq!(block.iter().filter(|&&c| c == command).count(), 4);
            }
        }
        assert_ne!(shuffler.block(2, 20), shuffler.block(2, 20));
    }
}
