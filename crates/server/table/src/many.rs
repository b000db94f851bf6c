//! Several shards whose locks the calling thread has.

use std::fmt;

use crate::bits;
use crate::entry::Entry;
use crate::locked::Locked;

/// Shards of a [`Table`](crate::Table) that the calling thread alone may change until this is dropped.
///
/// Others that lock do not see the changes in part. Readers without a lock see them one by one.
pub struct LockedMany<'t, E: Entry> {
    /// In ascending order.
    shards: Vec<Locked<'t, E>>,
}

impl<'t, E: Entry> LockedMany<'t, E> {
    /// Shards in ascending order.
    pub(crate) fn new(shards: impl Iterator<Item = Locked<'t, E>>) -> Self {
        Self {
            shards: shards.collect(),
        }
    }

    /// The place of the shard of a hash.
    fn place(&self, hash: u64) -> Option<usize> {
        let shard = bits::shard(hash);
        self.shards.binary_search_by_key(&shard, Locked::shard).ok()
    }

    /// The shard that this hash belongs to, if it is one of these.
    pub fn shard(&self, hash: u64) -> Option<&Locked<'t, E>> {
        Some(&self.shards[self.place(hash)?])
    }

    /// The shard that this hash belongs to, if it is one of these, to change it.
    pub fn shard_mut(&mut self, hash: u64) -> Option<&mut Locked<'t, E>> {
        let place = self.place(hash)?;
        Some(&mut self.shards[place])
    }

    /// The shards in ascending order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Locked<'t, E>> {
        self.shards.iter_mut()
    }
}

impl<E: Entry> fmt::Debug for LockedMany<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LockedMany({} shards)", self.shards.len())
    }
}
