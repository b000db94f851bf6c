//! Blocks as they are written: they lead to labels, of which some are not placed yet.

use crate::ir::{Block, BlockId, Compute, Computed, End, Temporary, Value};

/// A place in the code, which is known once it is placed.
pub type Label = usize;

/// Blocks, and the one that is being written. It is the first at the beginning.
#[derive(Debug, Default)]
pub struct Blocks {
    /// Until the end, the numbers of blocks in them are labels.
    finished: Vec<Block>,
    /// The block of each label.
    labels: Vec<BlockId>,
    temporaries: Temporary,
    parameter: Option<Temporary>,
    computed: Vec<Computed>,
}

impl Blocks {
    /// A label that is not placed yet.
    pub fn label(&mut self) -> Label {
        self.labels.push(BlockId::MAX);
        self.labels.len() - 1
    }

    /// Some of them.
    pub fn labels<const N: usize>(&mut self) -> [Label; N] {
        std::array::from_fn(|_| self.label())
    }

    /// Begins the block of a label, behind one that has ended.
    pub fn place(&mut self, label: Label) {
        self.labels[label] = self.finished.len();
    }

    /// Begins the block of a label whose jumps give it a value. Returns that.
    pub fn join(&mut self, label: Label) -> Value {
        self.place(label);
        let temporary = self.temporary();
        self.parameter = Some(temporary);
        Value::Temporary(temporary)
    }

    /// Computes a value.
    pub fn compute(&mut self, how: Compute) -> Value {
        let temporary = self.temporary();
        self.computed.push(Computed { temporary, how });
        Value::Temporary(temporary)
    }

    /// Ends the block.
    pub fn end(&mut self, end: End) {
        self.finished.push(Block {
            parameter: self.parameter.take(),
            computed: std::mem::take(&mut self.computed),
            end,
        });
    }

    /// All blocks that the first one leads to, and the last one, with numbers instead of labels.
    pub fn finish(self) -> Vec<Block> {
        let mut is_reached = vec![false; self.finished.len()];
        if let Some(first) = is_reached.first_mut() {
            *first = true;
        }
        if let Some(last) = is_reached.last_mut() {
            *last = true;
        }
        for (number, block) in self.finished.iter().enumerate() {
            if is_reached[number] {
                for label in block.end.targets() {
                    is_reached[self.labels[label]] = true;
                }
            }
        }
        let mut next = 0;
        let numbers = is_reached.iter().map(|is_reached| {
            next += usize::from(*is_reached);
            next - usize::from(*is_reached)
        });
        let numbers: Vec<BlockId> = numbers.collect();
        let all = self.finished.into_iter().zip(is_reached);
        let reached = all.filter_map(|(block, is_reached)| is_reached.then_some(block));
        reached
            .map(|block| Block {
                end: block.end.renamed(|label| numbers[self.labels[label]]),
                ..block
            })
            .collect()
    }

    fn temporary(&mut self) -> Temporary {
        self.temporaries += 1;
        self.temporaries - 1
    }
}
