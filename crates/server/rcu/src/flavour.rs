//! The promise of a flavour of RCU.
#![expect(
    unsafe_code,
    reason = "a flavour promises what the compiler cannot check"
)]

use crate::counts::Counts;
use crate::evidence::{Facts, Sign};
use crate::readers::DomainState;
use crate::unavailable::{NotAtWork, Unavailable};

/// A flavour of RCU. It is a type, and its domain is the process': there is one of each.
///
/// Programs use [`as_reader`](crate::as_reader), [`synchronize`](crate::synchronize()) and
/// [`Guarded`](crate::Guarded), which are safe, instead of these functions.
///
/// # Safety
/// After `synchronize` returned, no section is open that was open when it was called. All that such a section did
/// happens before the return. Sections that are entered later see what the caller wrote before the call.
///
/// If the flavour has quiescent states, a thread that is online is in a section from each of them to the next. Else it
/// is in one from `enter` to `exit`.
pub unsafe trait Flavour: Sized + 'static {
    /// Its name, as users write it.
    const NAME: &'static str;

    /// Its grace periods show this, and those of other flavours do not.
    const SIGN: Sign;

    /// At least so often each grace period shows its sign; if readers show it, each of them.
    const TIMES: u64;

    /// Each grace period adds this to [`Counts::word`]. 0 if the word only tells one grace period from the next.
    const STEP: u64 = 0;

    /// Whether writers that wait at the same time may have one grace period in common.
    const SHARES: bool = true;

    /// A thread needs it to enter a section: pointers, of at most [`PLACE_BYTES`](crate::PLACE_BYTES) bytes. Copies
    /// of it are kept in the list of readers, so that others can look at the words it points to.
    type Place: Copy;

    /// Makes the flavour usable. Called before threads join; after the first time it costs one load.
    ///
    /// # Errors
    /// If it cannot be used here. The answer stays the same for the life of the process.
    fn load() -> Result<(), Unavailable>;

    /// Makes the calling thread a reader, online and in no section.
    ///
    /// # Safety
    /// `load` succeeded. The thread is no reader of this flavour, and leaves before it ends. This process is not a fork
    /// of one that had used a flavour: `load` does not count.
    ///
    /// # Errors
    /// If there is no room for another reader.
    unsafe fn join() -> Result<Self::Place, Unavailable>;

    /// The calling thread is a reader no more. A grace period that waits for it goes on.
    ///
    /// # Safety
    /// The thread joined and got this place; it is in no section, with forgotten ones ended, and uses the place no
    /// more. This process is not a fork of the one in which it joined.
    unsafe fn leave(place: Self::Place);

    /// Opens a section.
    ///
    /// # Safety
    /// The calling thread joined and got this place. It is online, and in no section but forgotten ones.
    unsafe fn enter(place: &Self::Place);

    /// Ends the section.
    ///
    /// # Safety
    /// The calling thread got this place and is in the section that it entered last.
    unsafe fn exit(place: &Self::Place);

    /// Ends sections that were forgotten (`mem::forget`): entered, never exited, and used no more.
    ///
    /// # Safety
    /// The calling thread got this place, and is in no section but forgotten ones.
    unsafe fn end_forgotten(place: &Self::Place);

    /// Announces a quiescent state. Nothing for a flavour that has none.
    ///
    /// # Safety
    /// The calling thread got this place, is online, and in no section.
    #[inline(always)]
    unsafe fn quiescent(_: &Self::Place) {}

    /// Announces that there are no sections until `online`, so that the thread may block. Nothing for a flavour that
    /// waits for open sections only.
    ///
    /// # Safety
    /// The calling thread got this place, is online, and in no section.
    #[inline(always)]
    unsafe fn offline(_: &Self::Place) {}

    /// Takes `offline` back.
    ///
    /// # Safety
    /// The calling thread got this place, and called `offline` last.
    #[inline(always)]
    unsafe fn online(_: &Self::Place) {}

    /// Waits for a grace period.
    ///
    /// # Safety
    /// `load` succeeded. The calling thread is no reader of this flavour, or it is in no section and offline. This
    /// process is not a fork of one that had used a flavour.
    unsafe fn synchronize();

    /// Whether a grace period that has begun some time ago waits for the reader with this place. It is looked at while
    /// the reader runs, so the answer may be out of date.
    ///
    /// # Safety
    /// The place is listed in [`Flavour::domain`], whose list is locked, and its thread lives.
    unsafe fn holds_up(place: &Self::Place) -> bool;

    /// Gives back what a thread had that ended without leaving, so that no grace period waits for it. Returns false if
    /// the flavour cannot: grace periods wait for ever then.
    ///
    /// # Safety
    /// The place is listed in [`Flavour::domain`], whose list is locked, and its thread runs no more.
    unsafe fn bury(_: &Self::Place) -> bool {
        false
    }

    /// Its counters, readers and times: one static for each flavour. Flavours that are views of one library share it.
    fn domain() -> &'static DomainState;

    /// The facts on it, once it was loaded.
    fn facts() -> Facts {
        Facts::default()
    }

    /// The actions of its mechanism until now.
    fn counts() -> Counts {
        Self::domain().counters().snapshot()
    }

    /// Judges by the counts whether the mechanism of this flavour was at work, and no other. They are those before and
    /// after one call of [`synchronize`](crate::synchronize()), with `readers` readers and no other writer.
    ///
    /// # Errors
    /// If it was not.
    fn mechanism(before: &Counts, after: &Counts, readers: u64) -> Result<(), NotAtWork>;
}
