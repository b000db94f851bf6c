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

    /// Events that have found a place so far; nothing if the thread has come to another block meanwhile.
    ///
    /// A thread may stay between two blocks for any time: others have its processor, or it jumped out of there. Then
    /// the complete records of the block that it came from count; one that it left there is missing.
    pub fn events(&self) -> Option<u64> {
        let position = self.position();
        let events = match self.events_before(position.block) {
            Some(before) => before.saturating_add(position.count),
            None => {
                let last = position.block.checked_sub(1)?;
                self.events_before(last)?.saturating_add(self.records(last))
            }
        };
        fence(Ordering::Acquire);
        // Else they may be those of a later block in the same place.
        (self.position().block == position.block).then_some(events)
    }

    /// Events before a block; nothing if its head was not written.
    fn events_before(&self, number: u64) -> Option<u64> {
        let [mark, events, ..] = self.place(number) else {
            return None;
        };
        let is_entered = mark.load(Ordering::Acquire) == number + 1;
        is_entered.then(|| events.load(Ordering::Acquire))
    }

    /// Complete records of a block.
    fn records(&self, number: u64) -> u64 {
        let (words, mut offset, mut records) = (self.place(number), BLOCK_HEAD, 0);
        while let Some(word) = words.get(offset)
            && let Some(header) = Header::from_word(word.load(Ordering::Acquire), number)
            && header.words >= 2
        {
            offset += header.words;
            records += 1;
        }
        records
    }

    /// Where a block lies, or others that use the same place.
    fn place(&self, number: u64) -> &'a [AtomicU64] {
        let start = (number & self.mask) as usize * self.block;
        let words = self.blocks.get(start..start + self.block);
        words.unwrap_or_default()
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
        let source = self.place(number);
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
