//! Flavours whose readers count their nested sections in a thread-local variable of the library: memb, mb and signal.
//!
//! They differ in the barrier of their readers, and in what the library does instead: nothing, membarrier, or a signal
//! to each reader.
#![expect(unsafe_code, reason = "a library keeps the promise of the trait")]

use std::marker::PhantomData;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

use crate::counts::Counts;
use crate::evidence::{Facts, Sign};
use crate::flavour::Flavour;
use crate::own::membarrier::{self, Command};
use crate::readers::DomainState;
use crate::unavailable::{NotAtWork, Unavailable};

use super::barrier::{Always, Barrier, Dynamic, ForCompiler, Light, Mfence};
use super::expected::{Bound, Word, judge};
use super::inline;
use super::library::{Kind, Library};
use super::load::{Liburcu, load};
use super::signal;
use super::words::Gp;

/// The differences between these flavours.
pub trait Nested: Sized + 'static {
    /// The name.
    const CALLED: &'static str;
    /// The library.
    const LIBRARY: Kind;
    /// As [`Flavour::SIGN`].
    const SHOWS: Sign;
    /// Whether the library's expedited membarriers are made global ones.
    const GLOBAL: bool = false;
    /// The barrier of readers.
    type Light: Light;

    /// As [`Liburcu::check`].
    fn suits(_: &Library) -> Result<(), Unavailable> {
        Ok(())
    }

    /// As [`Liburcu::prepare`].
    fn begin(_: &Library) -> Result<(), Unavailable> {
        Ok(())
    }

    /// The calling thread is about to join. What it returns is given back when the thread has left.
    fn admit() -> bool {
        false
    }

    /// The calling thread has left.
    fn dismiss(_: bool) {}

    /// Bounds on one grace period, with this number of readers.
    fn expected(readers: u64) -> Vec<Bound>;
}

/// A reader's place.
#[derive(Clone, Copy)]
pub struct Place {
    /// `ctr`, the first word of the thread's `urcu_F_reader`.
    word: *const AtomicU64,
    gp: &'static Gp,
    has: &'static AtomicI32,
    admitted: bool,
}

impl Place {
    /// # Safety
    /// The calling thread joined and got this place.
    #[inline(always)]
    unsafe fn word<'t>(&self) -> &'t AtomicU64 {
        // SAFETY: the variable of this thread, which stays as long as the thread.
        unsafe { &*self.word }
    }
}

// SAFETY: the library's grace periods wait for sections that its readers have announced in their words: the read side
// here is the one that its headers have, and was tried. It registers the thread, and unregisters it.
unsafe impl<T: Nested> Flavour for T {
    const NAME: &'static str = T::CALLED;

    const SIGN: Sign = T::SHOWS;

    /// One barrier before the phase changes, and one behind.
    const TIMES: u64 = 2;

    type Place = Place;

    #[inline]
    fn load() -> Result<(), Unavailable> {
        load::<T>()
    }

    unsafe fn join() -> Result<Place, Unavailable> {
        let library = T::LIBRARY.library()?;
        let word = library.reader()?;
        let place = Place {
            word: word.cast::<AtomicU64>().as_ptr(),
            gp: library.shared.gp,
            has: library.shared.has,
            admitted: T::admit(),
        };
        // SAFETY: the thread is no reader, as the caller promises, and leaves before it ends.
        unsafe { (library.functions.register)() };
        Ok(place)
    }

    unsafe fn leave(place: Place) {
        if let Ok(library) = T::LIBRARY.library()
            && let Some(unregister) = library.functions.unregister
        {
            // SAFETY: the thread registered when it joined, and is in no section.
            unsafe { unregister() };
        }
        T::dismiss(place.admitted);
    }

    #[inline(always)]
    unsafe fn enter(place: &Place) {
        // SAFETY: the place is the calling thread's.
        let word = unsafe { place.word() };
        inline::enter::<T::Light>(word, place.gp, place.has);
    }

    #[inline(always)]
    unsafe fn exit(place: &Place) {
        // SAFETY: the place is the calling thread's.
        let word = unsafe { place.word() };
        inline::exit::<T::Light>(word, place.gp, place.has, || Self::domain().counters());
    }

    unsafe fn end_forgotten(place: &Place) {
        // SAFETY: the place is the calling thread's.
        let word = unsafe { place.word() };
        if inline::end_forgotten::<T::Light>(word, place.has) {
            inline::wake_if_asleep(place.gp, || Self::domain().counters());
        }
    }

    unsafe fn synchronize() {
        if let Ok(library) = T::LIBRARY.library() {
            // SAFETY: the caller is in no section.
            unsafe { (library.functions.synchronize)() };
        }
        super::tell_sanitizer::<T>();
    }

    unsafe fn holds_up(place: &Place) -> bool {
        // SAFETY: the thread lives, so its variable does: it leaves before it ends, as `join` was promised.
        inline::holds_up(unsafe { &*place.word }, place.gp)
    }

    fn domain() -> &'static DomainState {
        &T::LIBRARY.state().domain
    }

    fn facts() -> Facts {
        super::facts(T::LIBRARY)
    }

    fn counts() -> Counts {
        super::counts(T::LIBRARY)
    }

    fn mechanism(before: &Counts, after: &Counts, readers: u64) -> Result<(), NotAtWork> {
        judge::<T>(
            before,
            after,
            readers,
            Word::FlipsPhase,
            &T::expected(readers),
        )
    }
}

impl<T: Nested> Liburcu for T {
    const KIND: Kind = T::LIBRARY;
    const AS_GLOBAL: bool = T::GLOBAL;

    fn check(library: &Library) -> Result<(), Unavailable> {
        T::suits(library)
    }

    fn prepare(library: &Library) -> Result<(), Unavailable> {
        T::begin(library)
    }

    unsafe fn word<'t>(place: &Place) -> &'t AtomicU64 {
        // SAFETY: as the caller promises.
        unsafe { place.word() }
    }
}

/// Which view of memb it is. Readers rely on its barrier, so it is not exported: no other crate can make one.
pub trait View: 'static {
    /// The name of the flavour.
    const NAME: &'static str;
    /// The barrier of readers.
    type Light<B: Barrier>: Light;
    /// Whether the library's expedited membarriers are made global ones.
    const GLOBAL: bool = false;
    /// Whether the library shall do without membarrier.
    const WITHOUT: bool = false;
}

/// memb as it is built by default: readers look each time whether the library uses membarrier.
#[derive(Debug, Clone, Copy)]
pub struct Checked;

/// memb as `--disable-sys-membarrier-fallback` builds it: readers take membarrier for granted.
#[derive(Debug, Clone, Copy)]
pub struct Forced;

/// memb where the kernel has no membarrier: readers look each time, and execute a barrier.
///
/// The library is told so by a word of its own. Other code of the process must not use the same library: its readers
/// that are in sections at that time executed no barrier, and would not be waited for.
#[derive(Debug, Clone, Copy)]
pub struct Without;

/// memb with membarrier that is not expedited.
///
/// Other code of the process that uses the same library is slowed down by that, and its calls are counted as well.
#[derive(Debug, Clone, Copy)]
pub struct Global;

impl View for Checked {
    const NAME: &'static str = "memb";
    type Light<B: Barrier> = Dynamic<B>;
}

impl View for Forced {
    const NAME: &'static str = "memb-forced";
    type Light<B: Barrier> = ForCompiler;
}

impl View for Without {
    const NAME: &'static str = "memb-without";
    type Light<B: Barrier> = Dynamic<B>;
    const WITHOUT: bool = true;
}

impl View for Global {
    const NAME: &'static str = "memb-global";
    type Light<B: Barrier> = Dynamic<B>;
    const GLOBAL: bool = true;
}

/// liburcu's memb: readers have a barrier for the compiler, and membarrier makes their processors execute one. B is the
/// barrier of readers where the library does without membarrier.
#[derive(Debug, Clone, Copy)]
pub struct Memb<V, B = Mfence>(PhantomData<(V, B)>);

/// liburcu's mb: readers execute barriers.
#[derive(Debug, Clone, Copy)]
pub struct Mb<B = Mfence>(PhantomData<B>);

/// liburcu's signal: a handler in each reader executes the barriers. The library has the signal SIGUSR1 for itself, and
/// system calls of readers may end with EINTR.
#[derive(Debug, Clone, Copy)]
pub struct Signal;

impl<V: View, B: Barrier> Nested for Memb<V, B> {
    const CALLED: &'static str = V::NAME;
    const LIBRARY: Kind = Kind::Memb;
    const SHOWS: Sign = match (V::WITHOUT, V::GLOBAL) {
        (true, _) => Sign::Barriers,
        (_, true) => Sign::Global,
        _ => Sign::Expedited,
    };
    const GLOBAL: bool = V::GLOBAL;
    type Light = V::Light<B>;

    fn suits(library: &Library) -> Result<(), Unavailable> {
        if V::WITHOUT {
            return may_do_without(library);
        }
        super::uses_membarrier(V::NAME, library)?;
        if V::GLOBAL {
            // The library ends the process if the kernel refuses.
            Command::Global.available(membarrier::offered(), membarrier::processors())?;
        }
        Ok(())
    }

    fn begin(library: &Library) -> Result<(), Unavailable> {
        if V::WITHOUT {
            // The library's constructor has set it, nobody has joined through this crate, and nobody changes it later.
            library.shared.has.store(0, Ordering::Relaxed);
        }
        Ok(())
    }

    fn expected(_: u64) -> Vec<Bound> {
        let (expedited, global) = match (V::WITHOUT, V::GLOBAL) {
            (true, _) => (Bound::EXPEDITED, Bound::GLOBAL),
            (_, true) => (Bound::EXPEDITED, Bound::GLOBAL.at_least(2)),
            _ => (Bound::EXPEDITED.at_least(2), Bound::GLOBAL),
        };
        vec![expedited, global, Bound::SIGNALS]
    }
}

/// A library that was built without the fallback cannot do without membarrier.
fn may_do_without(library: &Library) -> Result<(), Unavailable> {
    if library.shared.has_fallback() {
        return Ok(());
    }
    Err(Unavailable::Symbol {
        library: library.file().display().to_string(),
        symbol: "urcu_memb_has_sys_membarrier".to_owned(),
    })
}

impl<B: Barrier> Nested for Mb<B> {
    const CALLED: &'static str = "mb";
    const LIBRARY: Kind = Kind::Mb;
    const SHOWS: Sign = Sign::Barriers;
    type Light = Always<B>;

    fn expected(_: u64) -> Vec<Bound> {
        vec![Bound::EXPEDITED, Bound::GLOBAL, Bound::SIGNALS]
    }
}

impl Nested for Signal {
    const CALLED: &'static str = "signal";
    const LIBRARY: Kind = Kind::Signal;
    const SHOWS: Sign = Sign::Signals;
    type Light = ForCompiler;

    fn begin(library: &Library) -> Result<(), Unavailable> {
        signal::count_handled(library)
    }

    fn admit() -> bool {
        signal::unblock()
    }

    fn dismiss(was_blocked: bool) {
        if was_blocked {
            signal::block();
        }
    }

    fn expected(readers: u64) -> Vec<Bound> {
        // Each of its two barriers is one in each reader.
        vec![
            Bound::SIGNALS.at_least(2 * readers),
            Bound::SIGNALLED.at_least(readers),
            Bound::EXPEDITED,
            Bound::GLOBAL,
        ]
    }
}
