//! A value that signal handlers read while another thread replaces it. `tests/table.rs` checks all
//! interleavings.
#![expect(
    unsafe_code,
    reason = "what a handler reads is freed when no handler has it"
)]

use std::sync::atomic::Ordering;

use super::atomic::{AtomicPtr, AtomicUsize};

/// A value that is replaced whole.
#[derive(Debug)]
pub struct Table<T> {
    /// Null while there was none.
    pub current: AtomicPtr<T>,
    /// Handlers that may have a value.
    pub looking: AtomicUsize,
}

impl<T> Table<T> {
    /// Lets a handler look. Takes no lock and allocates nothing.
    pub fn look<R>(&self, use_it: impl FnOnce(Option<&T>) -> R) -> R {
        self.looking.fetch_add(1, Ordering::AcqRel);
        // SAFETY: a value stays while somebody looks, see `replace`.
        let result = use_it(unsafe { self.current.load(Ordering::Acquire).as_ref() });
        self.looking.fetch_sub(1, Ordering::Release);
        result
    }

    /// Puts another value in its place. One caller at a time.
    ///
    /// A handler counts itself before it loads the value. The count is read by a write, so of the two one
    /// comes first: either this sees the handler, or the handler sees the new value. So if nobody looks after
    /// the exchange, nobody has the old value. If somebody does each time, it is left.
    pub fn replace(&self, value: T, patience: u32) {
        let new = Box::into_raw(Box::new(value));
        let old = self.current.swap(new, Ordering::AcqRel);
        if old.is_null() {
            return;
        }
        for _ in 0..patience {
            if self.looking.fetch_add(0, Ordering::AcqRel) == 0 {
                // SAFETY: it came from a box, and nobody has it any more.
                drop(unsafe { Box::from_raw(old) });
                return;
            }
            std::thread::yield_now();
        }
    }
}
