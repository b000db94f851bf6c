//! bp, the bulletproof flavour: its readers need not join, and pay for that with a pointer that each section follows.
#![expect(unsafe_code, reason = "a library keeps the promise of the trait")]

use std::hint::cold_path;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU64, Ordering, compiler_fence};

use crate::counts::Counts;
use crate::evidence::{Facts, Sign};
use crate::flavour::Flavour;
use crate::readers::DomainState;
use crate::unavailable::{NotAtWork, Unavailable};

use super::barrier::{Barrier, Dynamic, Light, Mfence};
use super::expected::{Bound, Word, judge};
use super::inline;
use super::library::{Kind, Library};
use super::load::{Liburcu, load};
use super::words::{Function, Gp};

/// liburcu's bp: as memb, but a thread becomes a reader with its first section, and a grace period that waits looks
/// again every 10 ms. B is the barrier of readers where the library does without membarrier.
///
/// The library leaves for a thread when it ends, under a lock that another thread of the parent may have had at a fork.
/// So a thread that was a reader ends by `_exit` or `exec` in a child. It does not return from its start function.
#[derive(Debug, Clone, Copy)]
pub struct Bp<B = Mfence>(PhantomData<B>);

/// A reader's place.
#[derive(Clone, Copy)]
pub struct Place {
    /// The thread's `urcu_bp_reader`, a pointer to its word.
    reader: *const AtomicPtr<AtomicU64>,
    gp: &'static Gp,
    has: &'static AtomicI32,
    register: Function,
}

impl Place {
    /// # Safety
    /// The calling thread joined and got this place, and is registered.
    #[inline(always)]
    unsafe fn word<'t>(&self) -> &'t AtomicU64 {
        // SAFETY: the thread's variable, whose pointer leads to memory that the library keeps for it until it ends.
        // It is read each time, as in C.
        unsafe { &*(*self.reader).load(Ordering::Relaxed) }
    }

    /// # Safety
    /// As of `word`.
    #[inline(always)]
    unsafe fn is_registered(&self) -> bool {
        // SAFETY: the thread's variable.
        !unsafe { &*self.reader }.load(Ordering::Relaxed).is_null()
    }
}

// SAFETY: the library's grace periods wait for sections that its readers have announced in their words. The read side
// here is the one that its headers have, and was tried. The library registers the thread, and unregisters it when the
// thread ends.
unsafe impl<B: Barrier> Flavour for Bp<B> {
    const NAME: &'static str = "bp";

    const SIGN: Sign = Sign::Expedited;

    const TIMES: u64 = 2;

    const SHARES: bool = false;

    type Place = Place;

    #[inline]
    fn load() -> Result<(), Unavailable> {
        load::<Self>()
    }

    unsafe fn join() -> Result<Place, Unavailable> {
        let library = Kind::Bp.library()?;
        let place = Place {
            reader: library.reader()?.cast::<AtomicPtr<AtomicU64>>().as_ptr(),
            gp: library.shared.gp,
            has: library.shared.has,
            register: library.functions.register,
        };
        // SAFETY: it may be called more than once. When the thread ends, the library frees what this allocates.
        unsafe { (place.register)() };
        // SAFETY: the thread's variable.
        let word = unsafe { &*place.reader }.load(Ordering::Relaxed);
        if word.is_null() || !word.is_aligned() {
            let file = library.file();
            return Err(Unavailable::NotAsExpected(format!(
                "bp: {} has a reader's word at {word:p}, where none can be",
                file.display()
            )));
        }
        Ok(place)
    }

    /// The thread stays registered, in no section.
    unsafe fn leave(_: Place) {}

    #[inline(always)]
    unsafe fn enter(place: &Place) {
        // SAFETY: the place is the calling thread's, and it registers if it is not.
        let word = unsafe {
            if !place.is_registered() {
                cold_path();
                (place.register)();
            }
            place.word()
        };
        inline::enter::<Dynamic<B>>(word, place.gp, place.has);
    }

    /// A barrier, a store, and a barrier for the compiler: no other case for a nested section, and nobody to wake.
    #[inline(always)]
    unsafe fn exit(place: &Place) {
        // SAFETY: the place is the calling thread's, which entered a section.
        let word = unsafe { place.word() };
        let own = word.load(Ordering::Relaxed);
        Dynamic::<B>::light(place.has);
        word.store(own.wrapping_sub(1), Ordering::Release);
        compiler_fence(Ordering::SeqCst);
    }

    unsafe fn end_forgotten(place: &Place) {
        // SAFETY: the place is the calling thread's, which registered when it joined.
        let word = unsafe { place.word() };
        inline::end_forgotten::<Dynamic<B>>(word, place.has);
    }

    unsafe fn synchronize() {
        if let Ok(library) = Kind::Bp.library() {
            // SAFETY: the caller is in no section.
            unsafe { (library.functions.synchronize)() };
        }
        super::tell_sanitizer::<Self>();
    }

    unsafe fn holds_up(place: &Place) -> bool {
        // SAFETY: the thread lives, so its variable does: it leaves before it ends, as `join` was promised. It
        // registered when it joined.
        inline::holds_up(unsafe { place.word() }, place.gp)
    }

    fn domain() -> &'static DomainState {
        &Kind::Bp.state().domain
    }

    fn facts() -> Facts {
        super::facts(Kind::Bp)
    }

    fn counts() -> Counts {
        super::counts(Kind::Bp)
    }

    fn mechanism(before: &Counts, after: &Counts, readers: u64) -> Result<(), NotAtWork> {
        let bounds = [Bound::EXPEDITED.at_least(2), Bound::GLOBAL, Bound::SIGNALS];
        judge::<Self>(before, after, readers, Word::FlipsPhase, &bounds)
    }
}

impl<B: Barrier> Liburcu for Bp<B> {
    const KIND: Kind = Kind::Bp;
    const AS_GLOBAL: bool = false;

    fn check(library: &Library) -> Result<(), Unavailable> {
        super::uses_membarrier(Self::NAME, library)
    }

    fn prepare(_: &Library) -> Result<(), Unavailable> {
        Ok(())
    }

    unsafe fn word<'t>(place: &Place) -> &'t AtomicU64 {
        // SAFETY: as the caller promises.
        unsafe { place.word() }
    }
}
