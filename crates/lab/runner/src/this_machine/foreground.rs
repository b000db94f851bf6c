//! The process group that is waited for without a time limit: like the foreground job of a shell,
//! it is ended by the signals that ask the laboratory to stop.
//!
//! The handlers of those signals end it, so that the wait itself is one blocking system call. To
//! wait for a process and for a signal at once takes a descriptor of the process, whose opening
//! and closing costs more than everything else between two runs of a short command.
//!
//! Two orders make this safe, whichever thread a handler runs on (each a store, a fence, and a load
//! of what the other side stores):
//!
//! - The group is put here before the request to stop is looked at, and a handler notes the request
//!   before it looks here. So one of the two sees the other, and no request is missed.
//! - The group is taken out, and the handlers that may have read it are waited for, before its
//!   leader is collected. So no handler holds a number that the system has given to somebody else.

use super::atomics::{AtomicBool, AtomicI32, AtomicU32, Ordering, fence, hint};

/// Where the group stands; shared by the wait and the handlers.
#[derive(Debug)]
pub(crate) struct Foreground {
    /// Number of the group, or zero.
    group: AtomicI32,
    /// How many are between reading the group and having ended it.
    hands: AtomicU32,
}

impl Foreground {
    /// With no group in it.
    pub(crate) fn new() -> Self {
        Self {
            group: AtomicI32::new(0),
            hands: AtomicU32::new(0),
        }
    }

    /// Puts a group there; false where another one is there already. It is ended at once if the
    /// laboratory has been `asked` to stop.
    pub(crate) fn enter(&self, group: i32, asked: &AtomicBool, kill: impl FnOnce(i32)) -> bool {
        let entered = self
            .group
            .compare_exchange(0, group, Ordering::SeqCst, Ordering::SeqCst)
            .is_ok();
        fence(Ordering::SeqCst);
        if entered && asked.load(Ordering::SeqCst) {
            kill(group);
        }
        entered
    }

    /// Takes the group out. Its leader may be collected after this, and not before.
    pub(crate) fn leave(&self) {
        self.group.store(0, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        while self.hands.load(Ordering::SeqCst) != 0 {
            hint();
        }
    }

    /// Ends the group, if there is one. Fit for a signal handler where `kill` is.
    pub(crate) fn end(&self, kill: impl FnOnce(i32)) {
        self.hands.fetch_add(1, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        let group = self.group.load(Ordering::SeqCst);
        if group != 0 {
            kill(group);
        }
        self.hands.fetch_sub(1, Ordering::SeqCst);
    }
}
