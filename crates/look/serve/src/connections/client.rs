//! How far a connection is, and until when it may wait.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::limits::Limits;

/// A connection, as the loop that accepts others knows it.
#[derive(Debug)]
pub(super) struct Client {
    progress: Mutex<Progress>,
    /// It has to make room.
    pub(super) leave: Notify,
}

/// The state of a connection, as far as limits depend on it.
#[derive(Debug)]
pub(super) struct Progress {
    /// Requests whose answers are not complete.
    answers: usize,
    /// Whether there is something to write that the client does not take.
    is_blocked: bool,
    /// Whether a part of a request has come.
    pub(super) has_begun: bool,
    /// Since when it waits for what it waits for.
    pub(super) since: Instant,
    is_gone: bool,
}

impl Progress {
    pub(super) fn waits_for_request(&self) -> bool {
        self.answers == 0 && !self.is_blocked
    }

    /// Until when it may wait; nothing while the client waits.
    pub(super) fn deadline(&self, limits: Limits) -> Option<Instant> {
        match self.is_blocked {
            true => Some(self.since + limits.stall),
            false => (self.answers == 0).then(|| self.since + limits.request),
        }
    }
}

impl Client {
    pub(super) fn new() -> Self {
        let progress = Progress {
            answers: 0,
            is_blocked: false,
            has_begun: false,
            since: Instant::now(),
            is_gone: false,
        };
        Self {
            progress: Mutex::new(progress),
            leave: Notify::new(),
        }
    }

    /// No change leaves it half done.
    pub(super) fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_gone(&self) -> bool {
        self.progress().is_gone
    }

    pub(super) fn has_read(&self) {
        let mut progress = self.progress();
        if progress.waits_for_request() && !progress.has_begun {
            progress.has_begun = true;
            progress.since = Instant::now();
        }
    }

    pub(super) fn has_written<T>(&self, written: &Poll<io::Result<T>>) {
        let mut progress = self.progress();
        let is_blocked = written.is_pending();
        if !(is_blocked && progress.is_blocked) {
            progress.since = Instant::now();
        }
        progress.is_blocked = is_blocked;
    }
}

/// A request that is being answered.
#[derive(Debug)]
pub(super) struct Answer(Arc<Client>);

impl Answer {
    pub(super) fn begin(client: &Arc<Client>) -> Self {
        let mut progress = client.progress();
        progress.answers += 1;
        progress.has_begun = false;
        drop(progress);
        Self(Arc::clone(client))
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        let mut progress = self.0.progress();
        progress.answers -= 1;
        progress.since = Instant::now();
    }
}

/// Says at its end that a connection is gone.
pub(super) struct Gone<'c>(pub(super) &'c Client);

impl Drop for Gone<'_> {
    fn drop(&mut self) {
        self.0.progress().is_gone = true;
    }
}
