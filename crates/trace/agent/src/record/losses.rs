//! Counts events that have no ring, by the reason.
#![expect(unsafe_code, reason = "the counts are in a page of a file")]

use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::time::Duration;

use perflab_abi::recording::losses;
use perflab_ring::Mode;

use super::before::Begin;
use super::{ready, slots};
use crate::numbers;

/// Words of the page that mean something, see [`losses`].
const WORDS: usize = losses::LIMITED + 1;

/// The page; null if there is none. A child of a fork counts in its parent's until it has one of its own.
static PAGE: AtomicPtr<[AtomicU64; WORDS]> = AtomicPtr::new(std::ptr::null_mut());

fn words() -> Option<&'static [AtomicU64; WORDS]> {
    // SAFETY: null, or what `count_in` was given, which stays, in children too.
    unsafe { PAGE.load(Ordering::Acquire).as_ref() }
}

/// Where events without a ring are counted.
///
/// # Safety
/// A page of words is there, and stays for as long as the process.
pub unsafe fn count_in(page: *const AtomicU64) {
    PAGE.store(page.cast_mut().cast(), Ordering::Release);
}

/// Events without a ring are not counted any more: nobody wants those of this child of a fork.
pub fn count_nowhere() {
    PAGE.store(std::ptr::null_mut(), Ordering::Release);
}

/// Whether no more rings can be made, for want of memory.
static IS_FULL: AtomicBool = AtomicBool::new(false);

/// Says whether no more rings can be made.
pub fn set_full(is_full: bool) {
    IS_FULL.store(is_full, Ordering::Relaxed);
}

/// Counts events that the process has recorded on its own, of a thread that has ended, whose ring makes room for that
/// of another one.
pub fn lose_with_ring(events: u64, mode: Mode) {
    let why = match mode {
        Mode::Keep => losses::OWN_REUSED,
        Mode::Overwrite => losses::NO_RING,
    };
    if let Some(words) = words() {
        words[why].fetch_add(events, Ordering::Relaxed);
    }
}

/// Counts an event that has no ring.
#[cold]
pub fn lose() {
    let Some(words) = words() else { return };
    if ready::any() != 0 {
        // The child of a vfork never has one. Where memory is full, no event takes a system call to say so.
        let may_have_one =
            || slots::process() == Some(std::process::id()) && numbers::thread().is_some();
        let why = if !IS_FULL.load(Ordering::Relaxed) && may_have_one() {
            losses::LATE
        } else {
            losses::NO_RING
        };
        words[why].fetch_add(1, Ordering::Relaxed);
        return;
    }
    // A child that has nothing yet, or never will.
    words[losses::UNREACHED].fetch_add(1, Ordering::Relaxed);
    let Some(process) = numbers::process().map(u64::from) else {
        return;
    };
    for word in &words[losses::CHILDREN] {
        match word.compare_exchange(0, process, Ordering::Relaxed, Ordering::Relaxed) {
            Err(other) if other != process => {}
            _ => return,
        }
    }
}

/// An event came that stops the recording which waits for this number.
pub fn trigger(number: u64) {
    if let Some(words) = words() {
        words[losses::TRIGGER].store(number, Ordering::Release);
    }
}

/// For so long a filter left out events, as there were more than it may take.
pub fn limited(time: Duration) {
    if let Some(words) = words() {
        let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        words[losses::LIMITED].fetch_add(time, Ordering::Relaxed);
    }
}

/// The process records on its own.
pub fn own() {
    if let Some(words) = words() {
        words[losses::HAS_OWN].store(1, Ordering::Release);
    }
}

/// A recorder was let go.
pub fn let_go() {
    if let Some(words) = words() {
        words[losses::LET_GO].fetch_add(1, Ordering::Release);
    }
}

/// A recording begins: what was counted before is none of its losses.
///
/// Events without a ring are counted in this process's page.
pub fn begin(begin: Begin) {
    let Some(words) = words() else { return };
    for (index, count) in losses::COUNTS.into_iter().enumerate() {
        let before = [
            losses::BEFORE_KEPT,
            losses::BEFORE_OVERWRITTEN,
            losses::OTHERS_BEFORE_KEPT,
        ];
        let before = before.map(|before| &words[before[index]]);
        begin.write(words[count].load(Ordering::Relaxed), before);
    }
    if begin == Begin::Kept {
        words[losses::LIMITED].store(0, Ordering::Relaxed);
    }
    if begin == Begin::Own {
        words[losses::OWN_REUSED].store(0, Ordering::Relaxed);
    }
    for child in &words[losses::CHILDREN] {
        child.store(0, Ordering::Relaxed);
    }
}
