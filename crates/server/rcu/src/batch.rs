//! Retired objects that are freed together.
#![expect(
    unsafe_code,
    reason = "objects of any type are kept by their addresses"
)]

use std::mem;

/// An object, and how it is freed.
#[derive(Debug)]
struct Entry {
    object: *mut u8,
    free: unsafe fn(*mut u8),
}

/// Objects that wait for one grace period. A batch that is dropped instead of freed leaks them.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    entries: Vec<Entry>,
    bytes: u64,
    /// The grace period for which a closed batch waits.
    pub ticket: u64,
}

// SAFETY: `push` is promised that any thread may free the objects.
unsafe impl Send for Batch {}

impl Batch {
    /// Adds an object.
    ///
    /// # Safety
    /// After a grace period, any thread may call `free` with `object` once.
    pub unsafe fn push(&mut self, object: *mut u8, bytes: usize, free: unsafe fn(*mut u8)) {
        self.entries.push(Entry { object, free });
        self.bytes += bytes as u64;
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Objects in it.
    pub fn objects(&self) -> u64 {
        self.entries.len() as u64
    }

    /// Bytes in it, as they were given to `push`.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The batch, in whose place `next` goes on.
    pub fn close(&mut self, next: Self) -> Self {
        mem::replace(self, next)
    }

    /// Frees the objects, and keeps the memory of the list. If freeing one panics, those behind it are leaked.
    ///
    /// # Safety
    /// A grace period has begun and ended since the last object was unlinked.
    pub unsafe fn free(&mut self) {
        self.bytes = 0;
        for Entry { object, free } in self.entries.drain(..) {
            // SAFETY: the grace period is over, and the entry was taken out, so this is the only call.
            unsafe { free(object) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};

    static FREED: AtomicUsize = AtomicUsize::new(0);

    unsafe fn count(object: *mut u8) {
        assert!(!object.is_null(), "planted");
        FREED.fetch_add(object.addr(), Ordering::Relaxed);
    }

    #[test]
    fn each_object_is_freed_once_also_if_one_panics() {
        let mut batch = Batch::default();
        for object in [1, 10, 0, 100] {
            // SAFETY: `count` accepts every address.
            unsafe { batch.push(std::ptr::without_provenance_mut(object), 8, count) };
        }
        assert_eq!((batch.objects(), batch.bytes()), (4, 32));
        // SAFETY: no reader can see these.
        let outcome = catch_unwind(AssertUnwindSafe(|| unsafe { batch.free() }));
        assert!(outcome.is_err() && batch.is_empty());
        // SAFETY: as above.
        unsafe { batch.free() };
        assert_eq!((FREED.load(Ordering::Relaxed), batch.bytes()), (11, 0));
    }
}
