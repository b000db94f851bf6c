//! Grace periods of the own domains, as one protocol. Domains differ in their fences, and in when readers announce
//! what.
//!
//! # Steps
//!
//! The epoch counts the grace periods that have begun, from 1. A reader stores the epoch when its section begins, and
//! [`OUTSIDE`] when it ends; or, if it has quiescent states, when it comes online, announces one, or goes offline.
//!
//! ```text
//! synchronize                                                    reader
//!  1 want = epoch.fetch_add(0, AcqRel) + 1                        begin   epoch.load(Acquire)
//!  2 turn, or done.load(Acquire) >= want: return                          seen.store(epoch, Release); light
//!  3 new = epoch.fetch_add(1, AcqRel) + 1                         end     seen.store(OUTSIDE, Release); light
//!  4 heavy                                                                awaited.load(Relaxed): wake
//!  5 each slot: until seen.load(Acquire) is OUTSIDE or >= new     pass    epoch.load(Acquire); as seen: return
//!    (a hundred looks; then awaited = WRITER, heavy,                      seen.store(epoch, Release); light
//!    look again, sleep)                                                   awaited.load(Relaxed): wake
//!  6 done.store(new, Release); end of the turn
//! ```
//!
//! # Why no reader sees freed memory
//!
//! Before 1 the caller unlinked something. For each slot, 5 ends when it reads
//!
//! - a value of at least `new`. It was stored with Release, so all that this reader did before happens before 6. The
//!   reader had loaded an epoch of at least `new` with Acquire. All changes of the epoch are additions, which make one
//!   release sequence, and 3 is behind the unlinking. So the reader sees the unlinking in all that it does later.
//! - [`OUTSIDE`], stored with Release or never changed: earlier sections happen before 6. A later section of this slot
//!   stored `seen` behind the value that 5 read. Of its light fence and the heavy one in 4, the light one cannot have
//!   come first, or 5 would have read what was stored before it. So the heavy one did, and the reader's loads see the
//!   unlinking.
//!
//! # Why callers may share
//!
//! 1 changes the word that 3 changes, though by nothing. Either 3 reads what 1 wrote, and the unlinking before 1
//! happens before that grace period; or 1 reads what 3 wrote, and wants the next. So whoever finds in 2 that the grace
//! period that it wants is done may return: a whole one began after its unlinking. On x86-64 a compiler makes a full
//! fence and a load of an addition of 0, which keeps this. A load alone would not: it needs that fence before it.
//!
//! # Why nobody sleeps for ever
//!
//! The writer stores `awaited`, has a heavy fence, and looks at `seen`. The reader stores `seen`, has a light fence,
//! and looks at `awaited`. At least one sees what the other stored. The kernel compares `awaited` before it lets the
//! writer sleep. Only the writer that has the turn sleeps for a reader, so one word for each reader is enough, and no
//! other reader's end wakes it. `turn` says why no writer sleeps for ever for another.

use std::marker::PhantomData;

use super::atomic::{AtomicU64, Ordering, pause};
use super::fence::Fences;
use super::slots::{NOBODY, OUTSIDE, Slot, Slots, WRITER};
use super::turn::Turn;

/// The word that readers load. It has its lines to itself, as all readers share them.
#[derive(Debug)]
#[repr(align(128))]
struct Epoch(AtomicU64);

/// A domain with these fences.
#[derive(Debug)]
pub struct Domain<F> {
    epoch: Epoch,
    /// The latest grace period that has ended.
    done: AtomicU64,
    turn: Turn,
    slots: Slots,
    fences: PhantomData<fn() -> F>,
}

/// The words that a reader needs.
#[derive(Debug, Clone, Copy)]
pub struct Place<'d> {
    epoch: &'d AtomicU64,
    slot: &'d Slot,
}

impl<F: Fences> Domain<F> {
    /// A domain without readers.
    pub fn new() -> Self {
        Self {
            epoch: Epoch(AtomicU64::new(1)),
            done: AtomicU64::new(1),
            turn: Turn::new(),
            slots: Slots::new(),
            fences: PhantomData,
        }
    }

    /// How many grace periods have begun, plus 1.
    pub fn epoch(&self) -> u64 {
        self.epoch.0.load(Ordering::Relaxed)
    }

    /// A place for a reader, outside.
    pub fn join(&self) -> Place<'_> {
        Place {
            epoch: &self.epoch.0,
            slot: self.slots.claim(),
        }
    }

    /// Waits for a grace period. The caller is outside.
    pub fn synchronize(&self) {
        // 1
        let want = self.epoch.0.fetch_add(0, Ordering::AcqRel) + 1;
        // 2
        let is_done = || self.done.load(Ordering::Acquire) >= want;
        let Some(turn) = self.turn.take(F::LOOKS_AT_TURN, is_done) else {
            return;
        };
        let new = self.start();
        self.finish(new);
        // 6
        self.done.store(new, Ordering::Release);
        drop(turn);
    }

    /// Steps 3 and 4. The caller has the turn.
    pub fn start(&self) -> u64 {
        let new = self.epoch.0.fetch_add(1, Ordering::AcqRel) + 1;
        F::heavy();
        new
    }

    /// Step 5. The caller has the turn.
    pub fn finish(&self, new: u64) {
        for slot in self.slots.iter() {
            let mut looks = 0;
            while slot.holds_up(new) {
                if looks < F::LOOKS {
                    looks += 1;
                    pause();
                } else {
                    sleep::<F>(slot, new);
                }
            }
        }
    }
}

/// Sleeps until the reader says something, if it still holds the grace period up.
fn sleep<F: Fences>(slot: &Slot, new: u64) {
    slot.awaited.store(WRITER, Ordering::Relaxed);
    F::heavy();
    if slot.holds_up(new) {
        slot.awaited.wait(WRITER);
        F::slept();
    }
    slot.awaited.store(NOBODY, Ordering::Relaxed);
}

impl Place<'_> {
    /// Begins a section, or comes online.
    #[inline(always)]
    pub fn begin<F: Fences>(&self) {
        let epoch = self.epoch.load(Ordering::Acquire);
        self.slot.seen.store(epoch, Ordering::Release);
        F::light();
    }

    /// Ends a section, or goes offline.
    #[inline(always)]
    pub fn end<F: Fences>(&self) {
        self.slot.seen.store(OUTSIDE, Ordering::Release);
        F::light();
        self.wake::<F>();
    }

    /// Announces a quiescent state, if a grace period has begun since the last one.
    #[inline(always)]
    pub fn pass<F: Fences>(&self) {
        let epoch = self.epoch.load(Ordering::Acquire);
        if self.slot.seen.load(Ordering::Relaxed) != epoch {
            F::passes();
            self.slot.seen.store(epoch, Ordering::Release);
            F::light();
            self.wake::<F>();
        }
    }

    #[inline(always)]
    fn wake<F: Fences>(&self) {
        if self.slot.awaited.load(Ordering::Relaxed) != NOBODY {
            wake::<F>(self.slot);
        }
    }

    /// Whether a grace period that has begun waits for the reader.
    pub fn holds_up(&self) -> bool {
        self.slot.holds_up(self.epoch.load(Ordering::Relaxed))
    }

    /// Gives the place back. The reader is outside, and uses it no more.
    pub fn leave(self) {
        self.slot.release();
    }
}

#[cold]
#[inline(never)]
fn wake<F: Fences>(slot: &Slot) {
    if slot.awaited.swap(NOBODY, Ordering::Relaxed) == WRITER {
        slot.awaited.wake_one();
        F::woke();
    }
}
