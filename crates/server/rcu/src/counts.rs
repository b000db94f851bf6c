//! Actions of a flavour's mechanism, counted.
//!
//! These are the evidence that a flavour is what it is called: see [`Flavour::mechanism`](crate::Flavour::mechanism).
//! All are numbers of occurrences since the program began.

use std::io;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

macro_rules! counts {
    ($($(#[$doc:meta])+ $name:ident,)+) => {
        /// The counters of one flavour. Additions are relaxed: a reader of them knows otherwise that a grace period is
        /// over. They are for this crate only, as they are evidence.
        #[derive(Debug)]
        pub(crate) struct Counters {
            $($(#[$doc])+ pub $name: AtomicU64,)+
            /// As [`Counts::threads_signalled`].
            pub threads_signalled: AtomicU64,
            /// As [`Counts::membarrier_error`].
            pub membarrier_error: AtomicI32,
            /// As [`Counts::signal_error`].
            pub signal_error: AtomicI32,
        }

        /// The counters at one time.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct Counts {
            $($(#[$doc])+ pub $name: u64,)+
            /// The word from which readers learn of grace periods, as it is: `ctr` of liburcu's `gp`, or the epoch of
            /// an own domain. 0 for a flavour that has none.
            pub word: u64,
            /// Threads that have handled a signal since the program began, the one that tried the library included.
            pub threads_signalled: u64,
            /// `errno` of the call of membarrier that failed last; 0 if none has.
            pub membarrier_error: i32,
            /// The error of the signal that could not be sent last; 0 if each could.
            pub signal_error: i32,
        }

        impl Counters {
            /// Counters of 0.
            pub const fn new() -> Self {
                Self {
                    $($name: AtomicU64::new(0),)+
                    threads_signalled: AtomicU64::new(0),
                    membarrier_error: AtomicI32::new(0),
                    signal_error: AtomicI32::new(0),
                }
            }

            /// The counts at this time. The word is 0.
            pub fn snapshot(&self) -> Counts {
                Counts {
                    $($name: self.$name.load(Ordering::Relaxed),)+
                    word: 0,
                    threads_signalled: self.threads_signalled.load(Ordering::Relaxed),
                    membarrier_error: self.membarrier_error.load(Ordering::Relaxed),
                    signal_error: self.signal_error.load(Ordering::Relaxed),
                }
            }
        }

        impl Counts {
            /// The counts since an earlier time, and the growth of the word. Threads and errors are those of this time.
            pub fn since(&self, before: &Self) -> Self {
                Self {
                    $($name: self.$name.wrapping_sub(before.$name),)+
                    word: self.word.wrapping_sub(before.word),
                    ..*self
                }
            }

            /// Each count with its name.
            pub fn each(&self) -> impl Iterator<Item = (&'static str, u64)> + use<> {
                [$((stringify!($name), self.$name),)+].into_iter()
            }
        }
    };
}

counts! {
    /// Waits for grace periods that ended: calls of `synchronize` of this crate. Threads that wait at the same time may
    /// share a grace period.
    waits,
    /// Calls of membarrier with MEMBARRIER_CMD_PRIVATE_EXPEDITED that the kernel carried out, as all of these.
    membarrier_expedited,
    /// Calls of membarrier with MEMBARRIER_CMD_GLOBAL.
    membarrier_global,
    /// Calls of membarrier with any other command but a query or a registration.
    membarrier_other,
    /// Signals that were sent to readers.
    signals_sent,
    /// Signals that a reader's handler received.
    signals_handled,
    /// Times that a writer slept on a futex: for a reader, or for a writer whose grace period it shares.
    futex_waits,
    /// Times that a reader or a writer woke a writer on a futex.
    futex_wakes,
    /// Times that a grace period slept in `poll`.
    polls,
    /// Quiescent states that readers announced, a change to offline included.
    quiescent_states,
    /// Locks for writing.
    write_locks,
}

/// The ending of a noun behind this count.
pub(crate) fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

impl Counts {
    /// Calls that failed, as the end of a sentence; nothing if none has.
    pub(crate) fn failed(&self) -> String {
        let errors = [
            ("membarrier", self.membarrier_error),
            ("pthread_kill", self.signal_error),
        ];
        let failed = errors.iter().filter(|(_, error)| *error != 0);
        let failed = failed.map(|(call, error)| {
            let error = io::Error::from_raw_os_error(*error);
            format!("; {call} failed: {error}")
        });
        failed.collect()
    }
}

/// Adds 1.
#[inline]
pub(crate) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}
