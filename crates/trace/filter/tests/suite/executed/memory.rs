//! Memory for texts, behind which nothing can be read.

use std::{ptr, slice};

pub const PAGE: usize = 4096;

/// Bytes that can be read of the memory of each text.
pub const READABLE: usize = 2 * PAGE;

/// Bytes from the memory of one text to that of the next. It begins at a multiple of this.
const STEP: usize = 4 * PAGE;

const TEXTS: usize = 16;

/// More than what is read at once.
const BEHIND: usize = 64;

pub struct Memory {
    start: *mut u8,
    next: usize,
}

impl Memory {
    /// New memory, which stays for as long as the process.
    pub fn new() -> Self {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let bytes = (TEXTS + 1) * STEP;
        // SAFETY: the memory is new.
        let mapped = unsafe { libc::mmap(ptr::null_mut(), bytes, libc::PROT_NONE, flags, -1, 0) };
        assert!(mapped != libc::MAP_FAILED, "there is memory");
        let mapped = mapped.cast::<u8>();
        let start = mapped.wrapping_add(mapped.align_offset(STEP));
        for text in 0..TEXTS {
            let readable = start.wrapping_add(text * STEP);
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            // SAFETY: these are pages of that memory.
            let code = unsafe { libc::mprotect(readable.cast(), READABLE, protection) };
            assert_eq!(code, 0, "memory can be made readable");
        }
        Self { start, next: 0 }
    }

    /// Forgets all texts.
    pub fn clear(&mut self) {
        self.next = 0;
    }

    /// Puts a text at this place of its memory, and returns its address. What follows it is no zero.
    pub fn put(&mut self, text: &[u8], at: usize) -> u64 {
        assert!(self.next < TEXTS, "there is memory for so many texts");
        let start = self.start.wrapping_add(self.next * STEP);
        self.next += 1;
        // SAFETY: it is memory of this text alone.
        let memory = unsafe { slice::from_raw_parts_mut(start, READABLE) };
        let end = at + text.len();
        memory[at..end].copy_from_slice(text);
        memory[end..READABLE.min(end + BEHIND)].fill(b'a');
        memory[at..].as_ptr() as u64
    }
}

/// Copies what can be read from an address in such memory on, and returns how many bytes that is.
pub fn read(address: u64, to: &mut [u8]) -> usize {
    let (address, length) = (address as usize, to.len());
    let end = address - address % STEP + READABLE;
    let bytes = length.min(end - address);
    // SAFETY: so many bytes are left of the text's memory.
    unsafe { ptr::copy_nonoverlapping(address as *const u8, to.as_mut_ptr(), bytes) };
    bytes
}
