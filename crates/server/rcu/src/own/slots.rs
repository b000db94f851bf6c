//! The words of readers: one slot each, in blocks that are linked and never freed.
#![expect(unsafe_code, reason = "a list grows while others walk along it")]

use std::ptr::null_mut;

use super::atomic::{AtomicBool, AtomicPtr, AtomicU64, BLOCK, Futex, Ordering};

/// `seen` of a reader that is in no section.
pub const OUTSIDE: u64 = 0;

/// A slot's `awaited` while no writer sleeps for it.
pub const NOBODY: u32 = 0;
/// `awaited` while one does, or is about to.
pub const WRITER: u32 = 1;

/// The words of one reader. Two lines, as processors fetch lines in pairs.
#[derive(Debug)]
#[repr(align(128))]
pub struct Slot {
    /// The epoch in which its section was entered, or its latest quiescent state was; [`OUTSIDE`] without one.
    pub seen: AtomicU64,
    /// Whether a writer sleeps until `seen` changes.
    pub awaited: Futex,
    is_taken: AtomicBool,
}

#[derive(Debug)]
struct Block {
    slots: [Slot; BLOCK],
    next: AtomicPtr<Block>,
}

/// All slots of a domain.
#[derive(Debug)]
pub struct Slots(Block);

impl Slots {
    /// The first block.
    pub fn new() -> Self {
        Self(Block::new())
    }

    /// Takes a slot that nobody has.
    pub fn claim(&self) -> &Slot {
        let mut block = &self.0;
        loop {
            if let Some(slot) = block.slots.iter().find(|slot| slot.claim()) {
                return slot;
            }
            block = block.next_or_new();
        }
    }

    /// The slots. One whose reader a fence of the caller comes behind is among them, as its block was linked before.
    pub fn iter(&self) -> impl Iterator<Item = &Slot> {
        let blocks = std::iter::successors(Some(&self.0), |block| block.next());
        blocks.flat_map(|block| &block.slots)
    }
}

impl Slot {
    fn new() -> Self {
        Self {
            seen: AtomicU64::new(OUTSIDE),
            awaited: Futex::new(NOBODY),
            is_taken: AtomicBool::new(false),
        }
    }

    fn claim(&self) -> bool {
        // Most slots before a free one are taken: a load keeps their lines shared.
        !self.is_taken.load(Ordering::Relaxed)
            && self
                .is_taken
                .compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed)
                .is_ok()
    }

    /// Gives the slot back, with its reader outside. The caller uses it no more.
    pub fn release(&self) {
        self.is_taken.store(false, Ordering::Release);
    }

    /// Whether a grace period that began with this epoch waits for the reader.
    #[inline]
    pub fn holds_up(&self, epoch: u64) -> bool {
        let seen = self.seen.load(Ordering::Acquire);
        seen != OUTSIDE && seen < epoch
    }
}

impl Block {
    fn new() -> Self {
        Self {
            slots: std::array::from_fn(|_| Slot::new()),
            next: AtomicPtr::new(null_mut()),
        }
    }

    fn next(&self) -> Option<&Block> {
        // SAFETY: what was linked is a block that is never freed.
        unsafe { self.next.load(Ordering::Acquire).as_ref() }
    }

    fn next_or_new(&self) -> &Block {
        if let Some(next) = self.next() {
            return next;
        }
        let new = Box::into_raw(Box::new(Self::new()));
        let linked =
            self.next
                .compare_exchange(null_mut(), new, Ordering::AcqRel, Ordering::Acquire);
        match linked {
            // SAFETY: from now on it is never freed.
            Ok(_) => unsafe { &*new },
            Err(other) => {
                // SAFETY: nobody else has seen it.
                drop(unsafe { Box::from_raw(new) });
                // SAFETY: what was linked is a block that is never freed.
                unsafe { &*other }
            }
        }
    }
}
