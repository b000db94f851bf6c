//! A read-write lock as a flavour, to compare the others with.
//!
//! A section holds the lock for reading. A grace period is one moment in which a writer holds it: every section that
//! was open has ended, and none is open. Waiting writers go before readers that come later, or with many readers no
//! grace period would ever end.
#![expect(
    unsafe_code,
    reason = "the lock of the C library keeps a flavour's promise"
)]

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::atomic::Ordering;
use std::sync::{LazyLock, OnceLock};

use crate::alive;
use crate::counts::{Counts, count};
use crate::evidence::Sign;
use crate::flavour::Flavour;
use crate::own::slots::{OUTSIDE, Slot, Slots};
use crate::readers::DomainState;
use crate::unavailable::{NotAtWork, Unavailable};

/// `PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP` of glibc. Its `PTHREAD_RWLOCK_PREFER_WRITER_NP` prefers readers.
const PREFER_WRITERS: libc::c_int = 2;

/// A read-write lock whose writers go first.
#[derive(Debug)]
pub struct Lock;

/// The lock of the C library, which stays where it is.
struct ReadWrite(UnsafeCell<libc::pthread_rwlock_t>);

// SAFETY: the functions of the C library may be called from any thread.
unsafe impl Sync for ReadWrite {}

static LOCK: ReadWrite = ReadWrite(UnsafeCell::new(libc::PTHREAD_RWLOCK_INITIALIZER));
static LOADED: OnceLock<Result<(), Unavailable>> = OnceLock::new();
static SLOTS: LazyLock<Slots> = LazyLock::new(Slots::new);
static STATE: DomainState = DomainState::new(Lock::NAME);

/// A reader's word while it has the lock.
const INSIDE: u64 = 1;

/// The word in a section without the lock, in a child of a fork: nobody frees anything there.
const UNLOCKED: u64 = 2;

impl ReadWrite {
    /// Makes writers go first.
    ///
    /// # Safety
    /// Nobody has used the lock.
    unsafe fn prefer_writers(&self) -> Result<(), Unavailable> {
        let mut attributes = MaybeUninit::uninit();
        let attributes: *mut libc::pthread_rwlockattr_t = attributes.as_mut_ptr();
        // SAFETY: the first call fills the attributes.
        said("pthread_rwlockattr_init", unsafe {
            libc::pthread_rwlockattr_init(attributes)
        })?;
        // SAFETY: the attributes were filled. Nobody uses the lock meanwhile, as the caller promises.
        let (set, made) = unsafe {
            let set = libc::pthread_rwlockattr_setkind_np(attributes, PREFER_WRITERS);
            let made = libc::pthread_rwlock_init(self.0.get(), attributes);
            libc::pthread_rwlockattr_destroy(attributes);
            (set, made)
        };
        said("pthread_rwlockattr_setkind_np", set)?;
        said("pthread_rwlock_init", made)
    }

    #[inline(always)]
    fn read(&self) {
        // SAFETY: the lock was made, and is never destroyed.
        let error = unsafe { libc::pthread_rwlock_rdlock(self.0.get()) };
        assert!(error == 0, "pthread_rwlock_rdlock: error {error}");
    }

    /// The same in a child of a fork; returns what the reader's word is then. A writer that the child does not have may
    /// have had the lock, or have waited for it: it would never let a reader in.
    #[cold]
    fn read_in_child(&self) -> u64 {
        // SAFETY: as in `read`.
        match unsafe { libc::pthread_rwlock_tryrdlock(self.0.get()) } {
            0 => INSIDE,
            _ => UNLOCKED,
        }
    }

    fn write(&self) {
        // SAFETY: the lock was made, and is never destroyed.
        let error = unsafe { libc::pthread_rwlock_wrlock(self.0.get()) };
        assert!(error == 0, "pthread_rwlock_wrlock: error {error}");
    }

    /// # Safety
    /// The calling thread has the lock, and nothing that it protects.
    #[inline(always)]
    unsafe fn unlock(&self) {
        // SAFETY: as the caller promises.
        unsafe { libc::pthread_rwlock_unlock(self.0.get()) };
    }
}

fn said(call: &'static str, error: i32) -> Result<(), Unavailable> {
    match error {
        0 => Ok(()),
        error => Err(Unavailable::Call { call, error }),
    }
}

// SAFETY: a section holds the lock for reading. `synchronize` gets it for writing when no section is open, and all that
// they did happens before. Sections that are entered later lock after it was unlocked, so they see what came before. A
// child of a fork may have sections without the lock, and has no grace periods.
unsafe impl Flavour for Lock {
    const NAME: &'static str = "rwlock";

    const SIGN: Sign = Sign::WriteLocks;

    const TIMES: u64 = 1;

    const SHARES: bool = false;

    /// Says whether the reader has the lock, to itself and to those who look at it.
    type Place = &'static Slot;

    fn load() -> Result<(), Unavailable> {
        // SAFETY: this is done once, and no other function of the flavour is called before.
        let load = || unsafe { LOCK.prefer_writers() };
        LOADED.get_or_init(load).clone()
    }

    unsafe fn join() -> Result<Self::Place, Unavailable> {
        Ok(SLOTS.claim())
    }

    unsafe fn leave(place: Self::Place) {
        place.release();
    }

    #[inline(always)]
    unsafe fn enter(place: &Self::Place) {
        // A section that was forgotten holds the lock. Locking again could wait for a writer that waits for this
        // thread.
        if place.seen.load(Ordering::Relaxed) == OUTSIDE {
            let inside = if alive::is_forked() {
                LOCK.read_in_child()
            } else {
                LOCK.read();
                INSIDE
            };
            place.seen.store(inside, Ordering::Relaxed);
        }
    }

    #[inline(always)]
    unsafe fn exit(place: &Self::Place) {
        let is_locked = place.seen.load(Ordering::Relaxed) == INSIDE;
        place.seen.store(OUTSIDE, Ordering::Relaxed);
        if is_locked {
            // SAFETY: `enter` locked it, or a forgotten section did. References into the section have ended.
            unsafe { LOCK.unlock() };
        }
    }

    unsafe fn end_forgotten(place: &Self::Place) {
        if place.seen.load(Ordering::Relaxed) != OUTSIDE {
            // SAFETY: a forgotten section is open, as the word says, and it is used no more.
            unsafe { Self::exit(place) };
        }
    }

    unsafe fn synchronize() {
        LOCK.write();
        count(&STATE.counters().write_locks);
        // SAFETY: this thread has just locked it.
        unsafe { LOCK.unlock() };
    }

    unsafe fn holds_up(place: &Self::Place) -> bool {
        place.seen.load(Ordering::Relaxed) != OUTSIDE
    }

    fn domain() -> &'static DomainState {
        &STATE
    }

    fn mechanism(before: &Counts, after: &Counts, _: u64) -> Result<(), NotAtWork> {
        let counted = after.since(before);
        let barriers =
            counted.membarrier_expedited + counted.membarrier_global + counted.membarrier_other;
        if counted.write_locks == 1 && barriers == 0 {
            return Ok(());
        }
        Err(NotAtWork(format!(
            "{}: in 1 grace period, locks for writing: {}, expected 1; calls of membarrier: {barriers}, expected 0",
            Self::NAME,
            counted.write_locks
        )))
    }
}
