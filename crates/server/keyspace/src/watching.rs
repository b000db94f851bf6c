//! Who watches which keys: the flags that writes to a key set, for WATCH.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::hash::Key;

/// Parts of the list of watched keys, so that writers seldom wait for each other.
const PARTS: usize = 64;

/// The keys that a client watches, from WATCH to EXEC.
///
/// EXEC locks the shards of these keys with those of its commands ([`Watch::keys`]), asks
/// [`Writing::is_broken`](crate::Writing::is_broken), and then executes its commands or none. The keyspace forgets the
/// keys by [`Keyspace::unwatch`](crate::Keyspace::unwatch), before a `Watch` is dropped.
#[derive(Debug, Default)]
pub struct Watch {
    written: Arc<AtomicBool>,
    keys: Vec<Watched>,
}

#[derive(Debug)]
struct Watched {
    db: usize,
    key: Box<[u8]>,
    hash: u64,
    /// It was expired already when the watch began, so its end is no change.
    was_expired: bool,
}

impl Watched {
    fn key(&self) -> Key<'_> {
        Key::hashed(&self.key, self.hash)
    }
}

impl Watch {
    /// A watch of no key.
    pub fn new() -> Self {
        Self::default()
    }

    /// The watched keys with their databases.
    pub fn keys(&self) -> impl Iterator<Item = (usize, Key<'_>)> {
        self.keys.iter().map(|watched| (watched.db, watched.key()))
    }

    /// Whether a key was written since the watch began. A key that has expired is no written one.
    pub fn is_written(&self) -> bool {
        self.written.load(Ordering::Relaxed)
    }

    /// The keys whose end by expiry is a change.
    pub(crate) fn may_expire(&self) -> impl Iterator<Item = (usize, Key<'_>)> {
        let living = self.keys.iter().filter(|watched| !watched.was_expired);
        living.map(|watched| (watched.db, watched.key()))
    }
}

/// The watched keys of all clients.
#[derive(Debug)]
pub(crate) struct Watchers {
    /// Watched keys, of all clients. Whoever holds the lock of a key's shard sees it above 0 if the key is watched.
    watched: AtomicUsize,
    parts: [Mutex<Part>; PARTS],
}

/// By the bytes of the key: who watches it.
type Part = HashMap<Box<[u8]>, Vec<Watcher>>;

#[derive(Debug)]
struct Watcher {
    db: usize,
    was_expired: bool,
    written: Arc<AtomicBool>,
}

impl Watchers {
    pub fn new() -> Self {
        Self {
            watched: AtomicUsize::new(0),
            parts: std::array::from_fn(|_| Mutex::default()),
        }
    }

    /// Begins to watch a key. The caller holds the lock of its shard: a write is either done and seen by the client, or
    /// still to come and sees the watch.
    pub fn add(&self, watch: &mut Watch, db: usize, key: Key<'_>, was_expired: bool) {
        if watch.keys().any(|known| known == (db, key)) {
            return;
        }
        self.watched.fetch_add(1, Ordering::Relaxed);
        let watcher = Watcher {
            db,
            was_expired,
            written: Arc::clone(&watch.written),
        };
        let mut part = self.part(key);
        part.entry(key.bytes().into()).or_default().push(watcher);
        drop(part);
        watch.keys.push(Watched {
            db,
            key: key.bytes().into(),
            hash: key.hash(),
            was_expired,
        });
    }

    /// Ends a watch: it is as new.
    pub fn remove(&self, watch: &mut Watch) {
        for watched in watch.keys.drain(..) {
            let mut part = self.part(watched.key());
            if let Some(watchers) = part.get_mut(&watched.key) {
                let before = watchers.len();
                watchers.retain(|watcher| {
                    watcher.db != watched.db || !Arc::ptr_eq(&watcher.written, &watch.written)
                });
                self.watched
                    .fetch_sub(before - watchers.len(), Ordering::Relaxed);
                if watchers.is_empty() {
                    part.remove(&watched.key);
                }
            }
        }
        watch.written.store(false, Ordering::Relaxed);
    }

    /// Tells those who watch a key that it was written. The caller holds the lock of its shard.
    #[inline]
    pub fn tell(&self, db: usize, key: Key<'_>) {
        if self.watched.load(Ordering::Relaxed) > 0 {
            self.tell_those(db, key, |_| true);
        }
    }

    /// Tells those who watch a key that it was removed as it has expired, but not those who knew that it has. The caller
    /// holds the lock of its shard.
    pub fn tell_expired(&self, db: usize, key: Key<'_>) {
        if self.watched.load(Ordering::Relaxed) > 0 {
            self.tell_those(db, key, |watcher| !watcher.was_expired);
        }
    }

    #[cold]
    fn tell_those(&self, db: usize, key: Key<'_>, whom: impl Fn(&Watcher) -> bool) {
        let part = self.part(key);
        for watcher in part.get(key.bytes()).into_iter().flatten() {
            if watcher.db == db && whom(watcher) {
                watcher.written.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Tells those who watch a key of this database, if it is one of `written`. The caller holds the locks of all
    /// shards.
    pub fn tell_all(&self, db: usize, written: impl Fn(Key<'_>) -> bool) {
        if self.watched.load(Ordering::Relaxed) == 0 {
            return;
        }
        for part in &self.parts {
            for (key, watchers) in &*lock(part) {
                let mut here = watchers
                    .iter()
                    .filter(|watcher| watcher.db == db)
                    .peekable();
                if here.peek().is_some() && written(Key::of(key)) {
                    here.for_each(|watcher| watcher.written.store(true, Ordering::Relaxed));
                }
            }
        }
    }

    fn part(&self, key: Key<'_>) -> MutexGuard<'_, Part> {
        lock(&self.parts[key.hash() as usize % PARTS])
    }
}

/// A panic of another thread leaves a part whole: each change of it is one call.
fn lock(part: &Mutex<Part>) -> MutexGuard<'_, Part> {
    part.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_those_who_watch_the_key_are_told() {
        let watchers = Watchers::new();
        let (mut one, mut other) = (Watch::new(), Watch::new());
        watchers.add(&mut one, 0, Key::of(b"a"), false);
        watchers.add(&mut one, 0, Key::of(b"a"), false);
        watchers.add(&mut other, 1, Key::of(b"a"), false);
        watchers.tell(0, Key::of(b"b"));
        assert!(!one.is_written() && !other.is_written());
        watchers.tell(0, Key::of(b"a"));
        assert!(one.is_written() && !other.is_written());
        watchers.remove(&mut one);
        assert!(!one.is_written());
        watchers.tell(0, Key::of(b"a"));
        assert!(!one.is_written());
        watchers.tell_all(1, |key| key.bytes() == b"a");
        assert!(other.is_written());
        watchers.remove(&mut other);
        watchers.add(&mut other, 0, Key::of(b"a"), true);
        watchers.tell_expired(0, Key::of(b"a"));
        assert!(!other.is_written());
        watchers.remove(&mut other);
        assert_eq!(watchers.watched.load(Ordering::Relaxed), 0);
        assert!(watchers.parts.iter().all(|part| lock(part).is_empty()));
    }
}
