//! What the calling thread allocates is counted.
#![expect(unsafe_code, reason = "allocators are unsafe")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Allocations of one thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Pieces that were allocated, also those that were freed since.
    pub made: i64,
    /// Pieces that are not freed.
    pub alive: i64,
    /// Bytes of these.
    pub bytes: i64,
}

thread_local! {
    static COUNTS: Cell<Counts> = const { Cell::new(Counts { made: 0, alive: 0, bytes: 0 }) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What the calling thread has allocated, and freed.
pub fn counts() -> Counts {
    COUNTS.get()
}

// SAFETY: the system's allocator does it all.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let before = COUNTS.get();
        COUNTS.set(Counts {
            made: before.made + 1,
            alive: before.alive + 1,
            bytes: before.bytes + layout.size() as i64,
        });
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        let before = COUNTS.get();
        COUNTS.set(Counts {
            made: before.made,
            alive: before.alive - 1,
            bytes: before.bytes - layout.size() as i64,
        });
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}
