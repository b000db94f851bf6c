//! The other side: copies blocks while they are written, and finds the records in the copies.

use super::atomic::{AtomicU64, Ordering, fence};
use super::layout::{BLOCK_HEAD, Header, MOST_EVENTS, Position, mask, word};

/// The memory of a ring, as another process sees it. It may hold anything.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    head: &'a [AtomicU64],
    blocks: &'a [AtomicU64],
    block: usize,
    mask: u64,
}

/// A copy of a block.
#[derive(Debug, Clone, Copy)]
pub struct Block<'b> {
    /// Its number.
    pub number: u64,
    /// Events before it since the beginning, those that were dropped not counted; nothing if the thread
    /// had not come to write that.
    pub before: Option<u64>,
    /// Events that were dropped before it since the beginning; nothing if the word was spoiled.
    pub dropped: Option<u64>,
    words: &'b [u64],
}

/// A record in a copy of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'b> {
    /// Its first word.
    pub header: Header,
    /// Its time, in the unit of the writer's clock.
    pub time: u64,
    /// The event's words.
    pub words: &'b [u64],
}

impl<'a> Reader<'a> {
    /// A ring of blocks of so many words; nothing if memory and size do not fit each other.
    pub fn new(head: &'a [AtomicU64], blocks: &'a [AtomicU64], block: usize) -> Option<Self> {
        let mask = mask(head.len(), blocks.len(), block)?;
        Some(Self {
            head,
            blocks,
            block,
            mask,
        })
    }

    /// Where the thread is.
    pub fn position(&self) -> Position {
        Position::from_word(self.head[word::POSITION].load(Ordering::Acquire))
    }

    /// Events that were dropped; 0 if the word was spoiled.
    pub fn dropped(&self) -> u64 {
        let dropped = self.head[word::DROPPED].load(Ordering::Acquire);
        if dropped > MOST_EVENTS { 0 } else { dropped }
    }

    /// Events that have found a place so far; nothing while the thread goes from one block to the next.
    pub fn events(&self) -> Option<u64> {
        let position = self.position();
        let start = (position.block & self.mask) as usize * self.block;
        let [mark, events, ..] = self.blocks.get(start..)? else {
            return None;
        };
        let is_entered = mark.load(Ordering::Acquire) == position.block + 1;
        let before = events.load(Ordering::Acquire);
        fence(Ordering::Acquire);
        // Else they may be those before a later block in the same place.
        let is_there = self.position().block == position.block;
        (is_entered && is_there).then(|| before.saturating_add(position.count))
    }

    /// The first block that may still be there.
    pub fn oldest(&self) -> u64 {
        self.position().block.saturating_sub(self.mask)
    }

    /// Copies a block; nothing if it is not there yet, or no longer.
    ///
    /// `copy` has the words of a block. Of the block that the thread is in, the copy holds what was there
    /// when its turn came.
    pub fn copy<'b>(&self, number: u64, copy: &'b mut [u64]) -> Option<Block<'b>> {
        let before = self.position();
        if number > before.block || before.block - number > self.mask {
            return None;
        }
        let start = (number & self.mask) as usize * self.block;
        let source = self.blocks.get(start..start + self.block)?;
        if copy.len() != source.len() {
            return None;
        }
        for (to, from) in copy.iter_mut().zip(source) {
            // Acquire: what a header speaks of is read after it.
            *to = from.load(Ordering::Acquire);
        }
        fence(Ordering::Acquire);
        let after = Position::from_word(self.head[word::POSITION].load(Ordering::Relaxed));
        if after.block < number || after.block - number > self.mask {
            return None;
        }
        let copy: &'b [u64] = copy;
        let [mark, events, dropped, ..] = copy else {
            return None;
        };
        let is_entered = *mark == number + 1;
        Some(Block {
            number,
            before: is_entered.then_some(*events),
            dropped: (is_entered && *dropped <= MOST_EVENTS).then_some(*dropped),
            words: copy,
        })
    }
}

impl<'b> Block<'b> {
    /// The records, in the order of their places, from one at an offset on: [`BLOCK_HEAD`] for the first.
    pub fn records(&self, offset: usize) -> Records<'b> {
        Records {
            block: self.number,
            words: self.words,
            offset: offset.max(BLOCK_HEAD),
        }
    }
}

/// The records of a block.
#[derive(Debug, Clone)]
pub struct Records<'b> {
    block: u64,
    words: &'b [u64],
    offset: usize,
}

impl Records<'_> {
    /// Where the next record begins.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl<'b> Iterator for Records<'b> {
    type Item = Record<'b>;

    fn next(&mut self) -> Option<Record<'b>> {
        let header = Header::from_word(*self.words.get(self.offset)?, self.block)?;
        if header.words < 2 {
            return None;
        }
        let [_, time, words @ ..] = self.words.get(self.offset..self.offset + header.words)? else {
            return None;
        };
        self.offset += header.words;
        Some(Record {
            header,
            time: *time,
            words,
        })
    }
}
