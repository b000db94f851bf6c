//! The statistic of the mean for one choice of runs.

use super::draws::Block;
use crate::stratum::Stratum;

/// The drawn side of a block: what the statistic takes from its values, which are those about the mean of the block.
#[derive(Clone, Copy, Default)]
pub(super) struct Drawn {
    sum: f64,
    squares: f64,
}

impl Drawn {
    pub(super) fn of(values: impl Iterator<Item = f64>) -> Self {
        values.fold(Self::default(), |drawn, value| Self {
            sum: drawn.sum + value,
            squares: drawn.squares + value * value,
        })
    }
}

/// A difference and the square of its standard error: what a statistic is the quotient of. Thousands are compared, which
/// takes neither a division nor a root.
#[derive(Clone, Copy)]
pub(super) struct Quotient {
    pub(super) difference: f64,
    pub(super) squared_error: f64,
}

impl Quotient {
    /// Whether anything varies, so that there is a statistic.
    pub(super) fn varies(self) -> bool {
        self.squared_error.is_finite() && self.squared_error > 0.0
    }

    pub(super) fn squared(self) -> f64 {
        self.difference * self.difference / self.squared_error
    }

    /// Whether the square of the statistic is at least this. What does not vary is as extreme as can be.
    pub(super) fn is_at_least(self, squared: f64) -> bool {
        !self.varies() || self.difference * self.difference >= squared * self.squared_error
    }
}

/// What the statistic takes from the numbers of runs alone. It is computed thousands of times, so without a division.
pub(super) struct Weights {
    blocks: Vec<BlockWeights>,
    /// Whether both sides have two runs in some block; else blocks are pairs of means.
    has_replicates: bool,
}

/// What a block's drawn side is multiplied by. The block's values have the mean 0, so the sum of the other side is the
/// drawn one's with the other sign.
struct BlockWeights {
    /// From the drawn sum to the difference of the means, candidate less baseline.
    difference: f64,
    /// The weight of that difference among the blocks.
    weight: f64,
    /// 1 / runs of the drawn side and of the rest.
    per_run: [f64; 2],
    /// From a side's sum of squares about its mean to its part of the squared standard error, likewise.
    error: [f64; 2],
}

impl Weights {
    pub(super) fn of<'a>(usable: impl Iterator<Item = &'a Stratum>, drawn: &[Block]) -> Self {
        let runs: Vec<[f64; 2]> = usable
            .map(|stratum| [stratum.a.len() as f64, stratum.b.len() as f64])
            .collect();
        let weight = |[a, b]: &[f64; 2]| a * b / (a + b);
        let total: f64 = runs.iter().map(weight).sum();
        let errors = [0, 1].map(|side| {
            let freedom: f64 = runs.iter().map(|runs| runs[side] - 1.0).sum();
            let of_block = |runs: &[f64; 2]| (weight(runs) / total).powi(2) / runs[side];
            runs.iter().map(of_block).sum::<f64>() / freedom
        });
        let of_block = |(runs, block): (&[f64; 2], &Block)| {
            let in_order = |[a, b]: [f64; 2]| match block.is_a_drawn {
                true => [a, b],
                false => [b, a],
            };
            let per_run = in_order(runs.map(f64::recip));
            let sign = if block.is_a_drawn { -1.0 } else { 1.0 };
            BlockWeights {
                difference: sign * (per_run[0] + per_run[1]),
                weight: weight(runs) / total,
                per_run,
                error: in_order(errors),
            }
        };
        let has_replicates = |side: usize| runs.iter().any(|runs| runs[side] > 1.0);
        Self {
            has_replicates: has_replicates(0) && has_replicates(1),
            blocks: runs.iter().zip(drawn).map(of_block).collect(),
        }
    }

    /// The statistic that the mean is tested with: Welch's within blocks, or that of pairs where a side has never two
    /// runs in a block. `squares`: the sum of squares of all values of each block.
    pub(super) fn statistic(&self, drawn: &[Drawn], squares: &[f64]) -> Quotient {
        if self.has_replicates {
            self.welch(drawn, squares)
        } else {
            self.of_pairs(drawn)
        }
    }

    /// Welch's statistic within blocks ([`crate::blocked_mean::blocked_welch`]).
    fn welch(&self, drawn: &[Drawn], squares: &[f64]) -> Quotient {
        let (mut difference, mut squared_error) = (0.0, 0.0);
        for ((block, drawn), all) in self.blocks.iter().zip(drawn).zip(squares) {
            difference += block.weight * block.difference * drawn.sum;
            let square = drawn.sum * drawn.sum;
            let of_drawn = (drawn.squares - square * block.per_run[0]).max(0.0);
            let of_rest = (all - drawn.squares - square * block.per_run[1]).max(0.0);
            squared_error += block.error[0] * of_drawn + block.error[1] * of_rest;
        }
        Quotient {
            difference,
            squared_error,
        }
    }

    /// Student's statistic of the differences of the blocks' means; a single block has none.
    fn of_pairs(&self, drawn: &[Drawn]) -> Quotient {
        let pairs = || self.blocks.iter().zip(drawn);
        let differences = || pairs().map(|(block, drawn)| block.difference * drawn.sum);
        let count = drawn.len() as f64;
        let mean = differences().sum::<f64>() / count;
        let squares: f64 = differences()
            .map(|difference| (difference - mean).powi(2))
            .sum();
        Quotient {
            difference: mean,
            squared_error: squares / (count - 1.0) / count,
        }
    }
}
