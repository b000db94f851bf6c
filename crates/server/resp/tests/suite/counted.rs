//! Counts the allocations of each thread.
#![expect(unsafe_code, reason = "an allocator is unsafe to call")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counted;

#[global_allocator]
static COUNTED: Counted = Counted;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: Each call goes to the allocator of the system as it is. Counting allocates nothing, as the cell needs neither
// a start nor an end.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: The caller promises what this call asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: The pointer is of `alloc` or `realloc`, so it is one of the system.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: As for `dealloc`, and the caller promises the rest.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// How often this thread allocates, or makes an allocation larger or smaller, while it does something.
pub fn allocations(work: impl FnOnce()) -> u64 {
    let before = COUNT.get();
    work();
    COUNT.get() - before
}
