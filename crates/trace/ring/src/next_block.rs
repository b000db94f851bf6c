//! Step 2 of writing a record: where its block is full.

use super::atomic::{AtomicU64, Ordering, fence};
use super::layout::{BLOCK_HEAD, LONGEST_RECORD, Mode, Position, word};
use super::test_points::{TestPoint, TestPoints};

/// The memory of a ring, as its writer sees it.
#[derive(Debug)]
pub struct Ring<'a> {
    pub head: &'a [AtomicU64],
    pub blocks: &'a [AtomicU64],
    /// Words of a block.
    pub words: usize,
    /// Number of blocks minus one; the number is a power of two.
    pub mask: u64,
}

/// Makes zero memory a ring with no event.
pub fn begin(head: &[AtomicU64], blocks: &[AtomicU64]) {
    write_block_head(blocks, 0, (0, 0), &());
    head[word::POSITION].store(Position::of_block(0).to_word(), Ordering::Release);
}

impl<'a> Ring<'a> {
    /// The position.
    pub fn position(&self) -> Position {
        Position::from_word(self.head[word::POSITION].load(Ordering::Relaxed))
    }

    /// The words of a block.
    pub fn block(&self, block: u64) -> &'a [AtomicU64] {
        let start = (block & self.mask) as usize * self.words;
        &self.blocks[start..start + self.words]
    }

    /// Whether a block is free, for a record of so many words. If not, or if the record is too long, its event is
    /// counted as dropped.
    pub fn is_free(&self, block: u64, words: usize) -> bool {
        let mode = Mode::from_word(self.head[word::MODE].load(Ordering::Relaxed));
        let needed = self.head[word::NEEDED].load(Ordering::Acquire);
        let is_full = mode == Mode::Keep && block.wrapping_sub(needed) > self.mask;
        if is_full || words > LONGEST_RECORD || BLOCK_HEAD + words > self.words {
            let dropped = self.head[word::DROPPED].load(Ordering::Relaxed);
            self.head[word::DROPPED].store(dropped + 1, Ordering::Relaxed);
            return false;
        }
        true
    }

    /// Events before a block; nothing if its head was not written.
    pub fn events_before(&self, block: u64) -> Option<u64> {
        let words = self.block(block);
        let is_entered = words[0].load(Ordering::Relaxed) == block + 1;
        is_entered.then(|| words[1].load(Ordering::Relaxed))
    }

    /// Goes to the first record of a block, before which there are so many events, and returns the position there.
    #[cold]
    #[inline(never)]
    pub fn enter(&self, block: u64, before: u64, points: &impl TestPoints) -> Position {
        let position = Position::of_block(block);
        let dropped = self.head[word::DROPPED].load(Ordering::Relaxed);
        self.head[word::POSITION].store(position.to_word(), Ordering::Relaxed);
        points.at(TestPoint::Moved);
        // A reader that sees what is written to the block sees the position too.
        fence(Ordering::Release);
        write_block_head(self.block(block), block, (before, dropped), points);
        position
    }
}

fn write_block_head(words: &[AtomicU64], block: u64, before: (u64, u64), points: &impl TestPoints) {
    let [number, events, dropped, ..] = words else {
        return;
    };
    // Not of this block until all is written.
    events.store(before.0, Ordering::Relaxed);
    points.at(TestPoint::Headed);
    dropped.store(before.1, Ordering::Relaxed);
    points.at(TestPoint::Headed);
    number.store(block + 1, Ordering::Release);
    points.at(TestPoint::Headed);
}
