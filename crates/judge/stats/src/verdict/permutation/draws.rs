//! Which runs each random permutation of the labels chooses.

use crate::error::Error;
use crate::resampling::{Random, Resampling};

/// Most choices that are kept, 4 MiB: the draws beyond them are made again each time.
pub(super) const MOST_KEPT: usize = 1 << 20;

/// The runs of a block. The smaller side is drawn, the other is what is left.
pub(super) struct Block {
    pub(super) runs: usize,
    pub(super) fewer: usize,
    pub(super) is_a_drawn: bool,
}

/// The draws of one design, in their order.
pub(super) struct Draws {
    /// Where the next draw comes from that is not kept.
    source: Source,
    /// The choices of the first draws, one after the other.
    pub(super) kept: Vec<u32>,
    /// The source and the choices of the last draw that was not kept.
    beyond: Option<(Source, Vec<u32>)>,
    /// Choices in a draw.
    chosen: usize,
}

impl Draws {
    pub(super) fn new(blocks: &[Block], resampling: Resampling) -> Result<Self, Error> {
        Ok(Self {
            source: Source {
                random: resampling.random()?,
                order: blocks
                    .iter()
                    .map(|block| (0..block.runs as u32).collect())
                    .collect(),
            },
            kept: Vec::new(),
            beyond: None,
            chosen: blocks.iter().map(|block| block.fewer).sum(),
        })
    }

    /// The choices of a draw, counted from 0, block by block. Draws must be asked for in their order, and may start
    /// again from the first.
    pub(super) fn at(&mut self, draw: usize, blocks: &[Block]) -> &[u32] {
        if draw == 0 {
            self.beyond = None;
        }
        let start = draw * self.chosen;
        if start + self.chosen > MOST_KEPT {
            let (source, choices) = self
                .beyond
                .get_or_insert_with(|| (self.source.clone(), Vec::new()));
            choices.clear();
            source.draw(blocks, choices);
            return choices;
        }
        if start == self.kept.len() {
            self.source.draw(blocks, &mut self.kept);
        }
        &self.kept[start..]
    }
}

#[derive(Clone)]
struct Source {
    random: Random,
    /// The runs of each block, in the order that the draws so far have left.
    order: Vec<Vec<u32>>,
}

impl Source {
    fn draw(&mut self, blocks: &[Block], into: &mut Vec<u32>) {
        for (block, order) in blocks.iter().zip(&mut self.order) {
            for place in 0..block.fewer {
                let other = place + self.random.below(block.runs - place);
                order.swap(place, other);
            }
            into.extend_from_slice(&order[..block.fewer]);
        }
    }
}
