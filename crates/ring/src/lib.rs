//! The events of one thread, in memory that another process reads.
//!
//! One thread writes, and the signal handlers that interrupt it; it takes no lock, waits for nobody, and
//! executes no instruction that locks the bus. Readers, in any process, look at any time, and stop nothing.
//! What was written stays readable when the process is killed, at any instruction.
//!
//! # Memory
//!
//! All is 64-bit words: a head of [`HEAD_WORDS`], then blocks of one size. Blocks are used in turn, and
//! numbered without end; block `n` lies in place `n` modulo their number. A block begins with
//! [`BLOCK_HEAD`] words: its number plus one, the number of events before it, the number of events that
//! were dropped before it, and whether a record in it was helped. Records follow; none crosses the end of its block. A record is a header, the
//! time, and the event's words. See [`Header`] and [`Position`].
//!
//! # Writing a record
//!
//! 1. Load the position: the block, the number of records in it, where the next one begins, how long the
//!    last one is.
//! 2. See that the last record has a header of its block. If not, this is a signal handler that came
//!    between step 3 and 5 of another record (or that record was given up: its thread jumped out of it).
//!    Write a header for it that says *reserved*, with its length; and the head of its block, if that is
//!    missing. So that from any position all records before it can be found.
//! 3. Exchange the position for the one behind this record. If it has changed since step 1, which only
//!    a signal handler does, begin anew. If the block has no room, first note how many records it has,
//!    then exchange the position for one in the next block, and write the head of that block.
//! 4. Write the time and the words.
//! 5. Write the header, which says *committed*. It names the block, so that what lies there from former
//!    use of the same place is never taken for it.
//!
//! A handler that writes a whole round would come to the block of the record that it interrupted, whose
//! writer goes on there later. So a block with a record that was helped and is not complete is not entered.
//!
//! Processors that make stores visible in order need no more; the orderings that are named make the compiler
//! and others do so.
//!
//! In the mode [`Mode::Overwrite`] the oldest block is written over. In [`Mode::Keep`] a block is entered
//! only when the reader has given it back; else the event is dropped and counted.
//!
//! # Reading
//!
//! A reader copies a block and then loads the position. Step 3 comes before any write to the new
//! block, so if the position has not come to the block that uses the same place, the copy is whole. In the
//! copy, records follow each other from the head of the block up to a header that is not of this block.
#![no_std]

mod layout;
mod producer;
mod reader;
mod reserve;

pub use layout::{BLOCK_HEAD, HEAD_WORDS, Header, Mode, Position, State, word};
pub use producer::{Outcome, Producer, Step, Steps};
pub use reader::{Block, Reader, Record, Records};

/// The tests of the protocol put others in their place.
mod atomic {
    pub use core::sync::atomic::{AtomicU64, Ordering, fence};

    /// Keeps the compiler from moving what comes before and behind it past each other, as a signal handler of
    /// the same thread would see.
    #[inline(always)]
    pub fn fence_for_handlers() {
        core::sync::atomic::compiler_fence(Ordering::SeqCst);
    }

    /// Exchanges a word that only this thread and its signal handlers write: one instruction, which a
    /// handler cannot come into, and which needs not lock the bus as no other processor writes there.
    ///
    /// Returns whether the word was `old`.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    #[expect(unsafe_code, reason = "an instruction that no language offers")]
    pub fn exchange(word: &AtomicU64, old: u64, new: u64) -> bool {
        let found: u64;
        // SAFETY: it accesses one aligned word that may be written. That it does so without a lock is what
        // the word's contract allows: one thread writes.
        unsafe {
            core::arch::asm!(
                "cmpxchg [{word}], {new}",
                word = in(reg) word.as_ptr(),
                new = in(reg) new,
                inout("rax") old => found,
                options(nostack),
            );
        }
        found == old
    }

    /// As on x86-64, by the atomic operation of the language.
    #[cfg(not(target_arch = "x86_64"))]
    #[inline(always)]
    pub fn exchange(word: &AtomicU64, old: u64, new: u64) -> bool {
        word.compare_exchange(old, new, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
    }
}
