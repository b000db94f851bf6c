//! Waiting for a grace period: who may, how long it took, and since when somebody waits.
#![expect(
    unsafe_code,
    reason = "what a flavour asks of its callers is checked here"
)]

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::alive;
use crate::counts::count;
use crate::flavour::Flavour;
use crate::unavailable::Refused;
use crate::watch;

/// Waits until every section has ended that is open now. Afterwards nobody uses what the caller unlinked before.
///
/// It is counted, timed, and watched: a reader that holds it up is named. It takes at least as long as the longest
/// section that is open. A reader of the flavour would wait for itself, and calls
/// [`Reader::synchronize`](crate::Reader::synchronize) instead.
///
/// # Errors
/// If the flavour is unavailable, the calling thread is a reader of it, or this process is a fork.
///
/// # Panics
/// If an own domain uses membarrier, and the kernel refuses it although it did not when the flavour was loaded. A
/// filter of system calls that a program installs later must let membarrier through. liburcu ends the process instead.
pub fn synchronize<F: Flavour>() -> Result<(), Refused> {
    admit::<F>()?;
    // SAFETY: the flavour is loaded, the caller no reader, and this process no fork, as was just checked.
    unsafe { watched::<F>() };
    Ok(())
}

/// As [`synchronize`], but neither timed nor watched. The clock costs about as much as the shortest grace periods.
///
/// So nobody names a reader that holds it up, or gives back what a thread had that ended without leaving. The exception
/// is another grace period that waits at the same time and is watched.
///
/// # Errors
/// As of [`synchronize`].
///
/// # Panics
/// As [`synchronize`].
pub fn synchronize_unwatched<F: Flavour>() -> Result<(), Refused> {
    admit::<F>()?;
    // SAFETY: as in `synchronize`.
    unsafe { F::synchronize() };
    count(&F::domain().counters().waits);
    Ok(())
}

fn admit<F: Flavour>() -> Result<(), Refused> {
    if alive::is_forked() {
        return Err(Refused::Forked);
    }
    if F::domain().is_read_here() {
        return Err(Refused::IsReader);
    }
    F::load()?;
    alive::begin();
    Ok(())
}

/// Waits for a grace period that is counted, timed and watched.
///
/// # Safety
/// As of [`Flavour::synchronize`].
pub(crate) unsafe fn watched<F: Flavour>() {
    let domain = F::domain();
    let begun = now_ns();
    let stamp = domain.running.begin(begun);
    watch::wake();
    // SAFETY: as the caller promises.
    unsafe { F::synchronize() };
    drop(stamp);
    domain.durations.add(now_ns() - begun);
    count(&domain.counters().waits);
}

/// Nanoseconds since the first call, from 1.
pub(crate) fn now_ns() -> u64 {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    FIRST.get_or_init(Instant::now).elapsed().as_nanos() as u64 + 1
}

/// Grace periods that are stamped at once. If there are more, nobody needs the others: a reader that holds one up holds
/// up all.
const STAMPS: usize = 16;

/// A stamp that is free.
const NOBODY: u64 = 0;

/// A place that was stamped. It is free again when this is dropped, also by a panic.
struct Stamp<'a>(&'a AtomicU64);

impl Drop for Stamp<'_> {
    fn drop(&mut self) {
        self.0.store(NOBODY, Ordering::Relaxed);
    }
}

/// Since when each of those waits that wait for a grace period.
#[derive(Debug)]
pub(crate) struct Running([AtomicU64; STAMPS]);

impl Running {
    pub const fn new() -> Self {
        Self([const { AtomicU64::new(NOBODY) }; STAMPS])
    }

    /// Stamps a free place, if there is one. The watch is woken afterwards, and must see the stamp.
    fn begin(&self, now: u64) -> Option<Stamp<'_>> {
        let mut stamps = self.0.iter();
        let stamp = stamps.find(|stamp| {
            stamp.load(Ordering::Relaxed) == NOBODY
                && stamp
                    .compare_exchange(NOBODY, now, Ordering::SeqCst, Ordering::Relaxed)
                    .is_ok()
        });
        stamp.map(Stamp)
    }

    /// The earliest stamp.
    pub fn oldest(&self) -> Option<u64> {
        let stamps = self.0.iter().map(|stamp| stamp.load(Ordering::SeqCst));
        stamps.filter(|stamp| *stamp != NOBODY).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn a_grace_period_that_panics_waits_no_more() {
        let running = Running::new();
        let stamp = running.begin(7);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let _stamp = running.begin(5);
            assert_eq!(running.oldest(), Some(5));
            panic!("planted");
        }));
        assert!(outcome.is_err());
        assert_eq!(running.oldest(), Some(7));
        drop(stamp);
        assert_eq!(running.oldest(), None);
    }
}
