//! A pointer that readers follow while writers replace what it points to, and what a writer has taken out of it.
#![expect(
    unsafe_code,
    reason = "objects that readers may still use are behind raw pointers"
)]

use std::fmt;
use std::marker::PhantomData;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::flavour::Flavour;
use crate::reader::{Reader, Section};
use crate::synchronize::{synchronize, synchronize_unwatched};
use crate::unavailable::Refused;

/// A pointer to an object, or to none, that sections of the flavour F protect.
///
/// A reader never sees an object that is only partly written, and keeps what it loaded until its section ends. Each
/// load is for itself: two loads may give two objects.
///
/// ```
/// use perflab_rcu::{Guarded, OwnQsbr, as_reader};
///
/// let greeting: Guarded<String, OwnQsbr> = Guarded::new(Box::new("hello".to_owned()));
/// std::thread::scope(|scope| {
///     scope.spawn(|| {
///         as_reader::<OwnQsbr, _>(|reader| {
///             let section = reader.enter();
///             assert!(greeting.load(&section).is_some());
///         })
///     });
///     let old = greeting.swap(Some(Box::new("good day".to_owned()))).unwrap();
///     let old = old.after_grace_period().map_err(|(refused, _)| refused);
///     assert_eq!(*old.unwrap(), "hello");
/// });
/// ```
///
/// A reference ends with the section:
///
/// ```compile_fail,E0505
/// # use perflab_rcu::{Guarded, OwnQsbr, as_reader};
/// # let greeting: Guarded<String, OwnQsbr> = Guarded::new(Box::new("hello".to_owned()));
/// as_reader::<OwnQsbr, _>(|reader| {
///     let section = reader.enter();
///     let text = greeting.load(&section);
///     drop(section);
///     println!("{text:?}");
/// });
/// ```
///
/// A section of another flavour protects nothing here:
///
/// ```compile_fail,E0308
/// # use perflab_rcu::{Guarded, OwnMembarrier, OwnQsbr, as_reader};
/// # let greeting: Guarded<String, OwnQsbr> = Guarded::new(Box::new("hello".to_owned()));
/// as_reader::<OwnMembarrier, _>(|reader| {
///     let section = reader.enter();
///     greeting.load(&section);
/// });
/// ```
pub struct Guarded<T, F: Flavour> {
    object: AtomicPtr<T>,
    /// It owns the object. The pointer suppresses what follows from that for threads; see below.
    owned: PhantomData<(*mut T, Box<T>)>,
    flavour: PhantomData<fn() -> F>,
}

// SAFETY: nobody has a reference to the object while its only owner moves, but the owner.
unsafe impl<T: Send, F: Flavour> Send for Guarded<T, F> {}
// SAFETY: threads share the object, and take it out.
unsafe impl<T: Send + Sync, F: Flavour> Sync for Guarded<T, F> {}

impl<T, F: Flavour> Guarded<T, F> {
    /// A pointer to an object.
    pub fn new(object: Box<T>) -> Self {
        Self::of(Box::into_raw(object))
    }

    /// A pointer to none.
    pub const fn empty() -> Self {
        Self::of(ptr::null_mut())
    }

    const fn of(object: *mut T) -> Self {
        Self {
            object: AtomicPtr::new(object),
            owned: PhantomData,
            flavour: PhantomData,
        }
    }

    /// The object. The reference lives as long as the section, and no longer than this pointer.
    #[inline(always)]
    pub fn load<'a>(&'a self, _: &'a Section<'_, F>) -> Option<&'a T> {
        let object = self.object.load(Ordering::Acquire);
        // SAFETY: it comes from a box. A writer that takes it out frees it only after a grace period of this flavour.
        // That waits for the section, which the thread entered before the load. Dropping this pointer frees the object
        // at once, but the reference keeps that from happening. Acquire pairs with the release of `swap`.
        unsafe { object.as_ref() }
    }

    /// Puts another object in, or none, and gives back the one before. Its readers may still use that one.
    pub fn swap(&self, object: Option<Box<T>>) -> Option<Retired<T, F>> {
        let object = object.map_or(ptr::null_mut(), Box::into_raw);
        let before = self.object.swap(object, Ordering::AcqRel);
        (!before.is_null()).then_some(Retired {
            object: before,
            flavour: PhantomData,
        })
    }

    /// The object, which nobody else can reach now.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        // SAFETY: it comes from a box, and a reader would hold this pointer borrowed.
        unsafe { self.object.get_mut().as_mut() }
    }
}

impl<T, F: Flavour> Drop for Guarded<T, F> {
    fn drop(&mut self) {
        let object = *self.object.get_mut();
        if !object.is_null() {
            // SAFETY: it comes from a box. Every reference to it borrows this pointer, so there is none.
            drop(unsafe { Box::from_raw(object) });
        }
    }
}

impl<T, F: Flavour> fmt::Debug for Guarded<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Guarded<{}>({:p})",
            F::NAME,
            self.object.load(Ordering::Relaxed)
        )
    }
}

/// An object that a writer has taken out of a [`Guarded`], and that readers may still use until a grace period is over.
///
/// It goes into a [`Limbo`](crate::Limbo), or comes back after a grace period. One that is dropped is leaked: it is
/// never freed early.
#[must_use = "what is retired and dropped is leaked"]
pub struct Retired<T, F: Flavour> {
    object: *mut T,
    flavour: PhantomData<fn() -> F>,
}

// SAFETY: it is the only one that takes the object, while threads may share it.
unsafe impl<T: Send + Sync, F: Flavour> Send for Retired<T, F> {}
// SAFETY: it gives out shared references only.
unsafe impl<T: Send + Sync, F: Flavour> Sync for Retired<T, F> {}

impl<T, F: Flavour> Retired<T, F> {
    /// The object, as readers see it.
    pub fn get(&self) -> &T {
        // SAFETY: it comes from a box, and nobody frees it but through this value. It moves to another thread only if
        // it may be shared.
        unsafe { &*self.object }
    }

    /// Waits for a grace period, and gives the object back.
    ///
    /// # Errors
    /// As of [`synchronize`]; the object stays retired.
    pub fn after_grace_period(self) -> Result<Box<T>, (Refused, Self)> {
        // SAFETY: the object was unlinked before the grace period.
        unsafe { self.after(synchronize::<F>()) }
    }

    /// The same for a thread that is a reader.
    ///
    /// # Errors
    /// As of [`Reader::synchronize`]; the object stays retired.
    pub fn after_grace_period_of(self, reader: &mut Reader<F>) -> Result<Box<T>, (Refused, Self)> {
        // SAFETY: the object was unlinked before the grace period.
        unsafe { self.after(reader.synchronize()) }
    }

    /// As [`Retired::after_grace_period`], by [`synchronize_unwatched`].
    ///
    /// # Errors
    /// As there.
    pub fn after_unwatched_grace_period(self) -> Result<Box<T>, (Refused, Self)> {
        // SAFETY: the object was unlinked before the grace period.
        unsafe { self.after(synchronize_unwatched::<F>()) }
    }

    /// The address of the object, which came from a box. The caller frees the object after a grace period.
    pub(crate) fn into_raw(self) -> *mut T {
        self.object
    }

    /// # Safety
    /// If the thread was not refused, a grace period has begun and ended since the object was unlinked.
    unsafe fn after(self, waited: Result<(), Refused>) -> Result<Box<T>, (Refused, Self)> {
        match waited {
            // SAFETY: it comes from a box. Sections that could have loaded it have ended, as the caller promises, and
            // references from them with it.
            Ok(()) => Ok(unsafe { Box::from_raw(self.object) }),
            Err(refused) => Err((refused, self)),
        }
    }
}

impl<T, F: Flavour> fmt::Debug for Retired<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Retired<{}>({:p})", F::NAME, self.object)
    }
}
