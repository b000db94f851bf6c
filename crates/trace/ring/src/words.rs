//! The words of a producer: what its thread knows of its ring.

use super::atomic::{AtomicU64, Ordering};

/// Which word of a producer is what: those of a record in the usual case first.
pub mod own {
    /// Whether it is ready, busy, or has no ring; written by the thread's events only.
    pub const STATE: usize = 0;
    /// Address of the next record, in the block that the position is in.
    pub const NEXT: usize = 1;
    /// Address behind that block.
    pub const END: usize = 2;
    /// What the headers in that block have in common.
    pub const MARK: usize = 3;
    /// The ring's position. Its own words are for others.
    pub const POSITION: usize = 4;
    /// Address of the ring's head.
    pub const HEAD: usize = 5;
    /// Address of the first block.
    pub const BLOCKS: usize = 6;
    /// Number of blocks minus one, and words of a block above the lowest 32 bits.
    pub const SIZE: usize = 7;
    /// Events before the block that was entered last, stored before it was entered.
    pub const BEFORE: usize = 8;
}

/// Words of a producer.
pub const PRODUCER_WORDS: usize = 9;

/// The words of a producer, wherever they are. Only one thread uses them, and its signal handlers.
pub trait Words: Copy {
    /// A word.
    fn load<const WORD: usize>(self) -> u64;
    /// Stores a word.
    fn store<const WORD: usize>(self, value: u64);
    /// Stores the address of the frame of the function that this is a part of: an even number, less than that of the
    /// functions that called it on the same stack.
    fn store_frame<const WORD: usize>(self);
    /// The sum of a word and a number.
    #[inline(always)]
    fn add<const WORD: usize>(self, value: u64) -> u64 {
        self.load::<WORD>() + value
    }
    /// Whether a word is this one.
    #[inline(always)]
    fn is<const WORD: usize>(self, value: u64) -> bool {
        self.load::<WORD>() == value
    }
    /// Whether a word is this one or more.
    #[inline(always)]
    fn is_at_least<const WORD: usize>(self, value: u64) -> bool {
        self.load::<WORD>() >= value
    }
}

impl Words for &[AtomicU64; PRODUCER_WORDS] {
    #[inline(always)]
    fn load<const WORD: usize>(self) -> u64 {
        self[WORD].load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn store<const WORD: usize>(self, value: u64) {
        self[WORD].store(value, Ordering::Relaxed);
    }

    #[inline(always)]
    fn store_frame<const WORD: usize>(self) {
        self.store::<WORD>(frame());
    }
}

/// The address of the frame of the function that this is a part of, about.
#[inline(always)]
pub fn frame() -> u64 {
    let local = 0u64;
    &raw const local as u64
}
