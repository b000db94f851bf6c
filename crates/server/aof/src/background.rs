//! The threads of a log whose blocks nobody waits for.

use std::io;
use std::sync::{Arc, Condvar, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::policy::Policy;
use crate::shared::{Shared, State};

/// How long the writer gathers blocks before it writes them. A killed process loses those. With less of it a busy
/// server would make a system call, and wake a thread, for each of its writes.
const GATHER: Duration = Duration::from_millis(2);

/// How long after a failure the writer tries again.
const RETRY: Duration = Duration::from_secs(1);

/// How long after the start of a sync the next one starts.
const PERIOD: Duration = Duration::from_secs(1);

/// What a thread does until the log is closed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    /// Writes what is appended.
    Write,
    /// Syncs what is written, each second. A thread of its own, so that blocks are written meanwhile.
    Sync,
}

/// The threads that a policy needs.
pub(crate) fn works(policy: Policy) -> &'static [Work] {
    match policy {
        Policy::Always => &[],
        Policy::EverySecond => &[Work::Write, Work::Sync],
        Policy::No => &[Work::Write],
    }
}

/// Starts a thread.
pub(crate) fn start(shared: &Arc<Shared>, work: &Work) -> io::Result<JoinHandle<()>> {
    let shared = Arc::clone(shared);
    // The kernel shows 15 characters.
    let (name, run) = match work {
        Work::Write => ("aof-write", write as fn(&Shared)),
        Work::Sync => ("aof-sync", sync as fn(&Shared)),
    };
    thread::Builder::new()
        .name(name.to_owned())
        .spawn(move || run(&shared))
}

fn write(shared: &Shared) {
    let mut state = shared.lock();
    loop {
        while state.pending() == 0 && !state.is_closing {
            state.is_writer_idle = true;
            let woken = shared.work.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
        state.is_writer_idle = false;
        if state.is_closing || state.check_final().is_err() {
            return;
        }
        drop(state);
        thread::sleep(GATHER);
        let written = shared.turn().write();
        state = shared.lock();
        if written.is_err() {
            state = pause(&shared.work, state, RETRY);
        }
    }
}

fn sync(shared: &Shared) {
    let mut next = Instant::now() + PERIOD;
    let mut state = shared.lock();
    loop {
        let left = next.saturating_duration_since(Instant::now());
        state = pause(&shared.closing, state, left);
        if state.is_closing || state.check_final().is_err() {
            return;
        }
        drop(state);
        next = Instant::now() + PERIOD;
        // A failure is in the state, for all to see.
        let _noted = shared.sync();
        state = shared.lock();
    }
}

/// Waits for this long, or until the log is closed.
fn pause<'s>(
    closing: &Condvar,
    state: MutexGuard<'s, State>,
    time: Duration,
) -> MutexGuard<'s, State> {
    let waited = closing.wait_timeout_while(state, time, |state| !state.is_closing);
    waited.unwrap_or_else(PoisonError::into_inner).0
}
