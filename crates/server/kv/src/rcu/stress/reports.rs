//! Reports on readers that hold grace periods up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use perflab_rcu::{Cause, Stall, on_stall};

use super::NEVER_ENDING;
use crate::output::say;

/// Reports that were received.
#[derive(Debug, Default)]
pub struct Reports {
    is_named: AtomicBool,
    buried: AtomicU64,
    is_lost: AtomicBool,
}

/// Reports on threads that ended inside of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dead {
    /// Those whose places were given back.
    pub buried: u64,
    /// Whether the flavour waits for one for ever.
    pub is_lost: bool,
}

impl Dead {
    /// The number of threads that were reported. Any number if the flavour waits for one for ever: it is reported again
    /// and again, and nobody could tell another one from it.
    pub fn reported(self) -> u64 {
        if self.is_lost { u64::MAX } else { self.buried }
    }
}

impl Reports {
    /// Receives reports from now on. The first one of each kind is printed.
    pub fn receive() -> Arc<Self> {
        let reports = Arc::new(Self::default());
        let own = Arc::clone(&reports);
        on_stall(move |stall| {
            if own.is_first(stall) {
                say(&stall.to_string());
            }
        });
        reports
    }

    fn is_first(&self, stall: &Stall) -> bool {
        match stall.cause {
            // Readers that wait for their turn may hold a grace period up as well.
            Cause::Reads(_) if stall.reader.name != NEVER_ENDING => false,
            Cause::Reads(_) => !self.is_named.swap(true, Ordering::Relaxed),
            Cause::Buried => self.buried.fetch_add(1, Ordering::Relaxed) == 0,
            Cause::Lost => !self.is_lost.swap(true, Ordering::Relaxed),
            Cause::Unknown => false,
        }
    }

    /// Whether the reader was named that never ends its section.
    pub fn is_named(&self) -> bool {
        self.is_named.load(Ordering::Relaxed)
    }

    pub fn dead(&self) -> Dead {
        Dead {
            buried: self.buried.load(Ordering::Relaxed),
            is_lost: self.is_lost.load(Ordering::Relaxed),
        }
    }
}
