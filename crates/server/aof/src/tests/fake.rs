//! A medium in memory.

use std::io;
use std::sync::{Condvar, Mutex, MutexGuard};

use crate::format::head;
use crate::medium::Medium;
use crate::replay::replay;
use crate::source::Source;

/// The salt of all of them.
pub const SALT: u64 = 7;

/// A medium in memory that begins with a first line.
#[derive(Debug)]
pub struct Fake {
    inner: Mutex<Inner>,
    changed: Condvar,
}

/// What is in a fake, and what it is told to do.
#[derive(Debug)]
pub struct Inner {
    /// The file.
    pub bytes: Vec<u8>,
    /// What a power failure leaves of it.
    pub durable: Vec<u8>,
    /// The greatest length that it can have.
    pub room: usize,
    /// Whether a sync fails.
    pub sync_fails: bool,
    /// Whether a sync waits.
    pub sync_stalls: bool,
    /// How many syncs have begun.
    pub syncs: u32,
}

impl Fake {
    /// With room for all, and no faults.
    pub fn new() -> Self {
        let inner = Inner {
            bytes: head(SALT).to_vec(),
            durable: head(SALT).to_vec(),
            room: usize::MAX,
            sync_fails: false,
            sync_stalls: false,
            syncs: 0,
        };
        Self {
            inner: Mutex::new(inner),
            changed: Condvar::new(),
        }
    }

    /// What is in it, to look at.
    pub fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("nothing panics with it")
    }

    /// Changes what it is told to do.
    pub fn tell(&self, change: impl FnOnce(&mut Inner)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    /// The payloads of the file, all of which is sound.
    pub fn blocks(&self) -> Vec<String> {
        blocks(&self.lock().bytes)
    }

    /// The payloads that a power failure leaves.
    pub fn durable_blocks(&self) -> Vec<String> {
        blocks(&self.lock().durable)
    }
}

fn blocks(bytes: &[u8]) -> Vec<String> {
    let mut blocks = Vec::new();
    let replayed = replay(&bytes, |payload, _| {
        blocks.push(String::from_utf8_lossy(payload).into_owned());
        Ok::<(), String>(())
    });
    let replayed = replayed.expect("it is a log");
    assert_eq!(replayed.torn, None, "{blocks:?}");
    blocks
}

impl Source for Fake {
    fn length(&self) -> io::Result<u64> {
        self.lock().bytes.as_slice().length()
    }

    fn read_from(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.lock().bytes.as_slice().read_from(offset, buffer)
    }
}

impl Medium for Fake {
    fn write(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        let mut inner = self.lock();
        let offset = offset as usize;
        let count = bytes.len().min(inner.room.saturating_sub(offset));
        if count == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let end = inner.bytes.len().max(offset + count);
        inner.bytes.resize(end, 0);
        inner.bytes[offset..offset + count].copy_from_slice(&bytes[..count]);
        Ok(count)
    }

    fn cut(&self, length: u64) -> io::Result<()> {
        self.lock().bytes.truncate(length as usize);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut inner = self.lock();
        inner.syncs += 1;
        // What is written while it is in progress may or may not be durable.
        let bytes = inner.bytes.clone();
        while inner.sync_stalls {
            inner = self.changed.wait(inner).expect("nothing panics with it");
        }
        if inner.sync_fails {
            return Err(io::Error::other("the disk is broken"));
        }
        inner.durable = bytes;
        Ok(())
    }
}
