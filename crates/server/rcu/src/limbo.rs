//! Retired objects of a thread, until grace periods are over.
#![expect(unsafe_code, reason = "objects are freed when no reader can see them")]

use std::collections::VecDeque;
use std::error::Error;
use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use crate::alive;
use crate::batch::Batch;
use crate::flavour::Flavour;
use crate::guarded::Retired;
use crate::limits::Limits;
use crate::reader::Reader;
use crate::readers::Found;
use crate::synchronize::now_ns;
use crate::threads::Shown;
use crate::unavailable::Refused;

/// What becomes of an object that no reader can see any more.
pub trait Reclaim<T> {
    /// Bytes that are given back with it, for [`Limits`]. An object that owns other memory says more than its own size.
    fn bytes(_: &T) -> usize {
        size_of::<T>()
    }

    /// Takes the object. Any thread may call it.
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
/// Each thread that retires has its own, and frees what it retired itself: allocators are slow with memory of other
/// threads. It is not tied to a reader, so objects can be retired inside sections. A thread of the flavour waits for
/// grace periods meanwhile.
///
/// What is in a limbo that is dropped is freed by that thread.
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
    closed: VecDeque<Batch>,
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
            spare: Batch::default(),
            limits,
            flavour: PhantomData,
        }
    }

    /// Takes an object, which is dropped when no reader can see it. Never waits.
    pub fn retire<T: Send + 'static>(&mut self, retired: Retired<T, F>) {
        self.retire_to::<T, Dropped>(retired);
    }

    /// Takes an object, which goes to `R` when no reader can see it. Never waits.
    pub fn retire_to<T: Send + 'static, R: Reclaim<T>>(&mut self, retired: Retired<T, F>) {
        let bytes = R::bytes(retired.get());
        let object = retired.into_raw().cast();
        // SAFETY: the address is of a box whose only owner this is now. It was unlinked, as it is retired. The object
        // may be sent to any thread, and borrows nothing.
        unsafe { self.retire_raw(object, bytes, reclaim::<T, R>) };
    }

    /// Takes what is no box: memory of any kind, and the function that frees it. Never waits.
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
    /// section open: it announces a quiescent state, and if more than [`Limits::most_bytes`] wait, it goes offline and
    /// waits.
    ///
    /// # Errors
    /// If so much still waits after [`Limits::patience`], counted from the beginning of the grace period, or nobody can
    /// wait for grace periods. Nothing is lost, and another call may do better.
    pub fn relieve(&mut self, reader: &mut Reader<F>) -> Result<Waiting, NotRelieved> {
        reader.quiescent();
        self.relieve_by(|wait| reader.while_offline(wait))
    }

    /// [`Limbo::relieve`] for a thread that is no reader.
    ///
    /// # Errors
    /// As there, and if the thread is a reader.
    pub fn relieve_alone(&mut self) -> Result<Waiting, NotRelieved> {
        if F::domain().is_read_here() {
            return Err(NotRelieved::Refused(Refused::IsReader));
        }
        self.relieve_by(|wait| wait())
    }

    fn relieve_by(
        &mut self,
        blocking: impl FnOnce(&dyn Fn() -> bool) -> bool,
    ) -> Result<Waiting, NotRelieved> {
        if alive::is_forked() {
            return Err(NotRelieved::Refused(Refused::Forked));
        }
        let grace = &F::domain().grace;
        self.free_due();
        if grace.is_idle() || grace.waiting().bytes > self.limits.most_bytes as u64 {
            self.close();
        }
        let Some(last) = self.closed.back() else {
            return Ok(grace.waiting());
        };
        grace.begin::<F>()?;
        if grace.waiting().bytes > self.limits.most_bytes as u64 {
            let (ticket, patience) = (last.ticket, self.patience());
            let is_over = blocking(&|| grace.wait(ticket, patience));
            self.free_due();
            if !is_over && grace.waiting().bytes > self.limits.most_bytes as u64 {
                return Err(NotRelieved::Stalled(Stalled::look::<F>()));
            }
        }
        Ok(grace.waiting())
    }

    /// What is left of the patience with the grace period that runs. While one is stalled each caller would otherwise
    /// wait for all of it.
    fn patience(&self) -> Duration {
        self.limits.patience.saturating_sub(waited::<F>())
    }

    /// Leaves what waits to the thread of the flavour: before the calling thread waits for something else for long.
    pub fn hand_over(&mut self) {
        // In a fork nobody would free it, and locks may be held by threads that are gone.
        if alive::is_forked() {
            return;
        }
        self.close();
        if !self.closed.is_empty() {
            F::domain().grace.hand_over(self.closed.drain(..));
        }
    }

    /// Closes the open batch, if there is anything in it.
    fn close(&mut self) {
        if self.open.is_empty() || alive::is_forked() {
            return;
        }
        let grace = &F::domain().grace;
        let mut batch = self.open.close(std::mem::take(&mut self.spare));
        // If there can be no thread, the next `relieve` says so.
        let _ = grace.begin::<F>();
        grace.admit(&mut batch);
        self.closed.push_back(batch);
    }

    fn free_due(&mut self) {
        let grace = &F::domain().grace;
        let is_over = |batch: &Batch| grace.is_over(batch.ticket);
        while self.closed.front().is_some_and(is_over)
            && let Some(mut batch) = self.closed.pop_front()
        {
            // SAFETY: its grace period is over.
            unsafe { grace.free(&mut batch) };
            self.spare = batch;
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

/// How long the oldest grace period that has not ended has waited; 0 if there is none.
fn waited<F: Flavour>() -> Duration {
    let since = F::domain().waits_since();
    since.map_or(Duration::ZERO, |since| {
        Duration::from_nanos(now_ns().saturating_sub(since))
    })
}

/// What waits to be freed in batches that are closed, of all threads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Bytes.
    pub bytes: u64,
    /// Objects.
    pub objects: u64,
}

/// What waits to be freed, of a flavour.
pub fn waiting<F: Flavour>() -> Waiting {
    F::domain().grace.waiting()
}

/// Grace periods are held up, and too much waits to be freed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stalled {
    /// The readers for which the grace period waits. Empty if it went on meanwhile.
    pub readers: Vec<Shown>,
    /// How long the oldest grace period has waited.
    pub waited: Duration,
    /// What waits to be freed.
    pub waiting: Waiting,
}

impl Stalled {
    fn look<F: Flavour>() -> Self {
        let domain = F::domain();
        let holders = domain.look().into_iter();
        let holders = holders.filter(|(_, found)| matches!(found, Found::HoldsUp | Found::Lost));
        Self {
            readers: holders.map(|(thread, _)| Shown::look(thread.tid)).collect(),
            waited: waited::<F>(),
            waiting: domain.grace.waiting(),
        }
    }
}

impl fmt::Display for Stalled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = Mebibytes(self.waiting.bytes);
        let waited = self.waited.as_secs_f64();
        write!(
            f,
            "{bytes} wait to be freed, and a grace period has waited {waited:.1} s"
        )?;
        let mut before = " for";
        for reader in &self.readers {
            write!(f, "{before} {reader}")?;
            before = ",";
        }
        Ok(())
    }
}

/// Bytes, as people read them.
pub(crate) struct Mebibytes(pub u64);

impl fmt::Display for Mebibytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} MiB", self.0 as f64 / f64::from(1 << 20))
    }
}

/// Why too much still waits to be freed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotRelieved {
    /// A grace period is held up.
    Stalled(Stalled),
    /// The calling thread may not wait for grace periods.
    Refused(Refused),
    /// The thread that waits for grace periods could not be made, for this reason.
    NoThread(String),
}

impl fmt::Display for NotRelieved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stalled(stalled) => write!(f, "{stalled}"),
            Self::Refused(refused) => write!(f, "{refused}"),
            Self::NoThread(reason) => {
                write!(
                    f,
                    "no thread can be made to wait for grace periods: {reason}"
                )
            }
        }
    }
}

impl Error for NotRelieved {}
