//! What the threads of a server have in common.

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::about::About;
use crate::bell::Stop;
use crate::connections::Connections;
use crate::counters::Counted;

/// Something to do in a thread, with its connections.
pub(crate) type Job<C> = Box<dyn FnOnce(&mut Connections<C>) + Send>;

/// A message to a thread.
pub(crate) enum Message<C> {
    /// The connection is the thread's from now on.
    New(OwnedFd, About),
    /// Ends the connection with this id, if the thread has it.
    Kill(u64),
    /// Calls this.
    Run(Job<C>),
}

/// What the threads of a server have in common.
pub(crate) struct Shared<C> {
    pub(crate) stop: Stop,
    pub(crate) threads: Vec<Thread<C>>,
    pub(crate) limits: Limits,
    /// Connections of all threads.
    pub(crate) clients: AtomicUsize,
}

/// What others may see of a thread. It has cache lines of its own, as it counts with each request.
#[repr(align(128))]
pub(crate) struct Thread<C> {
    pub(crate) counted: Counted,
    /// Connections that it has, and those that it was given.
    pub(crate) connections: AtomicUsize,
    /// None once the thread takes no more messages.
    inbox: Mutex<Option<Vec<Message<C>>>>,
}

/// Limits that can be changed while the server runs.
#[derive(Debug)]
pub(crate) struct Limits {
    pub(crate) max_clients: AtomicUsize,
    pub(crate) output_limit: AtomicUsize,
    /// In milliseconds; 0 is none.
    idle: AtomicU64,
    /// File descriptors of this process that are none of clients.
    pub(crate) other_descriptors: usize,
}

impl Limits {
    pub(crate) fn new(max_clients: usize, output_limit: usize, other_descriptors: usize) -> Self {
        Self {
            max_clients: AtomicUsize::new(max_clients),
            output_limit: AtomicUsize::new(output_limit),
            idle: AtomicU64::new(0),
            other_descriptors,
        }
    }

    pub(crate) fn idle_timeout(&self) -> Option<Duration> {
        match self.idle.load(Relaxed) {
            0 => None,
            millis => Some(Duration::from_millis(millis)),
        }
    }

    pub(crate) fn set_idle_timeout(&self, timeout: Option<Duration>) {
        let millis = timeout.map_or(0, |timeout| {
            u64::try_from(timeout.as_millis())
                .unwrap_or(u64::MAX)
                .max(1)
        });
        self.idle.store(millis, Relaxed);
    }
}

impl<C> Thread<C> {
    pub(crate) fn new() -> Self {
        Self {
            counted: Counted::default(),
            connections: AtomicUsize::new(0),
            inbox: Mutex::new(Some(Vec::new())),
        }
    }

    /// All messages that came since this was called last.
    pub(crate) fn take_messages(&self) -> Vec<Message<C>> {
        let mut inbox = self.lock_inbox();
        inbox.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Drops messages that were not taken, and those that are sent from now on.
    pub(crate) fn close_inbox(&self) {
        // Jobs are dropped without the lock, since they may own anything.
        let messages = self.lock_inbox().take();
        drop(messages);
    }

    fn lock_inbox(&self) -> MutexGuard<'_, Option<Vec<Message<C>>>> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<C> Shared<C> {
    /// Gives a thread a message, and wakes it. Returns false if the thread takes no more.
    pub(crate) fn send(&self, thread: usize, message: Message<C>) -> bool {
        let mut inbox = self.threads[thread].lock_inbox();
        let Some(messages) = &mut *inbox else {
            return false;
        };
        let wakes = messages.is_empty();
        messages.push(message);
        drop(inbox);
        // The thread takes all messages when it was woken: whoever comes first wakes it.
        if wakes {
            self.stop.bell(thread).ring();
        }
        true
    }

    /// The thread with the fewest connections.
    pub(crate) fn emptiest(&self) -> usize {
        let connections = |&thread: &usize| self.threads[thread].connections.load(Relaxed);
        (0..self.threads.len()).min_by_key(connections).unwrap_or(0)
    }

    /// A connection is a thread's from now on.
    pub(crate) fn count_in(&self, thread: usize) {
        self.clients.fetch_add(1, Relaxed);
        self.threads[thread].connections.fetch_add(1, Relaxed);
    }

    /// A connection has ended.
    pub(crate) fn count_out(&self, thread: usize) {
        self.clients.fetch_sub(1, Relaxed);
        self.threads[thread].connections.fetch_sub(1, Relaxed);
    }
}
