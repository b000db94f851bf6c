//! Retired objects of a thread, until grace periods are over.
#![expect(unsafe_code, reason = "objects are freed when no reader can see them")]

use std::collections::VecDeque;
use std::fmt;
use std::marker::PhantomData;

use crate::alive;
use crate::batch::Batch;
use crate::flavour::Flavour;
use crate::grace::{self, IsEnough};
use crate::guarded::Retired;
use crate::limits::Limits;
use crate::reader::Reader;
use crate::stalled::{NotRelieved, Stalled, Waiting};
use crate::unavailable::Refused;

/// The end of an object that no reader can see any more.
pub trait Reclaim<T> {
    /// Bytes that are given back with it, for [`Limits`]. An object that owns other memory says more than its own size.
    fn bytes(_: &T) -> usize {
        size_of::<T>()
    }

    /// Takes the object. Any thread may call it: perhaps the flavour's own, for which others wait. So it does not wait
    /// for a grace period, and does not panic. If it does panic, what is behind the object in its batch is leaked.
    fn reclaim(object: Box<T>) {
        drop(object);
    }
}

/// Drops objects.
#[derive(Debug)]
pub struct Dropped;

impl<T> Reclaim<T> for Dropped {}

/// Objects that a thread has retired, in batches that wait for grace periods.
///
/// Each thread that retires has its own, and frees what it retired itself, by [`Limbo::relieve`]: allocators are slow
/// with memory of other threads. It is not tied to a reader, so objects can be retired inside sections. A thread of the
/// flavour waits for grace periods meanwhile.
///
/// A thread that is about to block, or to stop calling [`Limbo::relieve`], hands over what it retired:
/// [`Limbo::hand_over`]. The flavour's thread frees it then. It also frees what a dropped limbo held. Without such a
/// thread, as of a flavour that is unavailable, that is leaked. Objects that wait at the end of the process are not
/// dropped: call [`Limbo::drain`] before.
///
/// ```
/// use perflab_rcu::{Guarded, Limbo, Limits, OwnQsbr, as_reader};
///
/// let counter: Guarded<u64, OwnQsbr> = Guarded::new(Box::new(0));
/// let mut limbo = Limbo::new(Limits::default());
/// as_reader::<OwnQsbr, _>(|reader| {
///     for number in 1..1000 {
///         let old = counter.swap(Some(Box::new(number)));
///         limbo.retire(old.unwrap());
///         limbo.relieve(reader).unwrap();
///     }
/// })
/// .unwrap();
/// ```
pub struct Limbo<F: Flavour> {
    open: Batch,
    /// The tickets of batches that were closed. Others may have freed the batches.
    closed: VecDeque<u64>,
    /// The list of these batches.
    list: u64,
    /// An empty batch that has memory for its list.
    spare: Batch,
    limits: Limits,
    flavour: PhantomData<fn() -> F>,
}

impl<F: Flavour> Limbo<F> {
    /// An empty one.
    pub fn new(limits: Limits) -> Self {
        Self {
            open: Batch::default(),
            closed: VecDeque::new(),
            list: grace::new_list(),
            spare: Batch::default(),
            limits,
            flavour: PhantomData,
        }
    }

    /// Takes an object, which is dropped when no reader can see it. It counts by its own size in [`Limits`]. One that
    /// owns other memory, such as a `Vec`, goes to [`Limbo::retire_to`] with a [`Reclaim`] that counts it.
    ///
    /// ```
    /// use perflab_rcu::{Guarded, Limbo, Limits, OwnQsbr, Reclaim};
    ///
    /// struct Text;
    ///
    /// impl Reclaim<String> for Text {
    ///     fn bytes(text: &String) -> usize {
    ///         size_of::<String>() + text.capacity()
    ///     }
    /// }
    ///
    /// let text: Guarded<String, OwnQsbr> = Guarded::new(Box::new("x".repeat(1000)));
    /// let mut limbo = Limbo::new(Limits::default());
    /// limbo.retire_to::<String, Text>(text.swap(None).unwrap());
    /// ```
    ///
    /// It does not wait, but the first batch that is closed loads the flavour and begins a thread.
    pub fn retire<T: Send + 'static>(&mut self, retired: Retired<T, F>) {
        self.retire_to::<T, Dropped>(retired);
    }

    /// Takes an object, which goes to `R` when no reader can see it. Waits as little as [`Limbo::retire`].
    pub fn retire_to<T: Send + 'static, R: Reclaim<T>>(&mut self, retired: Retired<T, F>) {
        let bytes = R::bytes(retired.get());
        let object = retired.into_raw().cast();
        // SAFETY: the address is of a box whose only owner this is now. It was unlinked, as it is retired. The object
        // may be sent to any thread, and borrows nothing.
        unsafe { self.retire_raw(object, bytes, reclaim::<T, R>) };
    }

    /// Takes what is no box: memory of any kind, and the function that frees it. Waits as little as [`Limbo::retire`].
    ///
    /// # Safety
    /// The object is unlinked: readers that enter a section from now on cannot find it. After a grace period any thread
    /// may call `free` with `object` once.
    pub unsafe fn retire_raw(&mut self, object: *mut u8, bytes: usize, free: unsafe fn(*mut u8)) {
        // SAFETY: as the caller promises.
        unsafe { self.open.push(object, bytes, free) };
        if self.open.objects() >= self.limits.batch_objects as u64
            || self.open.bytes() >= self.limits.batch_bytes as u64
        {
            self.close();
        }
    }

    /// Frees what is due, and returns what still waits, of all threads. The calling thread is a reader, and has no
    /// section open: it announces a quiescent state. If more than [`Limits::most_bytes`] wait, it goes offline, frees
    /// what is due of others too, and waits for grace periods.
    ///
    /// # Errors
    /// If more waits, and a grace period takes longer than [`Limits::patience`]; or nobody can wait for grace periods.
    /// Nothing is lost, and another call may do better.
    ///
    /// # Panics
    /// If freeing an object does.
    pub fn relieve(&mut self, reader: &mut Reader<F>) -> Result<Waiting, NotRelieved> {
        reader.quiescent();
        let most = self.limits.most_bytes as u64;
        let is_enough = |waiting: &Waiting| waiting.bytes <= most;
        self.free_until(&is_enough, |wait| reader.while_offline(wait))
    }

    /// [`Limbo::relieve`] for a thread that is no reader.
    ///
    /// # Errors
    /// As there, and if the thread is a reader.
    ///
    /// # Panics
    /// As there.
    pub fn relieve_alone(&mut self) -> Result<Waiting, NotRelieved> {
        let most = self.limits.most_bytes as u64;
        self.free_alone(&|waiting: &Waiting| waiting.bytes <= most)
    }

    /// Waits until all is freed that is in closed batches, of all threads, and in this limbo. A program calls it at its
    /// end, or before it unloads code. Others do not retire meanwhile, and their limbos were dropped or handed over.
    ///
    /// # Errors
    /// As of [`Limbo::relieve_alone`].
    ///
    /// # Panics
    /// As there.
    pub fn drain(&mut self) -> Result<(), NotRelieved> {
        self.close();
        self.free_alone(&|waiting: &Waiting| waiting.objects == 0)
            .map(drop)
    }

    fn free_alone(&mut self, is_enough: &IsEnough<'_>) -> Result<Waiting, NotRelieved> {
        if F::domain().is_read_here() {
            return Err(NotRelieved::Refused(Refused::IsReader));
        }
        self.free_until(is_enough, |wait| wait())
    }

    fn free_until(
        &mut self,
        is_enough: &IsEnough<'_>,
        blocking: impl FnOnce(&dyn Fn() -> Option<Waiting>) -> Option<Waiting>,
    ) -> Result<Waiting, NotRelieved> {
        if alive::is_forked() {
            return Err(NotRelieved::Refused(Refused::Forked));
        }
        let grace = &F::domain().grace;
        self.free_due();
        if grace.is_idle() || !is_enough(&grace.waiting()) {
            self.close();
        }
        let waiting = grace.waiting();
        if waiting.objects == 0 {
            return Ok(waiting);
        }
        grace.begin::<F>()?;
        let (list, patience) = (self.list, self.limits.patience);
        let waiting = grace
            .free_until(list, is_enough)
            .or_else(|| blocking(&|| grace.wait_until(list, is_enough, patience)));
        waiting.ok_or_else(|| {
            let stalled = || NotRelieved::Stalled(Stalled::look::<F>());
            grace.failure().unwrap_or_else(stalled)
        })
    }

    /// Leaves what waits to the thread of the flavour: before the calling thread waits for something else for long, or
    /// writes no more.
    pub fn hand_over(&mut self) {
        // In a fork nobody would free it, and locks may be held by threads that are gone.
        if alive::is_forked() {
            return;
        }
        self.close();
        self.closed.clear();
        F::domain().grace.hand_over(self.list);
    }

    /// Closes the open batch, if there is anything in it.
    fn close(&mut self) {
        if self.open.is_empty() || alive::is_forked() {
            return;
        }
        let grace = &F::domain().grace;
        let batch = self.open.close(std::mem::take(&mut self.spare));
        // If there can be no thread, the next `relieve` says so.
        let _ = grace.begin::<F>();
        self.closed.push_back(grace.admit(self.list, batch));
    }

    fn free_due(&mut self) {
        let grace = &F::domain().grace;
        while self
            .closed
            .pop_front_if(|ticket| grace.is_over(*ticket))
            .is_some()
        {
            // Another thread may have freed it.
            if let Some(batch) = grace.free_due(self.list..=self.list) {
                self.spare = batch;
            }
        }
    }
}

impl<F: Flavour> Drop for Limbo<F> {
    fn drop(&mut self) {
        self.hand_over();
    }
}

impl<F: Flavour> fmt::Debug for Limbo<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Limbo<{}>({} closed batches)",
            F::NAME,
            self.closed.len()
        )
    }
}

/// # Safety
/// The address is of a box of this type, which no reader sees and nobody else owns.
unsafe fn reclaim<T, R: Reclaim<T>>(object: *mut u8) {
    // SAFETY: as the caller promises.
    R::reclaim(unsafe { Box::from_raw(object.cast()) });
}
