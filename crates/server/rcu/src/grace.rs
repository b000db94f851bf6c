//! One thread for each flavour that waits for grace periods, so that those who retire objects do not.
//!
//! The protocol of its numbers is in `tickets`. Who sleeps is woken under a lock that guards nothing: a thread that is
//! about to sleep looks at the numbers while it has the lock, and one that has changed them takes it before it wakes.
#![expect(unsafe_code, reason = "batches are freed whose grace period is over")]

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Condvar, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::alive;
use crate::batch::Batch;
use crate::flavour::Flavour;
use crate::limbo::{NotRelieved, Waiting};
use crate::own::atomic::Mutex;
use crate::synchronize::synchronize;
use crate::threads;
use crate::tickets::Tickets;

/// Longest time that is waited for. More cannot be added to any clock.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// What the thread of a flavour shares with those who retire.
#[derive(Debug)]
pub(crate) struct Grace {
    tickets: Tickets,
    /// What is in closed batches.
    bytes: AtomicU64,
    objects: AtomicU64,
    /// Batches that the thread frees.
    handed: Mutex<Vec<Batch>>,
    /// Whether there are new ones among them. Changed by who has their lock.
    is_handed: AtomicBool,
    is_begun: AtomicBool,
    /// Whether the watch knows the domain.
    pub is_watched: AtomicBool,
    sleep: std::sync::Mutex<()>,
    /// The thread sleeps here. It counts as asleep from before it looks for the last time.
    work: Condvar,
    is_asleep: AtomicBool,
    /// Those who retire sleep here.
    over: Condvar,
    sleepers: AtomicU32,
}

impl Grace {
    pub const fn new() -> Self {
        Self {
            tickets: Tickets::new(AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0)),
            bytes: AtomicU64::new(0),
            objects: AtomicU64::new(0),
            handed: Mutex::new(Vec::new()),
            is_handed: AtomicBool::new(false),
            is_begun: AtomicBool::new(false),
            is_watched: AtomicBool::new(false),
            sleep: std::sync::Mutex::new(()),
            work: Condvar::new(),
            is_asleep: AtomicBool::new(false),
            over: Condvar::new(),
            sleepers: AtomicU32::new(0),
        }
    }

    /// Begins the thread of the flavour if there is none.
    ///
    /// # Errors
    /// If the flavour is unavailable, or there can be no thread. Another call tries again.
    pub fn begin<F: Flavour>(&self) -> Result<(), NotRelieved> {
        if self.is_begun.load(Ordering::Acquire) {
            return Ok(());
        }
        F::load().map_err(|reason| NotRelieved::Refused(reason.into()))?;
        alive::begin();
        if !self.is_begun.swap(true, Ordering::AcqRel) {
            let begun = threads::begin(format!("rcu-{}", F::NAME), serve::<F>);
            begun.map(drop).map_err(|error| {
                self.is_begun.store(false, Ordering::Release);
                NotRelieved::NoThread(error.to_string())
            })?;
        }
        Ok(())
    }

    /// Gives a closed batch its ticket, and counts it.
    pub fn admit(&self, batch: &mut Batch) {
        self.bytes.fetch_add(batch.bytes(), Ordering::Relaxed);
        self.objects.fetch_add(batch.objects(), Ordering::Relaxed);
        batch.ticket = self.tickets.take();
        self.wake();
    }

    /// Frees a batch whose grace period is over.
    ///
    /// # Safety
    /// [`Grace::is_over`] says so of its ticket.
    pub unsafe fn free(&self, batch: &mut Batch) {
        // First, as freeing may panic.
        self.bytes.fetch_sub(batch.bytes(), Ordering::Relaxed);
        self.objects.fetch_sub(batch.objects(), Ordering::Relaxed);
        // SAFETY: `admit` took the ticket after the last object was unlinked. The caller promises the rest.
        unsafe { batch.free() };
    }

    /// What waits to be freed, of all threads.
    pub fn waiting(&self) -> Waiting {
        Waiting {
            bytes: self.bytes.load(Ordering::Relaxed),
            objects: self.objects.load(Ordering::Relaxed),
        }
    }

    /// Whether no grace period is asked for: a small batch may be closed, as nothing larger will come of waiting.
    pub fn is_idle(&self) -> bool {
        !self.tickets.is_wanted()
    }

    /// Whether what has this ticket may be freed.
    pub fn is_over(&self, ticket: u64) -> bool {
        self.tickets.is_over(ticket)
    }

    /// Waits until it may be freed, but no longer than this.
    pub fn wait(&self, ticket: u64, longest: Duration) -> bool {
        let end = Instant::now() + longest.min(LONGEST);
        let mut guard = self.lock();
        self.sleepers.fetch_add(1, Ordering::Relaxed);
        while !self.is_over(ticket) {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let woken = self.over.wait_timeout(guard, left);
            guard = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        self.sleepers.fetch_sub(1, Ordering::Relaxed);
        drop(guard);
        self.is_over(ticket)
    }

    /// Leaves batches to the thread.
    pub fn hand_over(&self, batches: impl IntoIterator<Item = Batch>) {
        let mut handed = self.handed.lock();
        handed.extend(batches);
        self.is_handed.store(true, Ordering::Relaxed);
        drop(handed);
        self.wake();
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.sleep.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self) {
        let _guard = self.lock();
        if self.is_asleep.load(Ordering::Relaxed) {
            self.work.notify_one();
        }
    }

    /// Sleeps until there is something to do.
    fn sleep(&self) {
        let mut guard = self.lock();
        self.is_asleep.store(true, Ordering::Relaxed);
        while self.is_idle() && !self.is_handed.load(Ordering::Relaxed) {
            guard = self
                .work
                .wait(guard)
                .unwrap_or_else(PoisonError::into_inner);
        }
        self.is_asleep.store(false, Ordering::Relaxed);
    }

    /// Frees what was handed over and has waited long enough.
    fn free_handed(&self) {
        let mut handed = self.handed.lock();
        self.is_handed.store(false, Ordering::Relaxed);
        let all = mem::take(&mut *handed);
        let (due, rest): (Vec<Batch>, Vec<Batch>) = all
            .into_iter()
            .partition(|batch| self.is_over(batch.ticket));
        *handed = rest;
        drop(handed);
        for mut batch in due {
            // A panic was printed. The thread goes on, as others wait for it.
            // SAFETY: its grace period is over.
            let _ = catch_unwind(AssertUnwindSafe(|| unsafe { self.free(&mut batch) }));
        }
    }
}

/// What the thread does, for as long as the process lives.
fn serve<F: Flavour>() {
    let grace = &F::domain().grace;
    loop {
        grace.free_handed();
        grace.sleep();
        if grace.is_idle() {
            continue;
        }
        let new = grace.tickets.begin();
        // It is loaded, this thread is no reader, and a fork does not have this thread.
        if synchronize::<F>().is_err() {
            return;
        }
        grace.tickets.end(new);
        let _guard = grace.lock();
        if grace.sleepers.load(Ordering::Relaxed) > 0 {
            grace.over.notify_all();
        }
    }
}
