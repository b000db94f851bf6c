//! Renaming, copying and clearing: what concerns more than one key.
#![expect(
    unsafe_code,
    reason = "the lock that the thread has protects what it copies"
)]

use crate::hand::Hand;
use crate::hash::Key;
use crate::writing::Writing;
use crate::writing::bury::{Part, bury};
use crate::writing::copy::{Blobs, copy};

impl Writing<'_> {
    /// Renames a key, in the place of what the new name had. Deadline and access clock stay. Returns whether the key is
    /// there.
    ///
    /// Readers without a lock see both names for a moment. The nodes of a collection are copied, which takes time in
    /// proportion to its elements.
    ///
    /// # Panics
    /// If a shard of both keys is not locked.
    pub fn rename(&mut self, hand: &mut Hand<'_>, db: usize, from: Key<'_>, to: Key<'_>) -> bool {
        let Some(source) = self.live(hand, db, from) else {
            return false;
        };
        if from != to {
            // SAFETY: the thread has the lock of the entry.
            let renamed = unsafe {
                let source = source.as_ref();
                copy(source, source.draft(to), Blobs::Shared, hand.retire)
            };
            self.publish(hand, db, renamed, Part::Whole);
            self.take(hand, db, from, Part::Shell);
            self.space.watchers.tell(db, from);
        }
        true
    }

    /// Copies a key to another one, perhaps of another database, in the place of what that one had. The deadline is
    /// copied too. Returns whether the key is there.
    ///
    /// # Panics
    /// If a shard of both keys is not locked, or both are the same.
    pub fn copy(
        &mut self,
        hand: &mut Hand<'_>,
        (db, from): (usize, Key<'_>),
        (to_db, to): (usize, Key<'_>),
    ) -> bool {
        assert!((db, from) != (to_db, to), "a key is not copied to itself");
        let Some(source) = self.live(hand, db, from) else {
            return false;
        };
        // SAFETY: the thread has the lock of the entry.
        let copied = unsafe {
            let source = source.as_ref();
            copy(source, source.draft(to), Blobs::Copied, hand.retire)
        };
        self.publish(hand, to_db, copied, Part::Whole);
        true
    }

    /// Removes all keys of a database, whose shards are all locked, one shard after another. Each shard is emptied at
    /// one moment.
    pub fn clear(&mut self, hand: &mut Hand<'_>, db: usize) {
        let (space, locks) = (self.space, &mut self.locks);
        space.watchers.tell_all(db, |key| {
            let shard = locks.shard(db, key.hash());
            shard.get(key.hash(), key.bytes()).is_some()
        });
        let memory = &mut hand.memory;
        for shard in locks.shards_mut(db) {
            shard.take().retire(hand.retire, |entry, retire| {
                // SAFETY: the entry was taken out of the table, and comes once.
                unsafe { bury(space, db, entry, Part::Whole, memory, retire) };
            });
        }
    }
}
