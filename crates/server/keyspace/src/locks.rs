//! The locks that a writing command holds.

use perflab_table::{Locked, LockedMany};

use crate::entry::Entry;

/// Locks of shards, of one database or of several.
pub(crate) enum Locks<'k> {
    /// The shard of one key, which most commands need, without any list.
    One(usize, Locked<'k, Entry>),
    /// Those of many keys, by ascending database.
    Many(Vec<(usize, LockedMany<'k, Entry>)>),
}

impl<'k> Locks<'k> {
    /// The shard of a key, if it is locked.
    fn find(&self, db: usize, hash: u64) -> Option<&Locked<'k, Entry>> {
        match self {
            Self::One(locked, shard) => (*locked == db).then_some(shard),
            Self::Many(databases) => {
                let place = databases.binary_search_by_key(&db, |(db, _)| *db);
                databases[place.ok()?].1.shard(hash)
            }
        }
    }

    /// The shard of a key.
    ///
    /// # Panics
    /// If it is not locked.
    pub fn shard(&self, db: usize, hash: u64) -> &Locked<'k, Entry> {
        self.find(db, hash).expect("the shard of the key is locked")
    }

    /// The shard of a key, to change it.
    ///
    /// # Panics
    /// If it is not locked.
    pub fn shard_mut(&mut self, db: usize, hash: u64) -> &mut Locked<'k, Entry> {
        let found = match self {
            Self::One(locked, shard) => (*locked == db).then_some(shard),
            Self::Many(databases) => {
                let place = databases.binary_search_by_key(&db, |(db, _)| *db);
                place
                    .ok()
                    .and_then(|place| databases[place].1.shard_mut(hash))
            }
        };
        found.expect("the shard of the key is locked")
    }

    /// The locked shards of a database.
    pub fn shards_mut(&mut self, db: usize) -> impl Iterator<Item = &mut Locked<'k, Entry>> {
        let (one, many) = match self {
            Self::One(locked, shard) => ((*locked == db).then_some(shard), None),
            Self::Many(databases) => (None, databases.iter_mut().find(|(of, _)| *of == db)),
        };
        let many = many.into_iter().flat_map(|(_, shards)| shards.iter_mut());
        one.into_iter().chain(many)
    }
}
