//! A shard whose lock the calling thread has.
#![expect(
    unsafe_code,
    reason = "whoever puts an entry in promises how long it stays"
)]

use std::fmt;
use std::ptr::NonNull;
use std::sync::MutexGuard;

use perflab_rcu::Retire;

use crate::bits;
use crate::entry::Entry;
use crate::root::Root;
use crate::taken::Taken;
use crate::tally::Tally;
use crate::writer::Writer;

/// A shard of a [`Table`](crate::Table), which the calling thread alone may change until this is dropped. Readers see
/// each change at once.
///
/// Functions that get a key or an entry panic if its hash belongs to another shard.
pub struct Locked<'t, E: Entry> {
    writer: Writer<'t, E>,
    shard: u8,
    /// Unlocks.
    _guard: MutexGuard<'t, ()>,
}

impl<'t, E: Entry> Locked<'t, E> {
    /// # Safety
    /// The guard is of the lock of the shard with this root, tally and number.
    pub(crate) unsafe fn new(
        root: &'t Root<E>,
        tally: &'t Tally,
        shard: u8,
        guard: MutexGuard<'t, ()>,
    ) -> Self {
        Self {
            // SAFETY: the lock excludes other writers, and the guard lives as long as the writer.
            writer: unsafe { Writer::new(root, tally) },
            shard,
            _guard: guard,
        }
    }

    /// The number of the shard: the upper 8 bits of its hashes.
    pub fn shard(&self) -> u8 {
        self.shard
    }

    fn check(&self, hash: u64) {
        assert_eq!(
            bits::shard(hash),
            self.shard,
            "the hash belongs to another shard than the one that is locked"
        );
    }

    /// The entry with this key.
    ///
    /// # Panics
    /// If the hash belongs to another shard.
    pub fn get(&self, hash: u64, key: &[u8]) -> Option<&E> {
        self.check(hash);
        self.writer.get(hash, key)
    }

    /// Puts an entry in. If it replaces one with the same key, that one is returned, and the caller retires it. Readers
    /// find one of both at each moment.
    ///
    /// If the entry has no place, a segment grows or is split, and the old one is retired. That copies at most 128
    /// addresses, and looks at the hash of each. Now and then it doubles the directory of the shard, which has 8 bytes
    /// for each 25 to 100 entries of the shard, and at most 512 KiB.
    ///
    /// # Safety
    /// The entry is in no table. Any thread may read it until it was unlinked (replaced, removed, swept or taken) and a
    /// grace period is over after that, or until it was drained. Until then nobody has a reference to it that allows to
    /// write.
    ///
    /// # Panics
    /// If its hash belongs to another shard, or its address has more than 48 bits. It was not put in then.
    pub unsafe fn insert(
        &mut self,
        entry: NonNull<E>,
        retire: &mut dyn Retire,
    ) -> Option<NonNull<E>> {
        // SAFETY: the entry may be read, as the caller promises.
        self.check(unsafe { entry.as_ref() }.hash());
        // SAFETY: as the caller promises.
        unsafe { self.writer.insert(entry, retire) }
    }

    /// Takes the entry with this key out and returns it. The caller retires it.
    ///
    /// # Panics
    /// If the hash belongs to another shard.
    pub fn remove(&mut self, hash: u64, key: &[u8]) -> Option<NonNull<E>> {
        self.check(hash);
        self.writer.remove(hash, key)
    }

    /// Looks at all entries of the shard, and takes those out that are not to be kept. The caller retires them. It takes
    /// time in proportion to the entries of the shard.
    pub fn retain(&mut self, keep: impl FnMut(&E) -> bool, removed: impl FnMut(NonNull<E>)) {
        self.writer.retain(keep, removed);
    }

    /// Takes all entries out at one moment. The shard is empty then, and has no memory of before. It takes the same time
    /// however many entries there are: those are given away by [`Taken::retire`], when the lock may be free again.
    pub fn take(&mut self) -> Taken<E> {
        // SAFETY: the directory was detached, and nobody else retires it.
        unsafe { Taken::new(self.writer.detach()) }
    }
}

impl<E: Entry> fmt::Debug for Locked<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Locked(shard {})", self.shard)
    }
}
