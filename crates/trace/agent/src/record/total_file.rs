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
        unsafe { &std::slice::from_raw_parts(self.memory, total::STEPS + 1)[index] }
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

    /// Waits until nobody else counts, or fails if somebody does and has not got on for so long: where there are few
    /// processors and much to remove, a count takes its time.
    ///
    /// # Errors
    /// When somebody does, or the kernel refuses.
    pub fn lock(&self, patience: Duration) -> io::Result<Locked<'_>> {
        let steps = || self.word(total::STEPS).load(Ordering::Relaxed);
        let (mut before, mut end) = (steps(), Instant::now() + patience);
        loop {
            // SAFETY: a file that is open.
            if unsafe { libc::flock(self.file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } == 0 {
                return Ok(Locked(self));
            }
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::WouldBlock {
                return Err(error);
            }
            let now = steps();
            if now != before {
                (before, end) = (now, Instant::now() + patience);
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
pub struct Locked<'f>(&'f TotalFile);

impl Locked<'_> {
    /// Tells those who wait that the count gets on.
    pub fn step(&self) {
        self.0.word(total::STEPS).fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // SAFETY: a file that is open.
        unsafe { libc::flock(self.0.file.as_raw_fd(), libc::LOCK_UN) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Milliseconds that somebody waits at most where nothing gets on.
    const PATIENCE: u64 = 500;

    #[test]
    fn a_count_that_gets_on_is_waited_for_and_one_that_stands_still_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let open = || TotalFile::open(directory.path()).unwrap();
        let numbers = open();
        let locked = numbers.lock(Duration::ZERO).unwrap();
        let wait = || open().lock(Duration::from_millis(PATIENCE)).map(drop);
        assert_eq!(wait().unwrap_err().kind(), io::ErrorKind::WouldBlock);
        std::thread::scope(|scope| {
            let waits = scope.spawn(wait);
            let end = Instant::now() + Duration::from_millis(3 * PATIENCE);
            while Instant::now() < end {
                assert!(!waits.is_finished(), "gave up while the count got on");
                locked.step();
                std::thread::sleep(Duration::from_millis(1));
            }
            drop(locked);
            waits.join().unwrap().unwrap();
        });
    }
}
