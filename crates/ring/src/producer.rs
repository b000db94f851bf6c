//! The thread's side: see the steps in the documentation of the crate.

use super::atomic::{AtomicU64, Ordering, exchange};
use super::layout::{BLOCK_HEAD, Header, LONGEST_RECORD, Position, State, mask, word};

/// Points of the protocol at which a test interrupts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The position was loaded.
    Loaded,
    /// The place of the last record is kept from handlers.
    Pinned,
    /// The last record got a header.
    Helped,
    /// The number of records in the block that is left was noted.
    Closed,
    /// The position is behind the record.
    Reserved,
    /// A word of the new block's head was written.
    Headed,
    /// A word of the record was written.
    Written,
    /// The record is complete.
    Committed,
}

/// What happens at each step.
pub trait Steps {
    /// Called at a step.
    fn at(&self, step: Step);
}

/// Nothing happens.
impl Steps for () {
    #[inline(always)]
    fn at(&self, _: Step) {}
}

/// What became of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Outcome {
    /// It is in the ring.
    Written,
    /// It was dropped and counted: the ring is full, or has no room for so long an event.
    Dropped,
    /// It is not in the ring, and not counted: the next block has a record that was begun one round ago
    /// and is not complete. Either this is a handler that interrupted it and wrote a whole round since, or
    /// the thread jumped out of it. The ring takes no more events until then; another one does.
    Stuck,
}

/// The memory of a ring, as its thread uses it.
#[derive(Debug, Clone, Copy)]
pub struct Producer<'a> {
    pub(crate) head: &'a [AtomicU64],
    pub(crate) blocks: &'a [AtomicU64],
    /// Words of a block.
    pub(crate) block: usize,
    /// Number of blocks minus one; the number is a power of two.
    pub(crate) mask: u64,
}

impl<'a> Producer<'a> {
    /// A ring of blocks of so many words; nothing if memory and size do not fit each other.
    ///
    /// The memory is zero, or was a producer's before.
    ///
    /// Every event makes one, of which nothing is left where sizes are known.
    #[inline(always)]
    pub fn new(head: &'a [AtomicU64], blocks: &'a [AtomicU64], block: usize) -> Option<Self> {
        let mask = mask(head.len(), blocks.len(), block)?;
        Some(Self {
            head,
            blocks,
            block,
            mask,
        })
    }

    /// Makes zero memory a ring with no event.
    pub fn begin(&self) {
        let start = Position {
            block: 0,
            count: 0,
            offset: BLOCK_HEAD,
            last: 0,
        };
        self.write_block_head(0, 0, &());
        self.head[word::POSITION].store(start.to_word(), Ordering::Release);
    }

    /// Writes an event, if there is room.
    ///
    /// `time` is called once, late, so that it is the time of the event as exactly as can be.
    #[inline(always)]
    pub fn record<const N: usize>(
        &self,
        probe: u32,
        time: impl FnOnce() -> u64,
        words: [u64; N],
        steps: &impl Steps,
    ) -> Outcome {
        self.record_with(probe, false, N, time, steps, |place| {
            for (to, value) in place.iter().zip(words) {
                to.store(value, Ordering::Relaxed);
                steps.at(Step::Written);
            }
        })
    }

    /// As [`Producer::record_with`], of an event whose texts are whole, in the usual case: no record was interrupted
    /// by this one, and the block has room. Else it returns false, and nothing has happened.
    ///
    /// It calls nothing, so that a function that goes on with another way at its end need not keep its words.
    #[inline(always)]
    pub fn record_quickly(
        &self,
        probe: u32,
        words: usize,
        time: impl FnOnce() -> u64,
        steps: &impl Steps,
        fill: impl FnOnce(&[AtomicU64]),
    ) -> bool {
        let words = words + 2;
        let Some((block, place)) = self.reserve_quickly(words, steps) else {
            return false;
        };
        write(place, block, (probe, words, false), time, steps, fill);
        true
    }

    /// As [`Producer::record`], of an event with so many words, which `fill` writes to their place.
    #[inline(always)]
    pub fn record_with(
        &self,
        probe: u32,
        is_cut: bool,
        words: usize,
        time: impl FnOnce() -> u64,
        steps: &impl Steps,
        fill: impl FnOnce(&[AtomicU64]),
    ) -> Outcome {
        let words = words + 2;
        let (block, place) = match self.reserve_quickly(words, steps) {
            Some(reserved) => reserved,
            None => match self.reserve(words, steps) {
                Ok((block, start)) => match self.blocks.get(start..start + words) {
                    Some(place) => (block, place),
                    None => return Outcome::Dropped,
                },
                Err(outcome) => return outcome,
            },
        };
        write(place, block, (probe, words, is_cut), time, steps, fill);
        Outcome::Written
    }

    /// Steps 1 to 3 where nothing stands in the way: the block, and the place of a record of so many words.
    #[inline(always)]
    fn reserve_quickly(&self, words: usize, steps: &impl Steps) -> Option<(u64, &'a [AtomicU64])> {
        if words > LONGEST_RECORD {
            return None;
        }
        let old = self.head[word::POSITION].load(Ordering::Relaxed);
        steps.at(Step::Loaded);
        let position = Position::from_word(old);
        let start = self.place(position.block);
        let block = self.blocks.get(start..start + self.block)?;
        // In a block with no record it is a place where no header is.
        let last = block.get(position.offset.wrapping_sub(position.last))?;
        if !Header::is_committed(last.load(Ordering::Relaxed), position.block) {
            return None;
        }
        let place = block.get(position.offset..position.offset + words)?;
        let new = Position::word_behind(old, words);
        if !exchange(&self.head[word::POSITION], old, new) {
            return None;
        }
        steps.at(Step::Reserved);
        Some((position.block, place))
    }

    pub(crate) fn write_block_head(&self, block: u64, before: u64, steps: &impl Steps) {
        let [number, events, dropped, ..] = &self.blocks[self.place(block)..] else {
            return;
        };
        // Not of this block until all is written.
        events.store(before, Ordering::Relaxed);
        steps.at(Step::Headed);
        let all = self.head[word::DROPPED].load(Ordering::Relaxed);
        dropped.store(all, Ordering::Relaxed);
        steps.at(Step::Headed);
        number.store(block + 1, Ordering::Release);
        steps.at(Step::Headed);
    }

    /// The first word of a block.
    #[inline(always)]
    pub(crate) fn place(&self, block: u64) -> usize {
        (block & self.mask) as usize * self.block
    }
}

/// Steps 4 and 5, of a record with this probe, so many words, and texts that were cut or not.
#[inline(always)]
fn write(
    place: &[AtomicU64],
    block: u64,
    (probe, words, is_cut): (u32, usize, bool),
    time: impl FnOnce() -> u64,
    steps: &impl Steps,
    fill: impl FnOnce(&[AtomicU64]),
) {
    let [header, at, rest @ ..] = place else {
        return;
    };
    at.store(time(), Ordering::Relaxed);
    steps.at(Step::Written);
    fill(rest);
    let complete = Header {
        probe,
        words,
        state: State::Committed,
        is_cut,
    };
    header.store(complete.to_word(block), Ordering::Release);
    steps.at(Step::Committed);
}
