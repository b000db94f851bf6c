//! Native code of a program, executed as sites call it.
#![expect(
    unsafe_code,
    reason = "code is called that was made just now, with addresses of texts"
)]

use alloc::sync::Arc;
use core::arch::global_asm;
use core::mem::transmute;

use super::passed::read;
use crate::emitter::{Outside, Target, emit};
use crate::lowered::Lowered;
use crate::memory::{Code, publish};
use crate::place::Place;
use crate::program::Verdict;

/// Most words of a site that passes each by itself.
const MOST: usize = 2 * perflab_abi::FEW_ARGUMENTS;

/// What the handlers return: the number of a verdict; or this, if what the site passed did not arrive.
const CHANGED: u64 = 3;

/// Native code of a program for both ways in which sites pass words.
#[derive(Debug)]
pub struct Native {
    by_record: Code,
    /// If there are not too many words.
    by_registers: Option<Code>,
    words: usize,
}

/// What a site passes as its point, to see whether the words that it passes arrive behind the filter.
#[repr(C)]
struct Seen {
    words: *const u64,
    count: usize,
}

impl Native {
    /// Makes code for events with so many words. Nothing if the program has to be interpreted. Fields of the context
    /// but `ip` and `pthread_id` are 0.
    ///
    /// # Panics
    /// When there is no memory for code.
    pub fn new(lowered: &Arc<Lowered>, places: &[Place], words: usize) -> Option<Self> {
        let outside = Outside {
            read,
            fill: |_, _| {},
        };
        Self::with_outside(lowered, places, words, outside)
    }

    /// The same with what the code knows of the process.
    ///
    /// # Panics
    /// When there is no memory for code.
    pub fn with_outside(
        lowered: &Arc<Lowered>,
        places: &[Place],
        words: usize,
        outside: Outside,
    ) -> Option<Self> {
        let code = |by_record, next, reject| {
            let target = Target {
                reject,
                accept: perflab_bpf_accept as *const () as usize,
                trigger: perflab_bpf_trigger as *const () as usize,
                next,
                by_record,
                outside,
            };
            let emitted = emit(lowered, places, &target).ok()?;
            Some(publish(emitted, &mut |_, _| Ok(())).expect("there is memory for code"))
        };
        let by_registers = || {
            let (next, reject) = (recorded as *const (), rejected as *const ());
            code(false, next as usize, reject as usize)
        };
        let next = recorded_by_record as *const () as usize;
        let reject = rejected_by_record as *const () as usize;
        Some(Self {
            by_record: code(true, next, reject)?,
            by_registers: (words <= MOST).then(by_registers).flatten(),
            words,
        })
    }

    /// Judges an event in both ways.
    ///
    /// # Safety
    /// As [`crate::judge`].
    ///
    /// # Panics
    /// If the verdicts differ, or if words of the event do not arrive at the handler as they were passed.
    pub unsafe fn judge(&self, words: &[u64]) -> Verdict {
        assert_eq!(words.len(), self.words, "words of an event");
        let seen = Seen {
            words: words.as_ptr(),
            count: words.len(),
        };
        // SAFETY: the code is called as a site calls it; its caller vouches for the words.
        let first = unsafe {
            let code = transmute::<*const (), ByRecord>(self.by_record.entry());
            code(&raw const seen, words.as_ptr())
        };
        if let Some(code) = &self.by_registers {
            let mut all = [0; MOST];
            all[..words.len()].copy_from_slice(words);
            // SAFETY: as above.
            let second = unsafe { call(code.entry(), &raw const seen, all) };
            assert_eq!(second, first, "by registers and by record");
        }
        match first {
            0 => Verdict::Reject,
            1 => Verdict::Record,
            2 => Verdict::RecordAndTrigger,
            _ => panic!("the words do not arrive as they were passed"),
        }
    }
}

// Accepted events come here. As code that stays does, it goes on at the address in rax.
global_asm!(
    ".pushsection .text.perflab_bpf_ends,\"ax\",@progbits",
    ".globl perflab_bpf_accept",
    ".hidden perflab_bpf_accept",
    ".type perflab_bpf_accept,@function",
    "perflab_bpf_accept:",
    "jmp rax",
    ".size perflab_bpf_accept, . - perflab_bpf_accept",
    ".globl perflab_bpf_trigger",
    ".hidden perflab_bpf_trigger",
    ".type perflab_bpf_trigger,@function",
    "perflab_bpf_trigger:",
    // The handler marks with the lowest bit of the point's address that it is the other verdict.
    "or rdi, 1",
    "jmp rax",
    ".size perflab_bpf_trigger, . - perflab_bpf_trigger",
    ".popsection",
);

unsafe extern "C" {
    fn perflab_bpf_accept();
    fn perflab_bpf_trigger();
}

type ByRecord = unsafe extern "C" fn(*const Seen, *const u64) -> u64;

extern "C" fn recorded_by_record(point: *const Seen, words: *const u64) -> u64 {
    arrived(point, |seen| seen.words == words)
}

extern "C" fn rejected_by_record(point: *const Seen, words: *const u64) -> u64 {
    instead(recorded_by_record(point, words))
}

/// Turns the verdict of a handler that records into that of one to which rejected events come: the words must arrive
/// there too, as it may be another filter.
fn instead(verdict: u64) -> u64 {
    if verdict == Verdict::Record as u64 {
        Verdict::Reject as u64
    } else {
        CHANGED
    }
}

/// The verdict of a handler that was given this point, if what else it was given is right.
fn arrived(point: *const Seen, is_right: impl FnOnce(&Seen) -> bool) -> u64 {
    let is_trigger = point.addr() & 1 != 0;
    // SAFETY: the address of what `judge` passes, which is at a multiple of 8.
    let seen = unsafe { &*point.map_addr(|address| address & !1) };
    match (is_right(seen), is_trigger) {
        (false, _) => CHANGED,
        (true, false) => Verdict::Record as u64,
        (true, true) => Verdict::RecordAndTrigger as u64,
    }
}

macro_rules! by_registers {
    ($($word:ident)*) => {
        type ByRegisters = unsafe extern "C" fn(*const Seen, $(by_registers!(@word $word)),*) -> u64;

        extern "C" fn recorded(point: *const Seen, $($word: u64),*) -> u64 {
            let found = [$($word),*];
            arrived(point, |seen| {
                // SAFETY: these are the words that `judge` passes.
                let words = unsafe { core::slice::from_raw_parts(seen.words, seen.count) };
                found.get(..words.len()) == Some(words)
            })
        }

        extern "C" fn rejected(point: *const Seen, $($word: u64),*) -> u64 {
            instead(recorded(point, $($word),*))
        }

        /// Calls code as a site does that passes each word by itself. It may pass more than there are.
        ///
        /// # Safety
        /// The code may be called so.
        unsafe fn call(code: *const (), point: *const Seen, words: [u64; MOST]) -> u64 {
            let [$($word),*] = words;
            // SAFETY: what the caller promises.
            unsafe {
                let code = transmute::<*const (), ByRegisters>(code);
                code(point, $($word),*)
            }
        }
    };
    (@word $word:ident) => { u64 };
}

by_registers!(a b c d e f g h i j k l m n o p q r s t u v w x);
