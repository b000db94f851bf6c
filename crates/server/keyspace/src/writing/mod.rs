//! What a command does that holds the locks of its keys.
#![expect(
    unsafe_code,
    reason = "entries are put into tables by their addresses, and the lock protects what it looks at"
)]

mod bury;
mod collections;
mod copy;
mod moves;

pub use collections::Create;

use std::fmt;
use std::ptr::NonNull;
use std::sync::atomic::Ordering;

use perflab_rcu::Pinned;

use crate::entry::{Draft, Entry};
use crate::form::Form;
use crate::hand::Hand;
use crate::hash::Key;
use crate::keyspace::Keyspace;
use crate::locks::Locks;
use crate::watching::Watch;
use crate::writing::bury::{Part, bury};

/// The locks of the keys of a command. Readers see each write when it is done; who locks the same keys sees all or none.
///
/// Functions that get a key panic if its shard is not locked.
pub struct Writing<'k> {
    space: &'k Keyspace,
    locks: Locks<'k>,
    expired: Vec<(usize, Vec<u8>)>,
}

impl<'k> Writing<'k> {
    pub(crate) fn new(space: &'k Keyspace, locks: Locks<'k>) -> Self {
        Self {
            space,
            locks,
            expired: Vec::new(),
        }
    }

    /// Keys that were found expired, and were removed before the command wrote: the log must hear of them first. Each
    /// comes with its database.
    pub fn expired(&self) -> &[(usize, Vec<u8>)] {
        &self.expired
    }

    /// The entry of a key at a time in milliseconds since 1970. An expired entry is absent, and stays until a write
    /// meets it.
    ///
    /// # Panics
    /// If the shard of the key is not locked.
    pub fn get(&self, db: usize, key: Key<'_>, now: u64) -> Option<&Entry> {
        let shard = self.locks.shard(db, key.hash());
        let entry = shard.get(key.hash(), key.bytes())?;
        // SAFETY: the thread has the lock of the entry.
        let pinned = unsafe { Pinned::unprotected() };
        entry.is_live(pinned, now).then_some(entry)
    }

    /// Marks an access to an entry for eviction, which [`Writing::get`] does not.
    pub fn mark(&self, entry: &Entry, now: u64) {
        self.space.mark(entry, now);
    }

    /// Writes a string that consists of these parts, in the place of what is there.
    ///
    /// # Panics
    /// If the shard of the key is not locked, or key or string have 4 GiB or more.
    pub fn put(
        &mut self,
        hand: &mut Hand<'_>,
        db: usize,
        key: Key<'_>,
        parts: &[&[u8]],
        deadline: Option<u64>,
    ) {
        self.put_as(Form::Plain, hand, db, key, parts, deadline);
    }

    /// As [`Writing::put`], for commands such as APPEND and SETRANGE, after which Redis takes the string for no integer.
    ///
    /// # Panics
    /// As there.
    pub fn put_raw(
        &mut self,
        hand: &mut Hand<'_>,
        db: usize,
        key: Key<'_>,
        parts: &[&[u8]],
        deadline: Option<u64>,
    ) {
        self.put_as(Form::Raw, hand, db, key, parts, deadline);
    }

    fn put_as(
        &mut self,
        form: Form,
        hand: &mut Hand<'_>,
        db: usize,
        key: Key<'_>,
        parts: &[&[u8]],
        deadline: Option<u64>,
    ) {
        let draft = self.draft(hand, key, deadline);
        self.publish(hand, db, draft.string(form, parts), Part::Whole);
    }

    /// Removes a key. Returns whether it was there.
    ///
    /// # Panics
    /// If the shard of the key is not locked.
    pub fn remove(&mut self, hand: &mut Hand<'_>, db: usize, key: Key<'_>) -> bool {
        let was_there = self.live(hand, db, key).is_some();
        if was_there {
            self.take(hand, db, key, Part::Whole);
            self.space.watchers.tell(db, key);
        }
        was_there
    }

    /// Changes when a key expires, in milliseconds since 1970, or that it never does. Returns whether it is there. The
    /// past is allowed: then the key is expired.
    ///
    /// # Panics
    /// If the shard of the key is not locked.
    pub fn set_deadline(
        &mut self,
        hand: &mut Hand<'_>,
        db: usize,
        key: Key<'_>,
        deadline: Option<u64>,
    ) -> bool {
        let Some(entry) = self.live(hand, db, key) else {
            return false;
        };
        // SAFETY: the thread has the lock of the entry.
        let before = unsafe { entry.as_ref() }.set_deadline(deadline.unwrap_or(0));
        let counter = &self.space.with_deadline[db];
        match (before != 0, deadline.is_some_and(|deadline| deadline != 0)) {
            (false, true) => {
                counter.fetch_add(1, Ordering::Relaxed);
            }
            (true, false) => {
                counter.fetch_sub(1, Ordering::Relaxed);
            }
            _ => {}
        }
        self.space.watchers.tell(db, key);
        true
    }

    /// Whether a watched key was written or has expired since the watch began. The shards of its keys are locked.
    ///
    /// # Panics
    /// If one is not.
    pub fn is_broken(&self, watch: &Watch, now: u64) -> bool {
        let has_expired = |(db, key): (usize, Key<'_>)| {
            let shard = self.locks.shard(db, key.hash());
            let entry = shard.get(key.hash(), key.bytes());
            entry.is_some_and(|entry| entry.is_expired(now))
        };
        watch.is_written() || watch.may_expire().any(has_expired)
    }

    /// The entry of a key. One that is expired is removed.
    fn live(&mut self, hand: &mut Hand<'_>, db: usize, key: Key<'_>) -> Option<NonNull<Entry>> {
        let shard = self.locks.shard(db, key.hash());
        let entry = shard.get(key.hash(), key.bytes())?;
        if !entry.is_expired(hand.now) {
            return Some(NonNull::from(entry));
        }
        self.take(hand, db, key, Part::Whole);
        self.space.watchers.tell_expired(db, key);
        self.expired.push((db, key.bytes().to_vec()));
        None
    }

    /// Removes an expired entry. Returns whether it was there and expired.
    pub(crate) fn expire(&mut self, hand: &mut Hand<'_>, db: usize, key: Key<'_>) -> bool {
        let before = self.expired.len();
        self.live(hand, db, key);
        self.expired.len() > before
    }

    /// What an entry is made of that is written now. The deadline 0 is none.
    fn draft<'a>(&self, hand: &Hand<'_>, key: Key<'a>, deadline: Option<u64>) -> Draft<'a> {
        Draft {
            key,
            deadline: deadline.unwrap_or(0),
            access: self.space.fresh_access(hand.now),
        }
    }

    /// Lets readers find an entry, in the place of the one with its key, of which this part is retired.
    fn publish(&mut self, hand: &mut Hand<'_>, db: usize, entry: NonNull<Entry>, replaced: Part) {
        // SAFETY: it was just made, or copied, and is not retired before the lock is free again.
        let new = unsafe { entry.as_ref() };
        let key = new.key();
        let shard = self.locks.shard_mut(db, key.hash());
        hand.memory += new.memory() as i64;
        if new.deadline().is_some() {
            self.space.with_deadline[db].fetch_add(1, Ordering::Relaxed);
        }
        // SAFETY: the entry is in no table, and whoever takes it out of this one retires it. Nobody writes to it but by
        // atomic variables.
        let old = unsafe { shard.insert(entry, hand.retire) };
        if let Some(old) = old {
            // SAFETY: it is unlinked, and this is the only thread that has taken it.
            unsafe { bury(self.space, db, old, replaced, &mut hand.memory, hand.retire) };
        }
        self.space.watchers.tell(db, key);
    }

    /// Takes the entry of a key out, and retires this part of it. Returns whether there was one.
    fn take(&mut self, hand: &mut Hand<'_>, db: usize, key: Key<'_>, part: Part) -> bool {
        let shard = self.locks.shard_mut(db, key.hash());
        let taken = shard.remove(key.hash(), key.bytes());
        if let Some(old) = taken {
            // SAFETY: it is unlinked, and this is the only thread that has taken it.
            unsafe { bury(self.space, db, old, part, &mut hand.memory, hand.retire) };
        }
        taken.is_some()
    }
}

impl fmt::Debug for Writing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writing")
            .field("expired", &self.expired.len())
            .finish_non_exhaustive()
    }
}
