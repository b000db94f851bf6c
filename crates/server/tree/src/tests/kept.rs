//! A limbo of one thread.
#![expect(unsafe_code, reason = "what is retired is freed later")]

use perflab_rcu::Retire;

struct Entry {
    object: *mut u8,
    bytes: usize,
    free: unsafe fn(*mut u8),
}

/// Keeps what is retired until it is told to free it, or is dropped.
#[derive(Default)]
pub struct Kept {
    entries: Vec<Entry>,
}

impl Kept {
    /// Bytes that were retired and are not freed.
    pub fn bytes(&self) -> usize {
        self.entries.iter().map(|entry| entry.bytes).sum()
    }

    /// Objects that were retired and are not freed.
    pub fn objects(&self) -> usize {
        self.entries.len()
    }

    /// Frees what was retired. The test uses no view any more that was made before.
    pub fn free(&mut self) {
        for entry in self.entries.drain(..) {
            // SAFETY: no reader can see it any more, and this is the only call.
            unsafe { (entry.free)(entry.object) };
        }
    }
}

impl Retire for Kept {
    unsafe fn retire_raw(&mut self, object: *mut u8, bytes: usize, free: unsafe fn(*mut u8)) {
        self.entries.push(Entry {
            object,
            bytes,
            free,
        });
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.free();
    }
}
