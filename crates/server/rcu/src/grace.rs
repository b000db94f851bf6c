//! One thread for each flavour that waits for grace periods, so that those who retire objects do not.
//!
//! The protocol of its numbers is in `tickets`. A lock that guards nothing keeps wakes from being lost. A thread that
//! goes to sleep has the lock while it looks at the numbers. One that has changed them takes the lock before it wakes
//! others.
//!
//! Closed batches are in lists here, one for each limbo. Its own thread frees them, but any thread can that waits for
//! memory. Else a thread that retired much and does nothing now would keep the others from writing.
#![expect(unsafe_code, reason = "batches are freed whose grace period is over")]

use std::any::Any;
use std::collections::{BTreeMap, VecDeque};
use std::ops::RangeBounds;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Condvar, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use crate::alive;
use crate::batch::Batch;
use crate::flavour::Flavour;
use crate::own::atomic::Mutex;
use crate::stalled::{NotRelieved, Waiting};
use crate::synchronize::{now_ns, synchronize};
use crate::threads;
use crate::tickets::Tickets;

/// The list of batches that were handed over: the thread frees them.
const HANDED: u64 = 0;

/// The next limbo's list.
static NEXT_LIST: AtomicU64 = AtomicU64::new(HANDED + 1);

/// `since` while the thread has nothing to wait for.
const IDLE: u64 = 0;

/// How long to wait for what another thread is about to free.
const PAUSE: Duration = Duration::from_micros(100);

/// The state that the thread of a flavour shares with those who retire.
#[derive(Debug)]
pub(crate) struct Grace {
    tickets: Tickets,
    /// In closed batches.
    bytes: AtomicU64,
    /// In closed batches, those included that are being freed.
    objects: AtomicU64,
    closed: Mutex<BTreeMap<u64, VecDeque<Batch>>>,
    /// Whether batches were handed over since the thread looked.
    is_handed: AtomicBool,
    is_begun: AtomicBool,
    /// Why the thread has ended.
    failed: OnceLock<String>,
    /// Since when the grace period runs that the thread waits for, in ns as of `now_ns`; or [`IDLE`].
    since: AtomicU64,
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

/// A list that no other limbo has.
pub(crate) fn new_list() -> u64 {
    NEXT_LIST.fetch_add(1, Ordering::Relaxed)
}

impl Grace {
    pub const fn new() -> Self {
        Self {
            tickets: Tickets::new(AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0)),
            bytes: AtomicU64::new(0),
            objects: AtomicU64::new(0),
            closed: Mutex::new(BTreeMap::new()),
            is_handed: AtomicBool::new(false),
            is_begun: AtomicBool::new(false),
            failed: OnceLock::new(),
            since: AtomicU64::new(IDLE),
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
    /// If the flavour is unavailable, or there can be no thread: another call tries again. Or if the thread has ended.
    pub fn begin<F: Flavour>(&self) -> Result<(), NotRelieved> {
        if self.is_begun.load(Ordering::Acquire) {
            return self.failure().map_or(Ok(()), Err);
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

    /// The error of each call after the thread has ended.
    pub fn failure(&self) -> Option<NotRelieved> {
        self.failed.get().cloned().map(NotRelieved::Failed)
    }

    /// Gives a closed batch its ticket, and puts it in a list. Returns the ticket.
    pub fn admit(&self, list: u64, mut batch: Batch) -> u64 {
        self.bytes.fetch_add(batch.bytes(), Ordering::Relaxed);
        self.objects.fetch_add(batch.objects(), Ordering::Relaxed);
        let ticket = self.tickets.take();
        batch.ticket = ticket;
        self.closed.lock().entry(list).or_default().push_back(batch);
        self.wake();
        ticket
    }

    /// Frees one batch of these lists whose grace period is over, and returns it without its objects. Nothing if there
    /// is none.
    pub fn free_due(&self, lists: impl RangeBounds<u64>) -> Option<Batch> {
        let mut closed = self.closed.lock();
        let is_due = |batch: &Batch| self.is_over(batch.ticket);
        let mut lists = closed.range_mut(lists).map(|(_, list)| list);
        let list = lists.find(|list| list.front().is_some_and(is_due))?;
        let mut batch = list.pop_front()?;
        drop(closed);
        self.bytes.fetch_sub(batch.bytes(), Ordering::Relaxed);
        // Also if freeing one panics. A thread that sees that no objects are left sees what was done with them.
        let _freed = Freed(&self.objects, batch.objects());
        // SAFETY: `admit` took the ticket after the last object was unlinked, and its grace period is over.
        unsafe { batch.free() };
        Some(batch)
    }

    /// Bytes and objects that wait to be freed, of all threads.
    pub fn waiting(&self) -> Waiting {
        Waiting {
            bytes: self.bytes.load(Ordering::Relaxed),
            objects: self.objects.load(Ordering::Acquire),
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

    /// How long the grace period has taken that the thread waits for; 0 if it waits for none.
    pub fn waited(&self) -> Duration {
        self.waited_since(now_ns())
    }

    /// The same; if it waits for none, the time from `begun` until now.
    fn waited_since(&self, begun: u64) -> Duration {
        let since = match self.since.load(Ordering::Relaxed) {
            IDLE => begun,
            since => since,
        };
        Duration::from_nanos(now_ns().saturating_sub(since))
    }

    /// Frees what is due, of this list first, until what waits is little enough. Returns it then.
    pub fn free_until(&self, own: u64, is_enough: &IsEnough<'_>) -> Option<Waiting> {
        loop {
            let waiting = self.waiting();
            if is_enough(&waiting) {
                return Some(waiting);
            }
            self.free_due(own..=own).or_else(|| self.free_due(..))?;
        }
    }

    /// The same, and waits for grace periods as long as none takes longer than `patience`, and the thread lives.
    pub fn wait_until(
        &self,
        own: u64,
        is_enough: &IsEnough<'_>,
        patience: Duration,
    ) -> Option<Waiting> {
        loop {
            let waiting = self.free_until(own, is_enough);
            if waiting.is_some() {
                return waiting;
            }
            let latest = self.tickets.latest();
            if self.is_over(latest) {
                // Another thread frees the rest.
                thread::sleep(PAUSE);
            } else if !self.wait(latest, patience) {
                return self.free_until(own, is_enough);
            }
        }
    }

    /// Waits until what has this ticket may be freed, as long as no grace period takes longer than `patience`, and the
    /// thread lives.
    fn wait(&self, ticket: u64, patience: Duration) -> bool {
        let begun = now_ns();
        let mut guard = self.lock();
        self.sleepers.fetch_add(1, Ordering::Relaxed);
        while !self.is_over(ticket) && self.failed.get().is_none() {
            // From when the grace period began. While one is stalled each caller would otherwise wait for all of it.
            let left = patience.saturating_sub(self.waited_since(begun));
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

    /// Leaves the batches of a list to the thread.
    pub fn hand_over(&self, list: u64) {
        let mut closed = self.closed.lock();
        let Some(batches) = closed.remove(&list).filter(|list| !list.is_empty()) else {
            return;
        };
        closed.entry(HANDED).or_default().extend(batches);
        self.is_handed.store(true, Ordering::Relaxed);
        drop(closed);
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
            self.since.store(IDLE, Ordering::Relaxed);
            guard = self
                .work
                .wait(guard)
                .unwrap_or_else(PoisonError::into_inner);
        }
        self.is_asleep.store(false, Ordering::Relaxed);
    }

    /// Frees what was handed over and is due.
    fn free_handed(&self) {
        self.is_handed.store(false, Ordering::Relaxed);
        // A panic was printed. The thread goes on, as others wait for it.
        let free = || catch_unwind(AssertUnwindSafe(|| self.free_due(HANDED..=HANDED)));
        while !matches!(free(), Ok(None)) {}
    }
}

/// Says whether what waits is little enough.
pub(crate) type IsEnough<'a> = dyn Fn(&Waiting) -> bool + 'a;

/// Subtracts a number when it is dropped.
struct Freed<'a>(&'a AtomicU64, u64);

impl Drop for Freed<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(self.1, Ordering::Release);
    }
}

/// The work of the thread: for as long as the process lives, or until there can be no grace period any more.
fn serve<F: Flavour>() {
    let grace = &F::domain().grace;
    loop {
        grace.free_handed();
        grace.sleep();
        if grace.is_idle() {
            continue;
        }
        let new = grace.tickets.begin();
        grace.since.store(now_ns(), Ordering::Relaxed);
        let ended = grace_period::<F>();
        grace.since.store(now_ns(), Ordering::Relaxed);
        let has_failed = ended.is_err();
        match ended {
            Ok(()) => grace.tickets.end(new),
            Err(reason) => drop(grace.failed.set(reason)),
        }
        let guard = grace.lock();
        if grace.sleepers.load(Ordering::Relaxed) > 0 {
            grace.over.notify_all();
        }
        drop(guard);
        if has_failed {
            return;
        }
    }
}

/// Waits for a grace period.
///
/// # Errors
/// If there can be none: why.
fn grace_period<F: Flavour>() -> Result<(), String> {
    match catch_unwind(synchronize::<F>) {
        Ok(waited) => waited.map_err(|refused| refused.to_string()),
        Err(panic) => Err(message(&*panic)),
    }
}

/// The message of a panic.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| Some((*panic.downcast_ref::<&str>()?).to_owned()));
    text.unwrap_or_else(|| "a grace period panicked".to_owned())
}
