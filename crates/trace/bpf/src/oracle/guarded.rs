//! Memory behind which nothing can be read.
#![expect(unsafe_code, reason = "memory is mapped")]

use core::ptr::null_mut;

use crate::texts::PAGE;

/// Two pages that can be written, before one that cannot be read.
#[derive(Debug)]
pub struct Guarded {
    start: *mut u8,
}

impl Guarded {
    /// New memory.
    pub fn new() -> Self {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: new memory, the last page of which is protected.
        let start = unsafe {
            let start = libc::mmap(null_mut(), 3 * PAGE, protection, flags, -1, 0);
            assert!(start != libc::MAP_FAILED, "there is memory");
            let last = start.byte_add(2 * PAGE);
            assert!(libc::mprotect(last, PAGE, libc::PROT_NONE) == 0);
            start.cast()
        };
        Self { start }
    }

    /// Puts bytes where so many others follow them before the end, and returns their address. The bytes
    /// around them are not zero.
    pub fn put(&mut self, bytes: &[u8], before_end: usize) -> u64 {
        assert!(bytes.len() + before_end <= 2 * PAGE);
        // SAFETY: the memory is there, and nobody else uses it.
        let memory = unsafe { core::slice::from_raw_parts_mut(self.start, 2 * PAGE) };
        memory.fill(b'a');
        let at = memory.len() - before_end - bytes.len();
        memory[at..at + bytes.len()].copy_from_slice(bytes);
        memory[at..].as_ptr() as u64
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: it was mapped like this.
        unsafe { libc::munmap(self.start.cast(), 3 * PAGE) };
    }
}
