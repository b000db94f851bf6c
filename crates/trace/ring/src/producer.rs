//! The writer's side: see the steps in the documentation of the crate.
#![expect(
    unsafe_code,
    reason = "the next record's address is kept: to find it again in each event takes longer than to write it"
)]

use super::atomic::{AtomicU64, Ordering, fence_for_handlers};
use super::layout::{LONGEST_RECORD, Position, mark, mask, word};
use super::next_block::{self, Ring};
use super::test_points::{TestPoint, TestPoints};
use super::words::{Words, own};

/// What became of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Outcome {
    /// It is in the ring.
    Written,
    /// It was dropped and counted: the ring is full, or has no room for so long an event.
    Dropped,
    /// It is not in the ring, and not counted: another event is being written, which this one interrupted, or
    /// which the thread jumped out of.
    Busy,
    /// It is not in the ring, and not counted: the producer has no ring.
    Closed,
}

/// What an event is filled with.
pub trait Fill {
    /// Stores words of the event before its time is taken: numbers that are there already.
    #[inline(always)]
    fn before(&mut self, words: &[AtomicU64]) {
        let _ = words;
    }

    /// Stores the time in the second of these words.
    fn stamp(&mut self, words: &[AtomicU64; 2]);

    /// Stores words of the event behind its time: what takes its time to be found.
    #[inline(always)]
    fn after(&mut self, words: &[AtomicU64]) {
        let _ = words;
    }
}

/// State of a producer that has no ring. Other states are what says that it is ready, which is odd, and the address
/// of the frame in which it is busy, which is even.
const CLOSED: u64 = 0;

/// Writes to a ring. Words of zeros are one that has none.
#[derive(Debug, Clone, Copy)]
pub struct Producer<W> {
    words: W,
    ready: u64,
}

/// An event that is to be written.
#[derive(Debug, Clone, Copy)]
pub struct Event {
    /// Its header, whatever the block: [`Header::base`](super::Header::base).
    pub header: u64,
    /// Words of its record: two more than it has itself.
    pub words: usize,
}

/// Makes zero memory a ring with no event. Returns false if memory and size of a block, in words, do not fit each
/// other.
pub fn begin(head: &[AtomicU64], blocks: &[AtomicU64], block: usize) -> bool {
    let fits = mask(head.len(), blocks.len(), block).is_some();
    if fits {
        next_block::begin(head, blocks);
    }
    fits
}

impl<W: Words> Producer<W> {
    /// A producer with these words. `ready` is what says so in them, an odd number: one that was opened with another
    /// counts as closed. With 0 there is none.
    #[inline(always)]
    pub fn new(words: W, ready: u64) -> Self {
        Self { words, ready }
    }

    /// Goes on with a ring where it is; returns false if memory and size of a block, in words, do not fit each other.
    ///
    /// # Safety
    /// The memory stays until [`Producer::close`], or until no producer is called ready as this one is; and nobody
    /// else writes records to it. Nobody uses this producer meanwhile.
    pub unsafe fn open(self, head: &[AtomicU64], blocks: &[AtomicU64], block: usize) -> bool {
        let Some(mask) = mask(head.len(), blocks.len(), block) else {
            return false;
        };
        // A handler that comes in between finds it so.
        self.words.store_frame::<{ own::STATE }>();
        fence_for_handlers();
        // As long as it is 0, the thread may jump out of this too.
        self.words.store::<{ own::SIZE }>(0);
        fence_for_handlers();
        self.words.store::<{ own::HEAD }>(address(head));
        self.words.store::<{ own::BLOCKS }>(address(blocks));
        self.words.store::<{ own::BEFORE }>(0);
        let ring = Ring {
            head,
            blocks,
            words: block,
            mask,
        };
        self.go_to(&ring, ring.position());
        fence_for_handlers();
        self.words
            .store::<{ own::SIZE }>((block as u64) << 32 | mask);
        fence_for_handlers();
        self.words.store::<{ own::STATE }>(self.ready);
        true
    }

    /// Has no ring any more.
    pub fn close(self) {
        self.words.store::<{ own::STATE }>(CLOSED);
        // Not even if nothing is called ready, or an event is still being written.
        self.words.store::<{ own::END }>(0);
        self.words.store::<{ own::SIZE }>(0);
    }

    /// Address of the head, and number of blocks, of the ring that an event is being written to; nothing if none is.
    pub fn memory_of_event(self) -> Option<(u64, usize)> {
        let state = self.words.load::<{ own::STATE }>();
        let size = self.words.load::<{ own::SIZE }>();
        let blocks = (size & u64::from(u32::MAX)) as usize + 1;
        (is_busy(state) && size != 0).then(|| (self.words.load::<{ own::HEAD }>(), blocks))
    }

    /// Writes an event in the usual case: the producer is ready, and the block has room. Else it returns false, and
    /// nothing has happened.
    ///
    /// It calls nothing, so that a function that goes on with another way at its end need not keep its words.
    ///
    /// The time is taken once the position is behind the record: who reads the clock and then the position knows of
    /// each event before that time. And before all else: some processors read their clock only when all that
    /// came before is done.
    #[inline(always)]
    pub fn record_quickly(self, event: Event, fill: impl Fill, points: &impl TestPoints) -> bool {
        if !self.begin_event(points) {
            return false;
        }
        let next = self.words.load::<{ own::NEXT }>();
        let has_room = self.has_room(next, event.words);
        if has_room {
            let head = self.words.load::<{ own::HEAD }>();
            let marked = |header| self.words.add::<{ own::MARK }>(header);
            // SAFETY: there is room, and this is busy.
            unsafe { self.write((head, next), event, marked, fill, points) };
        }
        self.end_event(points);
        has_room
    }

    /// Writes an event, if there is room.
    ///
    /// `is_left` is asked of the frame in which another event began that is not complete: whether the thread has
    /// jumped out of that. If so, that event is given up, and with it the rest of its block.
    pub fn record(
        self,
        event: Event,
        fill: impl Fill,
        points: &impl TestPoints,
        is_left: impl FnOnce(u64) -> bool,
    ) -> Outcome {
        // Step 1.
        let is_ready = self.ready != CLOSED && self.begin_event(points);
        if !is_ready && let Err(outcome) = self.take_over(points, is_left) {
            return outcome;
        }
        let mut next = self.words.load::<{ own::NEXT }>();
        let mut mark = self.words.load::<{ own::MARK }>();
        let head = self.words.load::<{ own::HEAD }>();
        // It was never opened to the end, or was closed meanwhile, in the child of a fork: its words may be wiped then.
        if self.words.is::<{ own::SIZE }>(0) {
            self.close();
            return Outcome::Closed;
        }
        // Step 2.
        if !is_ready || !self.has_room(next, event.words) {
            // SAFETY: it was opened, and nobody else writes while this is busy.
            let ring = unsafe { self.ring() };
            // Where an event was given up, the words of the producer may be those before or behind it.
            let left = ring.position();
            let (block, before) = match ring.events_before(left.block) {
                Some(before) => (left.block + 1, before + left.count),
                // It was left on its way here.
                None => (left.block, self.words.load::<{ own::BEFORE }>()),
            };
            if !ring.is_free(block, event.words) {
                // Else the next event takes it over from this one.
                if is_ready {
                    self.end_event(points);
                }
                return Outcome::Dropped;
            }
            self.words.store::<{ own::BEFORE }>(before);
            self.go_to(&ring, ring.enter(block, before, points));
            next = self.words.load::<{ own::NEXT }>();
            mark = self.words.load::<{ own::MARK }>();
        }
        // Steps 3 to 5.
        // SAFETY: there is room, and this is busy.
        unsafe { self.write((head, next), event, |header| header + mark, fill, points) };
        self.end_event(points);
        Outcome::Written
    }

    /// Step 1 where the producer is not ready: it becomes this event's if the one that it is busy with was left.
    fn take_over(
        self,
        points: &impl TestPoints,
        is_left: impl FnOnce(u64) -> bool,
    ) -> Result<(), Outcome> {
        let state = self.words.load::<{ own::STATE }>();
        if self.ready == CLOSED || !is_busy(state) {
            return Err(Outcome::Closed);
        }
        if !is_left(state) {
            return Err(Outcome::Busy);
        }
        self.words.store_frame::<{ own::STATE }>();
        fence_for_handlers();
        points.at(TestPoint::Begun);
        Ok(())
    }

    /// Step 1. Returns whether the producer was ready; else nothing has happened.
    #[inline(always)]
    fn begin_event(self, points: &impl TestPoints) -> bool {
        let is_ready = self.words.is::<{ own::STATE }>(self.ready);
        if is_ready {
            points.at(TestPoint::Seen);
            self.words.store_frame::<{ own::STATE }>();
            fence_for_handlers();
            points.at(TestPoint::Begun);
        }
        is_ready
    }

    /// Step 6.
    #[inline(always)]
    fn end_event(self, points: &impl TestPoints) {
        fence_for_handlers();
        self.words.store::<{ own::STATE }>(self.ready);
        points.at(TestPoint::Ended);
    }

    #[inline(always)]
    fn has_room(self, next: u64, words: usize) -> bool {
        words <= LONGEST_RECORD && self.words.is_at_least::<{ own::END }>(behind(next, words))
    }

    /// Steps 3 to 5.
    ///
    /// # Safety
    /// The addresses are those of the ring's head and of the next record, there is room for the event, and the producer
    /// is busy. `marked` is the header with what all of its block have.
    #[inline(always)]
    unsafe fn write(
        self,
        (head, next): (u64, u64),
        event: Event,
        marked: impl FnOnce(u64) -> u64,
        mut fill: impl Fill,
        points: &impl TestPoints,
    ) {
        points.at(TestPoint::Found);
        let head = head as *const AtomicU64;
        // SAFETY: `open` was given a head with this word, and a block with these; atomics may change at any time.
        let (position, place) = unsafe {
            let place = core::slice::from_raw_parts(next as *const AtomicU64, event.words);
            (&*head.add(word::POSITION), place)
        };
        let Some((head, words)) = place.split_first_chunk::<2>() else {
            return;
        };
        // Step 3.
        fill.before(words);
        let here = self.words.load::<{ own::POSITION }>();
        let there = Position::word_behind(here, event.words);
        self.words.store::<{ own::NEXT }>(behind(next, event.words));
        self.words.store::<{ own::POSITION }>(there);
        position.store(there, Ordering::Relaxed);
        points.at(TestPoint::Placed);
        // Step 4.
        fill.stamp(head);
        points.at(TestPoint::Written);
        fill.after(words);
        // Step 5.
        head[0].store(marked(event.header), Ordering::Release);
        points.at(TestPoint::Committed);
    }

    /// The next record is where a position says.
    fn go_to(self, ring: &Ring<'_>, position: Position) {
        let block = ring.block(position.block);
        // An offset that is none has no room behind it.
        let (next, end) = match block.get(position.offset..) {
            Some(rest) => (address(rest), block.as_ptr_range().end as u64),
            None => (0, 0),
        };
        self.words.store::<{ own::NEXT }>(next);
        self.words.store::<{ own::END }>(end);
        self.words.store::<{ own::MARK }>(mark(position.block));
        self.words.store::<{ own::POSITION }>(position.to_word());
    }

    /// # Safety
    /// It was opened, and the memory is still there.
    unsafe fn ring<'a>(self) -> Ring<'a> {
        let size = self.words.load::<{ own::SIZE }>();
        let (block, mask) = ((size >> 32) as usize, size & u64::from(u32::MAX));
        let words = block * (mask as usize + 1);
        let head = self.words.load::<{ own::HEAD }>() as *const AtomicU64;
        let blocks = self.words.load::<{ own::BLOCKS }>() as *const AtomicU64;
        // SAFETY: `open` was given this memory.
        unsafe {
            Ring {
                head: core::slice::from_raw_parts(head, word::NEEDED + 1),
                blocks: core::slice::from_raw_parts(blocks, words),
                words: block,
                mask,
            }
        }
    }
}

/// Whether a state is the address of a frame.
fn is_busy(state: u64) -> bool {
    state != CLOSED && state.is_multiple_of(2)
}

/// Address behind so many words. No sum of an address and as few words as a record has is too large.
#[inline(always)]
fn behind(next: u64, words: usize) -> u64 {
    next + (words * size_of::<AtomicU64>()) as u64
}

fn address(words: &[AtomicU64]) -> u64 {
    words.as_ptr() as u64
}
