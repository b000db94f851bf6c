//! Steps 1 to 3 of writing a record in any case: where a record was interrupted, where its block is full.
//!
//! Seldom taken, so it is not a part of the functions that call it, and gets the producer by value: the memory of
//! a producer whose address is given away must be written, on the usual way too.

use super::atomic::{AtomicU64, Ordering, exchange, fence, fence_for_handlers};
use super::layout::{BLOCK_HEAD, HELPED, Header, LONGEST_RECORD, Mode, Position, State, word};
use super::producer::{Outcome, Producer, Step, Steps};

/// Why a record has no place.
enum Refusal {
    /// The position has changed since it was loaded.
    Changed,
    /// The event is not written.
    Not(Outcome),
}

impl Producer<'_> {
    /// Steps 1 to 3: the block, and the place among all words, of a record of so many words.
    #[cold]
    #[inline(never)]
    pub(crate) fn reserve(self, words: usize, steps: &impl Steps) -> Result<(u64, usize), Outcome> {
        loop {
            let old = self.head[word::POSITION].load(Ordering::Relaxed);
            steps.at(Step::Loaded);
            let position = Position::from_word(old);
            if !self.help(old, position, steps) {
                continue;
            }
            if position.offset + words > self.block || words > LONGEST_RECORD {
                match self.reserve_in_next_block(old, words, steps) {
                    Ok(place) => return Ok(place),
                    Err(Refusal::Changed) => continue,
                    Err(Refusal::Not(outcome)) => return Err(outcome),
                }
            }
            let new = position.behind(words);
            if exchange(&self.head[word::POSITION], old, new.to_word()) {
                steps.at(Step::Reserved);
                return Ok((position.block, self.place(position.block) + position.offset));
            }
        }
    }

    /// Step 2. Returns whether the position is still the one that was loaded.
    fn help(&self, old: u64, position: Position, steps: &impl Steps) -> bool {
        let Some(last) = self.last_header(position) else {
            return true;
        };
        if Header::from_word(last.load(Ordering::Relaxed), position.block).is_none() {
            return self.help_interrupted(old, position, last, steps);
        }
        true
    }

    /// Where the header of the last record before a position is, if there is one in its block.
    fn last_header(&self, position: Position) -> Option<&AtomicU64> {
        if position.last == 0 {
            return None;
        }
        self.blocks
            .get(self.place(position.block) + position.offset - position.last)
    }

    #[cold]
    fn help_interrupted(
        &self,
        old: u64,
        position: Position,
        last: &AtomicU64,
        steps: &impl Steps,
    ) -> bool {
        // From here on no handler that comes in between enters the place of this block. One that did so
        // before has changed the position.
        let pin = &self.head[word::PINNED];
        let before = pin.load(Ordering::Relaxed);
        if before == 0 || before > position.block + 1 {
            pin.store(position.block + 1, Ordering::Relaxed);
        }
        fence_for_handlers();
        steps.at(Step::Pinned);
        let is_current = self.head[word::POSITION].load(Ordering::Relaxed) == old;
        if is_current {
            if position.count == 1 {
                self.enter(position.block, steps);
            }
            let helped = &self.blocks[self.place(position.block) + HELPED];
            helped.store(position.block + 1, Ordering::Relaxed);
            let reserved = Header {
                probe: 0,
                words: position.last,
                state: State::Reserved,
                is_cut: false,
            };
            last.store(reserved.to_word(position.block), Ordering::Release);
            steps.at(Step::Helped);
        }
        fence_for_handlers();
        pin.store(before, Ordering::Relaxed);
        is_current
    }

    /// Step 3 where the block has no room.
    #[cold]
    fn reserve_in_next_block(
        &self,
        old: u64,
        words: usize,
        steps: &impl Steps,
    ) -> Result<(u64, usize), Refusal> {
        let position = Position::from_word(old);
        let next = position.in_next_block(words);
        let mode = Mode::from_word(self.head[word::MODE].load(Ordering::Relaxed));
        let needed = self.head[word::NEEDED].load(Ordering::Acquire);
        let is_full = mode == Mode::Keep && next.block.wrapping_sub(needed) > self.mask;
        if is_full || next.offset > self.block || words > LONGEST_RECORD {
            self.drop_event();
            return Err(Refusal::Not(Outcome::Dropped));
        }
        let former = next.block.checked_sub(self.mask + 1);
        if former.is_some_and(|former| self.is_in_use(former)) {
            return Err(Refusal::Not(Outcome::Stuck));
        }
        // A handler that leaves the block between these two lines makes the first exchange fail; one
        // that only writes to it makes the second fail, and the number is noted again.
        let before = self.head[word::CLOSED].load(Ordering::Relaxed);
        if self.head[word::POSITION].load(Ordering::Relaxed) != old {
            return Err(Refusal::Changed);
        }
        let closed = Position {
            offset: 0,
            last: 0,
            ..position
        };
        if !exchange(&self.head[word::CLOSED], before, closed.to_word()) {
            return Err(Refusal::Changed);
        }
        steps.at(Step::Closed);
        if !exchange(&self.head[word::POSITION], old, next.to_word()) {
            return Err(Refusal::Changed);
        }
        steps.at(Step::Reserved);
        // A reader that sees what is written to the block sees the position too.
        fence(Ordering::Release);
        self.enter(next.block, steps);
        Ok((next.block, self.place(next.block) + BLOCK_HEAD))
    }

    /// Whether a block has a record that is not complete, whose thread may still write to it. One that a
    /// handler interrupted and wrote others behind has been helped.
    fn is_in_use(&self, block: u64) -> bool {
        let pinned = self.head[word::PINNED].load(Ordering::Relaxed);
        if pinned != 0 && block + 1 >= pinned {
            return true;
        }
        let start = self.place(block);
        let Some(words) = self.blocks.get(start..start + self.block) else {
            return false;
        };
        if words[HELPED].load(Ordering::Relaxed) != block + 1 {
            return false;
        }
        let mut offset = BLOCK_HEAD;
        while let Some(word) = words.get(offset) {
            match Header::from_word(word.load(Ordering::Relaxed), block) {
                Some(header) if header.state == State::Reserved => return true,
                Some(header) if header.words > 0 => offset += header.words,
                _ => return false,
            }
        }
        false
    }

    /// Writes the head of a block that follows the one that was left last.
    fn enter(&self, block: u64, steps: &impl Steps) {
        let head = self.place(block);
        let number = &self.blocks[head];
        if number.load(Ordering::Relaxed) == block + 1 {
            return;
        }
        let closed = Position::from_word(self.head[word::CLOSED].load(Ordering::Relaxed));
        let former = self.place(closed.block);
        let before = self.blocks[former + 1].load(Ordering::Relaxed) + closed.count;
        self.write_block_head(block, before, steps);
    }

    fn drop_event(&self) {
        let dropped = &self.head[word::DROPPED];
        loop {
            let old = dropped.load(Ordering::Relaxed);
            if exchange(dropped, old, old + 1) {
                return;
            }
        }
    }
}
