//! Whether this process is the one that used RCU, or a child that a fork made of it.
//!
//! A child has only the thread that forked. Nobody in it ends a grace period, and locks may be held for ever by threads
//! that it does not have. So one load tells a child, without a lock or a system call. It loads from a page that the
//! kernel fills with zeros in every child.
#![expect(unsafe_code, reason = "a page is mapped whose content a fork wipes")]

use std::ptr::{null_mut, without_provenance_mut};
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

/// The size of a page, in bytes.
const PAGE: usize = 4096;

/// The word that is wiped. Null before [`begin`], and [`NO_PAGE`] where the kernel cannot wipe.
static WORD: AtomicPtr<AtomicU32> = AtomicPtr::new(null_mut());

/// [`WORD`] without such a page. It is no address of a word.
const NO_PAGE: *mut AtomicU32 = without_provenance_mut(1);

/// The process that began; for kernels without pages that are wiped (before Linux 4.14).
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// Remembers this process. Called before a flavour is used, and after it was loaded; only the first call counts.
pub(crate) fn begin() {
    if !WORD.load(Ordering::Acquire).is_null() {
        return;
    }
    // Before the word is published, as others may look at it from then on.
    PROCESS.store(std::process::id(), Ordering::Relaxed);
    let word = map().unwrap_or(NO_PAGE);
    let published = WORD.compare_exchange(null_mut(), word, Ordering::Release, Ordering::Relaxed);
    if published.is_err() && word != NO_PAGE {
        // SAFETY: this page was mapped above, and nobody else has its address.
        unsafe { libc::munmap(word.cast(), PAGE) };
    }
}

/// Maps a page that children find wiped, and stores 1 in its first word.
fn map() -> Option<*mut AtomicU32> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: new memory, of the kernel's choice of address.
    let page = unsafe { libc::mmap(null_mut(), PAGE, protection, flags, -1, 0) };
    if page == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: the page was mapped above, and nobody else has its address.
    if unsafe { libc::madvise(page, PAGE, libc::MADV_WIPEONFORK) } != 0 {
        // SAFETY: as above.
        unsafe { libc::munmap(page, PAGE) };
        return None;
    }
    let word = page.cast::<AtomicU32>();
    // SAFETY: a page is aligned, and of zeros, which is a valid atomic.
    unsafe { &*word }.store(1, Ordering::Relaxed);
    Some(word)
}

/// Whether this process is a fork of one that had used a flavour. A child by vfork shares its parent's memory until it
/// executes another program, and is taken for the parent.
#[inline]
pub(crate) fn is_forked() -> bool {
    let word = WORD.load(Ordering::Acquire);
    if word.is_null() {
        return false;
    }
    if word == NO_PAGE {
        return PROCESS.load(Ordering::Relaxed) != std::process::id();
    }
    // SAFETY: what was published is a page that is never unmapped.
    unsafe { &*word }.load(Ordering::Relaxed) == 0
}
