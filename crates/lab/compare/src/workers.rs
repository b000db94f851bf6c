//! Threads to compare with, shared among all that compare at the same time: several that each take one for each
//! processor would get in each other's way.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

static TAKEN: AtomicUsize = AtomicUsize::new(0);

/// So many threads may be made until this is dropped.
#[derive(Debug)]
pub(crate) struct Workers(usize);

impl Workers {
    /// As many as are wanted, of those that there are processors for and nobody has taken.
    pub(crate) fn take(wanted: usize) -> Self {
        let all = thread::available_parallelism().map_or(1, NonZero::get);
        let wanted = wanted.min(all);
        let taken = TAKEN.fetch_add(wanted, Ordering::Relaxed);
        let granted = all.saturating_sub(taken).min(wanted);
        TAKEN.fetch_sub(wanted - granted, Ordering::Relaxed);
        Self(granted)
    }

    pub(crate) fn count(&self) -> usize {
        self.0
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        TAKEN.fetch_sub(self.0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_never_more_than_processors() {
        let all = thread::available_parallelism().map_or(1, NonZero::get);
        let first = Workers::take(1000);
        assert_eq!(first.count(), all);
        assert_eq!(Workers::take(1).count(), 0);
        drop(first);
        assert_eq!(Workers::take(1).count(), 1);
    }
}
