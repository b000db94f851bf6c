//! What came before a recording that begins, of a number that only grows.

use std::sync::atomic::{AtomicU64, Ordering};

/// Whose recording begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begin {
    /// That of a recorder that keeps all events.
    Kept,
    /// That of the process, on its own.
    Own,
    /// That of the process again, after a recorder.
    OwnAgain,
}

impl Begin {
    /// Writes how far the number came: up to a recorder, up to when it went, and how much up to the recorder is not the
    /// process's own.
    pub fn write(self, number: u64, [kept, overwritten, others]: [&AtomicU64; 3]) {
        if self == Self::Kept {
            let [from, to] = [kept, overwritten].map(|word| word.load(Ordering::Relaxed));
            others.fetch_add(to.saturating_sub(from), Ordering::Relaxed);
            kept.store(number, Ordering::Release);
            return;
        }
        if self == Self::Own {
            others.store(number, Ordering::Relaxed);
            kept.store(number, Ordering::Release);
        }
        overwritten.store(number, Ordering::Release);
    }
}
