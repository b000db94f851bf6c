//! Entries of the tests, which are overwritten when they are freed.
#![expect(
    unsafe_code,
    reason = "the tests allocate and free entries as programs do"
)]

use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

use perflab_rcu::{Pinned, Retire};
use perflab_table::{Entry, Locked, LockedMany, Table};

use crate::hashes::Hash;

/// The value of an item that was freed.
const FREED: u64 = u64::MAX;

/// A key with a value.
#[derive(Debug)]
pub struct Item {
    hash: u64,
    key: [u8; 8],
    value: AtomicU64,
}

// SAFETY: only freeing changes it.
unsafe impl Entry for Item {
    fn hash(&self) -> u64 {
        self.hash
    }

    fn key(&self) -> &[u8] {
        &self.key
    }
}

impl Item {
    pub fn key(&self) -> u64 {
        u64::from_le_bytes(self.key)
    }

    /// The value.
    ///
    /// # Panics
    /// If the item was freed.
    pub fn value(&self) -> u64 {
        let value = self.value.load(Ordering::Relaxed);
        assert_ne!(value, FREED, "key {} was freed", self.key());
        value
    }
}

/// Frees an item, and overwrites it before.
///
/// # Safety
/// It comes from a box, and nobody uses it any more.
unsafe fn free(item: *mut u8) {
    // SAFETY: as the caller promises.
    let item = unsafe { Box::from_raw(item.cast::<Item>()) };
    item.value.store(FREED, Ordering::Relaxed);
}

/// Retires an item that was taken out of its table.
pub fn retire(item: NonNull<Item>, retire: &mut dyn Retire) {
    // SAFETY: items come from boxes, and a table gives each away once.
    unsafe { retire.retire_raw(item.as_ptr().cast(), size_of::<Item>(), free) };
}

/// The value of an item that was taken out and not retired yet.
pub fn value_of(item: NonNull<Item>) -> u64 {
    // SAFETY: it is not retired, so nobody has freed it.
    unsafe { item.as_ref() }.value()
}

/// Frees at once, so nothing may use what it has retired: for tests with one thread.
#[derive(Debug, Default)]
pub struct AtOnce {
    /// Bytes that were retired.
    pub bytes: usize,
}

impl Retire for AtOnce {
    unsafe fn retire_raw(&mut self, object: *mut u8, bytes: usize, free: unsafe fn(*mut u8)) {
        self.bytes += bytes;
        // SAFETY: there is no other thread that could use it.
        unsafe { free(object) };
    }
}

/// The proof of a section for tests with one thread, which keep no reference while they write.
pub fn alone<'a>() -> Pinned<'a> {
    // SAFETY: nobody frees anything meanwhile.
    unsafe { Pinned::unprotected() }
}

/// A table of items, which are freed with it.
pub struct Items {
    table: Table<Item>,
    hash: Hash,
}

impl Items {
    /// Sections and limbos of each test are of one flavour.
    pub fn new(hash: Hash) -> Self {
        Self {
            // SAFETY: those that a test with threads uses are all of `OwnQsbr`; other tests have one thread.
            table: unsafe { Table::new() },
            hash,
        }
    }

    /// The value of a key.
    pub fn get(&self, key: u64, pinned: Pinned<'_>) -> Option<u64> {
        let item = self
            .table
            .get((self.hash)(key), &key.to_le_bytes(), pinned)?;
        assert_eq!(item.key(), key);
        Some(item.value())
    }

    /// Puts a value in, and retires the item that it replaces, whose value is returned.
    pub fn insert(&self, key: u64, value: u64, retire: &mut dyn Retire) -> Option<u64> {
        self.insert_locked(&mut self.lock(key), key, value, retire)
    }

    /// The same with the lock of the key's shard.
    pub fn insert_locked(
        &self,
        locked: &mut Locked<'_, Item>,
        key: u64,
        value: u64,
        limbo: &mut dyn Retire,
    ) -> Option<u64> {
        let item = Box::new(Item {
            hash: (self.hash)(key),
            key: key.to_le_bytes(),
            value: AtomicU64::new(value),
        });
        let item = NonNull::from(Box::leak(item));
        // SAFETY: it is a new one, and it is freed by `retire` or with the table.
        let replaced = unsafe { locked.insert(item, limbo) }?;
        let value = value_of(replaced);
        retire(replaced, limbo);
        Some(value)
    }

    /// Takes a key out, and returns its value.
    pub fn remove(&self, key: u64, limbo: &mut dyn Retire) -> Option<u64> {
        let mut locked = self.lock(key);
        let removed = locked.remove((self.hash)(key), &key.to_le_bytes())?;
        drop(locked);
        let value = value_of(removed);
        retire(removed, limbo);
        Some(value)
    }

    /// The value of a key, as the holder of a lock sees it.
    pub fn get_locked(&self, locked: &Locked<'_, Item>, key: u64) -> Option<u64> {
        let item = locked.get((self.hash)(key), &key.to_le_bytes())?;
        Some(item.value())
    }

    pub fn lock(&self, key: u64) -> Locked<'_, Item> {
        self.table.lock((self.hash)(key))
    }

    pub fn lock_all(&self, keys: impl IntoIterator<Item = u64>) -> LockedMany<'_, Item> {
        self.table.lock_all(keys.into_iter().map(self.hash))
    }

    /// Empties the table at one moment, and retires what was in it.
    pub fn clear(&self, limbo: &mut dyn Retire) {
        let mut shards = self.table.lock_every_shard();
        let taken: Vec<_> = shards.iter_mut().map(Locked::take).collect();
        drop(shards);
        for taken in taken {
            taken.retire(limbo, retire);
        }
    }

    /// Keys and values of a whole scan, in its order.
    pub fn scanned(&self) -> Vec<(u64, u64)> {
        let (mut cursor, mut found) = (0, Vec::new());
        loop {
            cursor = self.table.scan(cursor, alone(), |item| {
                found.push((item.key(), item.value()));
            });
            if cursor == 0 {
                return found;
            }
        }
    }

    pub fn hash(&self, key: u64) -> u64 {
        (self.hash)(key)
    }
}

impl Deref for Items {
    type Target = Table<Item>;

    fn deref(&self) -> &Table<Item> {
        &self.table
    }
}

impl Drop for Items {
    fn drop(&mut self) {
        // SAFETY: nobody else has the table, and each item comes once.
        self.table
            .drain(|item| unsafe { free(item.as_ptr().cast()) });
        if !std::thread::panicking() {
            assert_eq!(self.table.len(), 0);
        }
    }
}
