//! What producers of this process say when they are ready, and whether one thread alone has recorded, so that the order
//! of events needs no care.
#![expect(unsafe_code, reason = "a page is given advice")]

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Each event loads a word of it, so no address of it should have to be loaded before. It is on a page of its own, which
/// the kernel empties in the child of a fork, which has no rings and one thread.
#[repr(C, align(4096))]
struct Page {
    /// What all producers say when they are ready, an odd number, as long as one thread alone has recorded; then
    /// [`SEVERAL`]. 0 if there are none.
    alone: AtomicU64,
    /// The same, however many threads record.
    any: AtomicU64,
    /// The time from which on all threads know of each other, by the counter; 0 as long as one thread has recorded, and
    /// 1 until it is known.
    since: AtomicU64,
    /// Number of the first thread; 0 as long as there is none.
    first: AtomicU32,
}

static PAGE: Page = Page {
    alone: AtomicU64::new(0),
    any: AtomicU64::new(0),
    since: AtomicU64::new(0),
    first: AtomicU32::new(0),
};

/// What [`alone`] is once several threads record: no producer says so.
pub const SEVERAL: u64 = 1;

/// Has the kernel empty it in the child of a fork; whether it will.
pub fn forget_in_children() -> bool {
    let page = (&raw const PAGE).cast_mut().cast();
    // SAFETY: a page that nothing else lies on.
    unsafe { libc::madvise(page, size_of::<Page>(), libc::MADV_WIPEONFORK) == 0 }
}

/// What producers say when they are ready; 0 if there are none.
#[inline(always)]
pub fn any() -> u64 {
    PAGE.any.load(Ordering::Relaxed)
}

/// The same as long as one thread alone has recorded; then [`SEVERAL`].
#[inline(always)]
pub fn alone() -> u64 {
    PAGE.alone.load(Ordering::Relaxed)
}

/// From now on producers are ready that say this, which is odd and more than [`SEVERAL`].
pub fn begin(word: u64) {
    // No producer says this word yet. And either this sees that several threads record, or `note` comes to its store
    // after this one.
    PAGE.alone.store(word, Ordering::SeqCst);
    if PAGE.since.load(Ordering::SeqCst) != 0 {
        PAGE.alone.store(SEVERAL, Ordering::Relaxed);
    }
    PAGE.any.store(word, Ordering::Release);
}

/// A thread begins to record. Returns the time from which on all threads know that several do, if that is so, by a
/// clock that is read when all that comes before is done.
pub fn note(thread: u32, now: impl FnOnce() -> u64) -> Option<u64> {
    let first = PAGE
        .first
        .compare_exchange(0, thread, Ordering::Relaxed, Ordering::Relaxed);
    let is_another = first.is_err_and(|first| first != thread);
    if is_another
        && PAGE
            .since
            .compare_exchange(0, 1, Ordering::SeqCst, Ordering::Relaxed)
            .is_ok()
    {
        // All threads see it before the time is read.
        PAGE.alone.swap(SEVERAL, Ordering::SeqCst);
        PAGE.since.store(now().max(2), Ordering::Relaxed);
    }
    Some(PAGE.since.load(Ordering::Relaxed)).filter(|since| *since > 1)
}
