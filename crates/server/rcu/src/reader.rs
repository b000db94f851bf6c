//! Reading: a thread is a reader within a scope, and enters sections in it.
#![expect(
    unsafe_code,
    reason = "what a flavour asks of its readers holds by the types here"
)]

use std::fmt;
use std::marker::PhantomData;

use crate::alive;
use crate::flavour::Flavour;
use crate::synchronize::watched;
use crate::threads::Thread;
use crate::unavailable::Refused;
use crate::watch;

/// Makes the calling thread a reader of the flavour F while `work` is executed. It leaves when `work` returns or
/// panics.
///
/// A reader of a flavour with quiescent states is online while `work` runs: grace periods wait for it. So it announces
/// them ([`Reader::quiescent`]), and blocks in [`Reader::while_offline`] only.
///
/// It is a scope rather than a value, since a value can be forgotten, and libraries keep the addresses of threads that
/// joined. In an asynchronous executor the scope holds the thread for as long as it lasts.
///
/// # Errors
/// If the flavour is unavailable, the thread is a reader of it already, or this process is a fork. `work` was not
/// called.
pub fn as_reader<F: Flavour, R>(work: impl FnOnce(&mut Reader<F>) -> R) -> Result<R, Refused> {
    if alive::is_forked() {
        return Err(Refused::Forked);
    }
    let domain = F::domain();
    if domain.is_read_here() {
        return Err(Refused::IsReader);
    }
    F::load()?;
    alive::begin();
    let thread = Thread::current();
    // SAFETY: it is loaded, the thread is no reader, this process is no fork, and the scope makes it leave.
    let place = unsafe { F::join() }?;
    let mut scope = Scope::<F> {
        reader: Reader {
            place,
            stays: PhantomData,
        },
        thread,
    };
    domain.list::<F>(thread, place);
    watch::begin(domain);
    Ok(work(&mut scope.reader))
}

/// Things that a thread does as a reader: see [`as_reader`].
pub struct Reader<F: Flavour> {
    place: F::Place,
    /// The place is the thread's.
    stays: PhantomData<*mut F>,
}

/// Leaves when it ends.
struct Scope<F: Flavour> {
    reader: Reader<F>,
    thread: Thread,
}

impl<F: Flavour> Drop for Scope<F> {
    fn drop(&mut self) {
        let domain = F::domain();
        // In a fork nobody waits for this thread, and locks may be held by threads that are gone.
        if alive::is_forked() {
            domain.forget_here();
            return;
        }
        domain.unlist(self.thread);
        // SAFETY: this thread joined and got the place, which is dropped with the scope. A section borrows the reader,
        // so none is open but forgotten ones. This process is no fork.
        unsafe {
            F::end_forgotten(&self.reader.place);
            F::leave(self.reader.place);
        }
    }
}

impl<F: Flavour> Reader<F> {
    /// Opens a section. Objects that it loads from a [`Guarded`](crate::Guarded) stay until it ends.
    #[inline(always)]
    pub fn enter(&mut self) -> Section<'_, F> {
        // A copy, which can be in registers: behind each barrier the compiler would load the reader's place again.
        let place = self.place;
        // SAFETY: the thread got the place, and is online between the calls of this type's functions. A section borrows
        // the reader, so it is in none but forgotten ones.
        unsafe { F::enter(&place) };
        Section {
            place,
            borrows: PhantomData,
        }
    }

    /// Announces a quiescent state: grace periods that wait for this thread go on. Costs nothing with flavours that
    /// have no such states.
    #[inline(always)]
    pub fn quiescent(&mut self) {
        // SAFETY: as in `enter`.
        unsafe { F::quiescent(&self.place) };
    }

    /// Executes what may block: grace periods do not wait for this thread meanwhile.
    ///
    /// A thread that retires objects hands them over before ([`Limbo::hand_over`](crate::Limbo::hand_over)): it frees
    /// none while it blocks.
    pub fn while_offline<R>(&mut self, blocks: impl FnOnce() -> R) -> R {
        let _offline = Offline::<F>::new(&self.place);
        blocks()
    }

    /// As [`synchronize`](crate::synchronize()), for a thread that is a reader. It is offline while it waits.
    ///
    /// # Errors
    /// If this process is a fork.
    ///
    /// # Panics
    /// As [`synchronize`](crate::synchronize()).
    pub fn synchronize(&mut self) -> Result<(), Refused> {
        if alive::is_forked() {
            return Err(Refused::Forked);
        }
        let _offline = Offline::<F>::new(&self.place);
        // SAFETY: the flavour is loaded, as the thread joined. It is offline and in no section. This process is no
        // fork.
        unsafe { watched::<F>() };
        Ok(())
    }
}

impl<F: Flavour> fmt::Debug for Reader<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reader<{}>", F::NAME)
    }
}

/// A time during which a reader has no section. A panic ends it too.
struct Offline<'r, F: Flavour>(&'r F::Place);

impl<'r, F: Flavour> Offline<'r, F> {
    /// The caller has borrowed the reader for as long as this lives.
    fn new(place: &'r F::Place) -> Self {
        // SAFETY: the thread got the place and is online. The reader is borrowed, so it is in no section but forgotten
        // ones, and then in none.
        unsafe {
            F::end_forgotten(place);
            F::offline(place);
        }
        Self(place)
    }
}

impl<F: Flavour> Drop for Offline<'_, F> {
    fn drop(&mut self) {
        // SAFETY: `new` called `offline`, and the borrow of the reader let nothing come between.
        unsafe { F::online(self.0) };
    }
}

/// An open section of a reader. Code that is called inside of one takes a reference to it as its proof.
///
/// Where something inside of it can panic, the compiler keeps the section in memory: up to four stores for each.
///
/// It borrows the [`Reader`]: there is no second section, no quiescent state, no waiting and no leaving inside of it.
/// It stays in its thread.
///
/// ```compile_fail,E0499
/// # use perflab_rcu::{OwnQsbr, as_reader};
/// as_reader::<OwnQsbr, _>(|reader| {
///     let section = reader.enter();
///     reader.quiescent();
///     drop(section);
/// });
/// ```
///
/// ```compile_fail,E0277
/// # use perflab_rcu::{OwnQsbr, as_reader};
/// as_reader::<OwnQsbr, _>(|reader| {
///     let section = reader.enter();
///     std::thread::scope(|scope| {
///         scope.spawn(|| drop(section));
///     });
/// });
/// ```
#[must_use = "a section that is dropped at once protects nothing"]
pub struct Section<'r, F: Flavour> {
    place: F::Place,
    /// The reader, which stays in its thread.
    borrows: PhantomData<&'r mut Reader<F>>,
}

impl<F: Flavour> Drop for Section<'_, F> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: the thread entered it when it was made, and could enter no other meanwhile.
        unsafe { F::exit(&self.place) };
    }
}

impl<F: Flavour> fmt::Debug for Section<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Section<{}>", F::NAME)
    }
}
