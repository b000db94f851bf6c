//! The read side of liburcu's flavours with nested sections, inlined: memb, mb and signal, and what bp has of it.
//!
//! It does to the reader's word and to the library's the same as the headers of soname 8, in the same order. These
//! promise to match the library as long as that stays. [`trial`](super::trial) sees that it fits the library
//! that was loaded. Numbers are steps of both sides:
//!
//! ```text
//! enter  1 a barrier for the compiler       exit  1 load the own word
//!        2 load the own word                      2 nested: store it less 1
//!        3 nested: store it plus 1                3 else the light barrier, store it less 1, the light barrier
//!        4 else store gp's word, then the           if the futex is -1 now, a grace period sleeps: store 0 there and
//!          light barrier                            wake it
//!                                                 4 a barrier for the compiler
//! ```
//!
//! Stores are `Release`: the same instruction as a plain store here, and what tells others what it means.
#![expect(unsafe_code, reason = "a system call wakes the grace period")]

use std::hint::cold_path;
use std::ptr::null;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering, compiler_fence};

use crate::counts::{Counters, count};

use super::barrier::Light;
use super::words::{Gp, NEST, PHASE};

/// The futex while a grace period sleeps.
pub const SLEEPS: i32 = -1;

/// Opens a section.
#[inline(always)]
pub fn enter<L: Light>(word: &AtomicU64, gp: &Gp, has: &AtomicI32) {
    compiler_fence(Ordering::SeqCst); // 1
    let own = word.load(Ordering::Relaxed); // 2
    if own & NEST == 0 {
        word.store(gp.ctr.load(Ordering::Relaxed), Ordering::Release); // 4
        L::light(has);
    } else {
        cold_path();
        nest(word, own); // 3
    }
}

/// Opens a section within others, which were forgotten: all of them count. When no more can be counted, another one
/// would change the phase, and the reader would be in none.
#[cold]
#[inline(never)]
fn nest(word: &AtomicU64, own: u64) {
    if own & NEST == NEST {
        std::process::abort();
    }
    word.store(own + 1, Ordering::Release);
}

/// Ends a section.
#[inline(always)]
pub fn exit<L: Light>(
    word: &AtomicU64,
    gp: &Gp,
    has: &AtomicI32,
    counters: impl FnOnce() -> &'static Counters,
) {
    let own = word.load(Ordering::Relaxed); // 1
    if own & NEST == 1 {
        L::end(word, own - 1, has); // 3
        wake_if_asleep(gp, counters);
    } else {
        cold_path();
        unnest(word, own); // 2
    }
    compiler_fence(Ordering::SeqCst); // 4
}

/// Ends a section within others.
#[cold]
#[inline(never)]
fn unnest(word: &AtomicU64, own: u64) {
    word.store(own - 1, Ordering::Release);
}

/// Wakes a grace period that sleeps until a section ends.
#[inline(always)]
pub fn wake_if_asleep(gp: &Gp, counters: impl FnOnce() -> &'static Counters) {
    if gp.futex.load(Ordering::Relaxed) == SLEEPS {
        cold_path();
        wake(gp, counters());
    }
}

#[cold]
#[inline(never)]
fn wake(gp: &Gp, counters: &Counters) {
    gp.futex.store(0, Ordering::Relaxed);
    count(&counters.futex_wakes);
    let (woken, unused) = (1, null::<u32>());
    // SAFETY: the word stays; the kernel only takes its address for a name of those who sleep.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            &raw const gp.futex,
            libc::FUTEX_WAKE,
            woken,
            unused,
            unused,
            0,
        )
    };
}

/// Ends all sections of a reader that were forgotten.
pub fn end_forgotten<L: Light>(word: &AtomicU64, has: &AtomicI32) -> bool {
    let own = word.load(Ordering::Relaxed);
    let is_in_one = own & NEST != 0;
    if is_in_one {
        L::end(word, own & !NEST, has);
    }
    is_in_one
}

/// Whether a grace period that has begun some time ago waits for the reader: its section is of the phase before.
pub fn holds_up(word: &AtomicU64, gp: &Gp) -> bool {
    let own = word.load(Ordering::Acquire);
    own & NEST != 0 && (own ^ gp.ctr.load(Ordering::Relaxed)) & PHASE != 0
}

#[cfg(test)]
mod tests;
