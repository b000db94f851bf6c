//! qsbr: sections cost nothing, and readers announce quiescent states.
//!
//! Whether the thread has news to tell is looked up inline. What follows then is left to the library, which alone knows
//! for whom a grace period waits.
#![expect(unsafe_code, reason = "a library keeps the promise of the trait")]

use std::hint::cold_path;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::counts::{Counts, count};
use crate::evidence::{Facts, Sign};
use crate::flavour::Flavour;
use crate::readers::DomainState;
use crate::unavailable::{NotAtWork, Unavailable};

use super::expected::{Bound, Word, judge};
use super::library::{Kind, Library};
use super::load::{Liburcu, load};
use super::words::{Function, Gp, States};

/// liburcu's qsbr. A thread that is a reader is in a section from each quiescent state to the next, unless it is
/// offline.
#[derive(Debug, Clone, Copy)]
pub struct Qsbr;

/// A reader's place.
#[derive(Clone, Copy)]
pub struct Place {
    /// `ctr`, the first word of the thread's `urcu_qsbr_reader`.
    word: *const AtomicU64,
    gp: &'static Gp,
    states: &'static States,
}

impl Place {
    /// # Safety
    /// The calling thread joined and got this place.
    #[inline(always)]
    unsafe fn word<'t>(&self) -> &'t AtomicU64 {
        // SAFETY: the variable of this thread, which stays as long as the thread.
        unsafe { &*self.word }
    }

    /// ThreadSanitizer does not see the library's store to the word, which comes after the sections as this one does.
    ///
    /// # Safety
    /// As of `word`.
    #[inline(always)]
    unsafe fn tell_sanitizer(&self) {
        #[cfg(perflab_tsan)]
        {
            // SAFETY: as the caller promises.
            let word = unsafe { self.word() };
            word.store(word.load(Ordering::Relaxed), Ordering::Release);
        }
    }
}

/// The end of a time in which there may have been sections.
///
/// # Safety
/// The calling thread joined, and is in no section. The function is one of the library's [`States`].
#[cold]
#[inline(never)]
unsafe fn announce(function: Function) {
    count(&Qsbr::domain().counters().quiescent_states);
    // SAFETY: the thread registered when it joined.
    unsafe { function() };
}

// SAFETY: the library's grace periods wait until each reader that is online has announced a quiescent state, by
// functions of the library itself. A thread is online from `join` on, but between `offline` and `online`.
unsafe impl Flavour for Qsbr {
    const NAME: &'static str = "qsbr";

    const SIGN: Sign = Sign::States;

    const TIMES: u64 = 1;

    const STEP: u64 = 2;

    type Place = Place;

    #[inline]
    fn load() -> Result<(), Unavailable> {
        load::<Self>()
    }

    unsafe fn join() -> Result<Place, Unavailable> {
        let library = Kind::Qsbr.library()?;
        let place = Place {
            word: library.reader()?.cast::<AtomicU64>().as_ptr(),
            gp: library.shared.gp,
            states: states(library)?,
        };
        // SAFETY: the thread is no reader, as the caller promises, and leaves before it ends.
        unsafe { (library.functions.register)() };
        Ok(place)
    }

    unsafe fn leave(_: Place) {
        if let Ok(library) = Kind::Qsbr.library()
            && let Some(unregister) = library.functions.unregister
        {
            // SAFETY: the thread registered when it joined, and is in no section. It goes offline by that.
            unsafe { unregister() };
        }
    }

    #[inline(always)]
    unsafe fn enter(_: &Place) {}

    #[inline(always)]
    unsafe fn exit(_: &Place) {}

    /// A section leaves nothing behind.
    unsafe fn end_forgotten(_: &Place) {}

    #[inline(always)]
    unsafe fn quiescent(place: &Place) {
        // SAFETY: the place is the calling thread's.
        let word = unsafe { place.word() };
        if place.gp.ctr.load(Ordering::Relaxed) != word.load(Ordering::Relaxed) {
            cold_path();
            // SAFETY: the place is the calling thread's, which is in no section.
            unsafe {
                place.tell_sanitizer();
                announce(place.states.quiescent);
            }
        }
    }

    unsafe fn offline(place: &Place) {
        // SAFETY: the place is the calling thread's, which is in no section.
        unsafe {
            place.tell_sanitizer();
            announce(place.states.offline);
        }
    }

    unsafe fn online(place: &Place) {
        // SAFETY: the thread registered when it joined.
        unsafe { (place.states.online)() };
    }

    unsafe fn synchronize() {
        if let Ok(library) = Kind::Qsbr.library() {
            // SAFETY: the caller is no reader, or offline.
            unsafe { (library.functions.synchronize)() };
        }
        super::tell_sanitizer::<Self>();
    }

    unsafe fn holds_up(place: &Place) -> bool {
        // SAFETY: the thread lives, so its variable does: it leaves before it ends, as `join` was promised.
        let seen = unsafe { &*place.word }.load(Ordering::Acquire);
        seen != 0 && seen != place.gp.ctr.load(Ordering::Relaxed)
    }

    fn domain() -> &'static DomainState {
        &Kind::Qsbr.state().domain
    }

    fn facts() -> Facts {
        super::facts(Kind::Qsbr)
    }

    fn counts() -> Counts {
        super::counts(Kind::Qsbr)
    }

    fn mechanism(before: &Counts, after: &Counts, readers: u64) -> Result<(), NotAtWork> {
        let states = Bound::STATES.at_least(readers);
        let bounds = [states, Bound::EXPEDITED, Bound::GLOBAL, Bound::SIGNALS];
        judge::<Self>(before, after, readers, Word::GrowsByTwo, &bounds)
    }
}

/// The functions that only this library has.
fn states(library: &Library) -> Result<&States, Unavailable> {
    library.functions.states.as_ref().ok_or_else(|| {
        let library = library.file().display().to_string();
        Unavailable::NotAsExpected(format!("qsbr: {library} has no quiescent states"))
    })
}

impl Liburcu for Qsbr {
    const KIND: Kind = Kind::Qsbr;
    const AS_GLOBAL: bool = false;

    fn check(_: &Library) -> Result<(), Unavailable> {
        Ok(())
    }

    fn prepare(_: &Library) -> Result<(), Unavailable> {
        Ok(())
    }

    unsafe fn word<'t>(place: &Place) -> &'t AtomicU64 {
        // SAFETY: as the caller promises.
        unsafe { place.word() }
    }
}
