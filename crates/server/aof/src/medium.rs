//! What a log is written to: a file, or in tests one that fails when it is told to.

use std::fmt;
use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::FileExt;

use crate::source::Source;

/// What a log is written to. Several threads may use it at once.
pub(crate) trait Medium: Source + Send + Sync + fmt::Debug {
    /// Writes at an offset, and returns how many bytes of these.
    fn write(&self, bytes: &[u8], offset: u64) -> io::Result<usize>;

    /// Drops what is behind this length.
    fn cut(&self, length: u64) -> io::Result<()>;

    /// Makes what was written outlast a power failure.
    fn sync(&self) -> io::Result<()>;
}

/// Writes all of these bytes. Returns how many were written, and why not the others.
pub(crate) fn write_all(medium: &dyn Medium, bytes: &[u8], offset: u64) -> (usize, io::Result<()>) {
    let mut done = 0;
    while done < bytes.len() {
        match medium.write(&bytes[done..], offset + done as u64) {
            Ok(0) => return (done, Err(io::ErrorKind::WriteZero.into())),
            Ok(count) => done += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (done, Err(error)),
        }
    }
    (done, Ok(()))
}

/// A file that this process alone has open as a log. The lock is a flock(2).
#[derive(Debug)]
pub(crate) struct LockedFile(File);

impl LockedFile {
    /// Does not wait. `None` if somebody else has it.
    pub fn lock(file: File) -> io::Result<Option<Self>> {
        match file.try_lock() {
            Ok(()) => Ok(Some(Self(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// The file.
    pub fn file(&self) -> &File {
        &self.0
    }
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        // Closing is not enough: a child that this process is just starting has a copy of the descriptor until it
        // executes its program.
        let _until_closed = self.0.unlock();
    }
}

impl Source for LockedFile {
    fn length(&self) -> io::Result<u64> {
        self.0.length()
    }

    fn read_from(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read_from(offset, buffer)
    }
}

impl Medium for LockedFile {
    fn write(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        self.0.write_at(bytes, offset)
    }

    fn cut(&self, length: u64) -> io::Result<()> {
        self.0.set_len(length)
    }

    fn sync(&self) -> io::Result<()> {
        // As fdatasync(2) the length of the file is on the disk then, too, but not the time of the last change.
        self.0.sync_data()
    }
}
