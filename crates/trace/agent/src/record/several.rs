//! Whether several threads of this process have recorded, so that the order of their events matters.
//!
//! It is forgotten in the child of a fork, which has one thread.
#![expect(unsafe_code, reason = "a page is given advice")]

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Each event loads it, so it is on a page of its own, as [`slots`](super::slots) has it of what a fork empties.
#[repr(C, align(4096))]
struct Page {
    /// The time from which on all threads know, by the counter; 0 as long as one thread has, and 1 until it is known.
    since: AtomicU64,
    /// Number of the first thread; 0 as long as there is none.
    first: AtomicU32,
}

static PAGE: Page = Page {
    since: AtomicU64::new(0),
    first: AtomicU32::new(0),
};

/// Has the kernel empty it in the child of a fork; whether it will.
pub fn forget_in_children() -> bool {
    let page = (&raw const PAGE).cast_mut().cast();
    // SAFETY: a page that nothing else lies on.
    unsafe { libc::madvise(page, size_of::<Page>(), libc::MADV_WIPEONFORK) == 0 }
}

/// Whether several threads have recorded.
#[inline(always)]
pub fn have() -> bool {
    PAGE.since.load(Ordering::Relaxed) != 0
}

/// A thread begins to record. Returns the time from which on all threads know that several do, if that is so, by a
/// clock that is read when all that comes before is done.
pub fn note(thread: u32, now: impl FnOnce() -> u64) -> Option<u64> {
    let first = PAGE
        .first
        .compare_exchange(0, thread, Ordering::Relaxed, Ordering::Relaxed);
    let is_another = first.is_err_and(|first| first != thread);
    // The exchange is seen by all threads before the time is read.
    if is_another
        && PAGE
            .since
            .compare_exchange(0, 1, Ordering::SeqCst, Ordering::Relaxed)
            .is_ok()
    {
        PAGE.since.store(now().max(2), Ordering::Relaxed);
    }
    Some(PAGE.since.load(Ordering::Relaxed)).filter(|since| *since > 1)
}
