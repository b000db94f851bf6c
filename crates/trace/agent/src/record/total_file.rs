//! The numbers that all processes of a user share, and their file.
#![expect(
    unsafe_code,
    reason = "the numbers are mapped, and shared by processes"
)]

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use perflab_abi::recording::{TOTAL_FILE, TOTAL_MAGIC, total};

use crate::pages::{PAGE, map_file};

/// In the number as long as nothing was counted: more than any limit.
const NOT_COUNTED: u64 = 1 << 62;

/// The numbers that all processes of a user share, and their file.
#[derive(Debug)]
pub struct TotalFile {
    file: File,
    memory: *mut AtomicU64,
}

// SAFETY: the memory is atomics only.
unsafe impl Send for TotalFile {}

impl TotalFile {
    /// Opens it in a directory.
    ///
    /// # Errors
    /// When it cannot be used there.
    pub fn open(base: &Path) -> io::Result<Self> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(libc::O_NOFOLLOW)
            .open(base.join(TOTAL_FILE))?;
        let memory = map_file(&file, PAGE, 0)?.cast();
        let numbers = Self { file, memory };
        let before = numbers
            .word(total::MAGIC)
            .swap(TOTAL_MAGIC, Ordering::AcqRel);
        if before != TOTAL_MAGIC {
            numbers.bytes().fetch_add(NOT_COUNTED, Ordering::Relaxed);
        }
        Ok(numbers)
    }

    /// One of the numbers.
    pub fn word(&self, index: usize) -> &AtomicU64 {
        // SAFETY: a page is mapped until `self` goes.
        unsafe { &std::slice::from_raw_parts(self.memory, total::COUNTED + 1)[index] }
    }

    /// The bytes of all recordings.
    pub fn bytes(&self) -> &AtomicU64 {
        self.word(total::BYTES)
    }

    /// Nobody asks for a word any more.
    pub fn unmap(&self) {
        // SAFETY: mapped by `open`, and used until now only.
        unsafe { libc::munmap(self.memory.cast(), PAGE) };
    }

    /// Waits for so long until nobody else counts, or fails if somebody does.
    ///
    /// # Errors
    /// When somebody does, or the kernel refuses.
    pub fn lock(&self, patience: Duration) -> io::Result<Locked<'_>> {
        let end = Instant::now() + patience;
        loop {
            // SAFETY: a file that is open.
            if unsafe { libc::flock(self.file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } == 0 {
                return Ok(Locked(&self.file));
            }
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::WouldBlock {
                return Err(error);
            }
            if Instant::now() >= end {
                let text =
                    "another process has had it locked for a while; is one of this user's stopped?";
                return Err(io::Error::new(io::ErrorKind::WouldBlock, text));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for TotalFile {
    fn drop(&mut self) {
        self.unmap();
    }
}

/// Nobody else counts meanwhile.
#[derive(Debug)]
pub struct Locked<'f>(&'f File);

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // SAFETY: a file that is open.
        unsafe { libc::flock(self.0.as_raw_fd(), libc::LOCK_UN) };
    }
}
