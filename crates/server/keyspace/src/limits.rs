//! Up to which size a collection is kept in the form for small ones.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Redis' limits, which CONFIG SET changes while the server is at work. What is small already stays so until its next
/// change; what is large stays large.
#[derive(Debug)]
pub struct Limits {
    hash_entries: AtomicUsize,
    hash_value: AtomicUsize,
    set_ints: AtomicUsize,
    zset_entries: AtomicUsize,
    zset_value: AtomicUsize,
}

/// A limit, by its name in Redis' configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// `hash-max-listpack-entries`: fields of a small hash, 512 by default.
    HashEntries,
    /// `hash-max-listpack-value`: bytes of a field or value of a small hash, 64 by default.
    HashValue,
    /// `set-max-intset-entries`: members of a set of integers, 512 by default.
    SetInts,
    /// `zset-max-listpack-entries`: members of a small sorted set, 128 by default.
    ZsetEntries,
    /// `zset-max-listpack-value`: bytes of a member of a small sorted set, 64 by default.
    ZsetValue,
}

impl Limits {
    /// The value of a limit.
    pub fn get(&self, limit: Limit) -> usize {
        self.of(limit).load(Ordering::Relaxed)
    }

    /// Changes a limit.
    pub fn set(&self, limit: Limit, value: usize) {
        self.of(limit).store(value, Ordering::Relaxed);
    }

    fn of(&self, limit: Limit) -> &AtomicUsize {
        match limit {
            Limit::HashEntries => &self.hash_entries,
            Limit::HashValue => &self.hash_value,
            Limit::SetInts => &self.set_ints,
            Limit::ZsetEntries => &self.zset_entries,
            Limit::ZsetValue => &self.zset_value,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            hash_entries: AtomicUsize::new(512),
            hash_value: AtomicUsize::new(64),
            set_ints: AtomicUsize::new(512),
            zset_entries: AtomicUsize::new(128),
            zset_value: AtomicUsize::new(64),
        }
    }
}
