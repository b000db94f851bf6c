//! The databases, as readers see them.
#![expect(
    unsafe_code,
    reason = "whoever makes a keyspace promises one flavour of RCU, and the last owner frees all entries"
)]

use std::cell::RefCell;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use perflab_rcu::Pinned;
use perflab_table::Table;

use crate::access::{self, Clock};
use crate::entry::{self, Entry};
use crate::hash::Key;
use crate::limits::Limits;
use crate::locks::Locks;
use crate::policy::Policy;
use crate::random::Random;
use crate::watching::{Watch, Watchers};
use crate::writing::Writing;

/// Databases of a keyspace. Their numbers are 0 to 15, and functions that get another one panic.
pub const DATABASES: usize = 16;

thread_local! {
    /// For counts of accesses, which grow at random.
    static DICE: RefCell<Random> = RefCell::new(Random::new());
}

/// The data of a key-value server: 16 databases of keys with values.
///
/// Readers wait for nobody. Writers lock the shards of their keys: [`Keyspace::lock`] and its kin. See the
/// [crate](crate) for an example.
pub struct Keyspace {
    pub(crate) tables: Box<[Table<Entry>]>,
    /// Of each database, the entries that have a deadline.
    pub(crate) with_deadline: [AtomicUsize; DATABASES],
    pub(crate) watchers: Watchers,
    limits: Limits,
    policy: AtomicU8,
}

impl Keyspace {
    /// Empty databases.
    ///
    /// # Safety
    /// All sections whose [`Pinned`], and all limbos whose [`Retire`](perflab_rcu::Retire) come to this keyspace are of
    /// one flavour.
    pub unsafe fn new() -> Self {
        Self {
            // SAFETY: as the caller promises.
            tables: (0..DATABASES).map(|_| unsafe { Table::new() }).collect(),
            with_deadline: Default::default(),
            watchers: Watchers::new(),
            limits: Limits::default(),
            policy: AtomicU8::new(Policy::default() as u8),
        }
    }

    /// Up to which size collections are small ones.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The policy of eviction.
    pub fn policy(&self) -> Policy {
        Policy::numbered(self.policy.load(Ordering::Relaxed))
    }

    /// Changes the policy of eviction. Access clocks keep what it wants from now on. What they have kept for another
    /// policy misleads it until the keys are read again.
    pub fn set_policy(&self, policy: Policy) {
        self.policy.store(policy as u8, Ordering::Relaxed);
    }

    /// The entry of a key at a time in milliseconds since 1970, and marks an access for eviction. An expired entry is
    /// absent.
    #[inline]
    pub fn get<'p>(
        &'p self,
        db: usize,
        key: Key<'_>,
        pinned: Pinned<'p>,
        now: u64,
    ) -> Option<&'p Entry> {
        let entry = self.peek(db, key, pinned, now)?;
        self.mark(entry, now);
        Some(entry)
    }

    /// As [`Keyspace::get`], without marking an access: for commands that ask about a key.
    #[inline]
    pub fn peek<'p>(
        &'p self,
        db: usize,
        key: Key<'_>,
        pinned: Pinned<'p>,
        now: u64,
    ) -> Option<&'p Entry> {
        let entry = self.tables[db].get(key.hash(), key.bytes(), pinned)?;
        entry.is_live(pinned, now).then_some(entry)
    }

    /// Asks the processor for the cache lines that lead to the entry of a key. For several keys, call this for each,
    /// then [`Keyspace::prefetch_entry`] for each.
    #[inline]
    pub fn prefetch(&self, db: usize, key: Key<'_>, pinned: Pinned<'_>) {
        self.tables[db].prefetch(key.hash(), pinned);
    }

    /// Asks the processor for the first cache line of the entry of a key.
    #[inline]
    pub fn prefetch_entry(&self, db: usize, key: Key<'_>, pinned: Pinned<'_>) {
        self.tables[db].prefetch_entry(key.hash(), pinned);
    }

    /// Keys of a database, with those that are expired but not removed yet.
    pub fn len(&self, db: usize) -> usize {
        self.tables[db].len()
    }

    /// Whether a database has no key.
    pub fn is_empty(&self, db: usize) -> bool {
        self.len(db) == 0
    }

    /// Keys of a database that have a deadline.
    pub fn with_deadline(&self, db: usize) -> usize {
        self.with_deadline[db].load(Ordering::Relaxed)
    }

    /// Bytes of the tables of all databases. They are not in [`Hand::memory`](crate::Hand::memory).
    pub fn table_bytes(&self) -> usize {
        self.tables.iter().map(Table::bytes).sum()
    }

    /// One step of a walk through the keys of a database that goes on while it changes: gives the entries of some
    /// `count` or more keys from the cursor on, and returns the next cursor; 0 at the end. A key that is there all the
    /// time is given once or more. Expired keys are not given.
    pub fn scan<'p>(
        &'p self,
        db: usize,
        cursor: u64,
        count: usize,
        pinned: Pinned<'p>,
        now: u64,
        mut each: impl FnMut(&'p Entry),
    ) -> u64 {
        let (mut cursor, mut given) = (cursor, 0);
        loop {
            cursor = self.tables[db].scan(cursor, pinned, |entry| {
                given += 1;
                if entry.is_live(pinned, now) {
                    each(entry);
                }
            });
            if cursor == 0 || given >= count.max(1) {
                return cursor;
            }
        }
    }

    /// A key of a database at random, if there is one that is not expired. It takes long if nearly all are expired.
    pub fn random<'p>(
        &'p self,
        db: usize,
        random: &mut Random,
        pinned: Pinned<'p>,
        now: u64,
    ) -> Option<&'p Entry> {
        let mut found = None;
        self.tables[db].some(random.number(), pinned, |entry| {
            found = entry.is_live(pinned, now).then_some(entry);
            match found {
                Some(_) => ControlFlow::Break(()),
                None => ControlFlow::Continue(()),
            }
        });
        found
    }

    /// Waits for the lock of the shard of one key. A thread that has a lock of a keyspace waits for no other one.
    pub fn lock(&self, db: usize, key: Key<'_>) -> Writing<'_> {
        Writing::new(self, Locks::One(db, self.tables[db].lock(key.hash())))
    }

    /// Waits for the locks of the shards of several keys, each once, in the order in which all do so.
    pub fn lock_keys<'a>(&self, keys: impl IntoIterator<Item = (usize, Key<'a>)>) -> Writing<'_> {
        let mut hashes: [Vec<u64>; DATABASES] = Default::default();
        for (db, key) in keys {
            hashes[db].push(key.hash());
        }
        let wanted = hashes.into_iter().enumerate();
        let wanted = wanted.filter(|(_, hashes)| !hashes.is_empty());
        let locks = wanted.map(|(db, hashes)| (db, self.tables[db].lock_all(hashes)));
        Writing::new(self, Locks::Many(locks.collect()))
    }

    /// Waits for the locks of all shards of these databases, whose numbers ascend.
    ///
    /// # Panics
    /// If they do not ascend, or one comes twice.
    pub fn lock_databases(&self, databases: impl IntoIterator<Item = usize>) -> Writing<'_> {
        let databases: Vec<usize> = databases.into_iter().collect();
        let ascend = databases.is_sorted_by(|one, other| one < other);
        assert!(ascend, "databases are locked in ascending order");
        let locked = databases
            .into_iter()
            .map(|db| (db, self.tables[db].lock_every_shard()));
        Writing::new(self, Locks::Many(locked.collect()))
    }

    /// Begins to watch a key for a client. The thread has no lock of this keyspace.
    pub fn watch(&self, watch: &mut Watch, db: usize, key: Key<'_>, now: u64) {
        let shard = self.tables[db].lock(key.hash());
        let entry = shard.get(key.hash(), key.bytes());
        let was_expired = entry.is_some_and(|entry| entry.is_expired(now));
        self.watchers.add(watch, db, key, was_expired);
    }

    /// Ends a watch of a client, which can begin again.
    pub fn unwatch(&self, watch: &mut Watch) {
        self.watchers.remove(watch);
    }

    /// Marks an access, if the policy wants to know.
    #[inline]
    pub(crate) fn mark(&self, entry: &Entry, now: u64) {
        if let Some(clock) = self.policy().clock() {
            let number = || DICE.with_borrow_mut(Random::number);
            access::mark(&entry.access, clock, now, number);
        }
    }

    /// The access clock of a new entry.
    pub(crate) fn fresh_access(&self, now: u64) -> u32 {
        access::fresh(self.policy().clock().unwrap_or(Clock::Recent), now)
    }
}

impl Drop for Keyspace {
    fn drop(&mut self) {
        for table in &mut self.tables {
            // SAFETY: readers and writers borrow the keyspace, so there are none. Entries that were taken out of the
            // table are not in it any more.
            table.drain(|entry| unsafe { entry::free_whole(entry.as_ptr().cast()) });
        }
    }
}

impl fmt::Debug for Keyspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keyspace")
            .field("tables", &self.tables)
            .field("policy", &self.policy())
            .finish_non_exhaustive()
    }
}
