//! Locks of one shard, of several and of all.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::Duration;

use perflab_rcu::{Limbo, Limits, OwnQsbr};
use perflab_table::Locked;

use crate::hashes::good;
use crate::items::{AtOnce, Items, alone, retire, value_of};

/// Hashes whose upper bits are the key's lowest ones, so that a test can choose shards.
fn shard_is_key(key: u64) -> u64 {
    key << 56 | good(key) >> 8
}

/// Does not wait, whatever readers of other tests do.
const FREELY: Limits = Limits {
    batch_bytes: 64 << 10,
    batch_objects: 256,
    most_bytes: usize::MAX,
    patience: Duration::from_secs(1),
};

#[test]
fn several_shards_are_locked_once_and_in_order() {
    let items = Items::new(shard_is_key);
    let mut many = items.lock_all([9, 3, 200, 3, 9 + 256]);
    let shards: Vec<u8> = many.iter_mut().map(|shard| shard.shard()).collect();
    assert_eq!(shards, [3, 9, 200]);
    assert!(many.shard(items.hash(4)).is_none());
    assert!(many.shard_mut(items.hash(201)).is_none());
    assert_eq!(many.shard_mut(items.hash(9)).unwrap().shard(), 9);

    assert!(items.try_lock(items.hash(3)).is_none());
    assert!(items.try_lock(items.hash(4)).is_some());
    drop(many);
    assert!(items.try_lock(items.hash(3)).is_some());

    assert_eq!(items.lock_all([]).iter_mut().count(), 0);
    assert_eq!(items.lock_every_shard().iter_mut().count(), 256);
}

#[test]
fn a_key_of_another_shard_is_refused() {
    let items = Items::new(shard_is_key);
    let mut limbo = AtOnce::default();
    items.insert(3, 1, &mut limbo);
    let mut locked = items.lock(4);
    let refused = |result: thread::Result<()>| {
        let message = result.unwrap_err();
        let message = message.downcast_ref::<String>().unwrap();
        assert!(message.contains("another shard"), "{message}");
    };
    refused(catch_unwind(AssertUnwindSafe(|| {
        items.get_locked(&locked, 3);
    })));
    refused(catch_unwind(AssertUnwindSafe(|| {
        locked.remove(items.hash(3), &3u64.to_le_bytes());
    })));
    // The new item is leaked.
    refused(catch_unwind(AssertUnwindSafe(|| {
        items.insert_locked(&mut locked, 3, 2, &mut limbo);
    })));
    drop(locked);
    assert_eq!(items.get(3, alone()), Some(1));
}

#[test]
fn a_panic_under_the_lock_leaves_the_shard_whole() {
    let items = Items::new(shard_is_key);
    let mut limbo = AtOnce::default();
    for key in 0..100 {
        items.insert(256 * key, key, &mut limbo);
    }
    let ended = catch_unwind(AssertUnwindSafe(|| {
        let mut seen = 0;
        items.lock(0).retain(
            |_| {
                seen += 1;
                assert!(seen <= 40, "planted");
                false
            },
            |removed| retire(removed, &mut limbo),
        );
    }));
    assert!(ended.is_err());
    assert_eq!(items.len(), 60);
    assert!(items.try_lock(items.hash(0)).is_some());
    items.insert(1 << 20, 1, &mut limbo);
    assert_eq!(items.scanned().len(), 61);
}

#[test]
fn what_was_taken_can_be_retired_by_another_thread() {
    let items = Items::new(good);
    let mut limbo = AtOnce::default();
    for key in 0..1000 {
        items.insert(key, key, &mut limbo);
    }
    let taken: Vec<_> = items
        .lock_every_shard()
        .iter_mut()
        .map(Locked::take)
        .collect();
    assert!(items.is_empty());
    items.insert(1, 7, &mut limbo);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut sum = 0;
            let mut limbo: Limbo<OwnQsbr> = Limbo::new(FREELY);
            for taken in taken {
                taken.retire(&mut limbo, |item, limbo| {
                    sum += value_of(item);
                    retire(item, limbo);
                });
            }
            assert_eq!(sum, 999 * 1000 / 2);
            limbo.relieve_alone().unwrap();
        });
    });
    assert_eq!(items.scanned(), [(1, 7)]);
}

#[test]
fn counters_under_one_lock_and_under_several_are_not_lost() {
    const KEYS: u64 = 8;
    const TURNS: u64 = 2_000;
    let items = Items::new(shard_is_key);
    let mut limbo = AtOnce::default();
    for key in 0..KEYS {
        items.insert(key, 0, &mut limbo);
    }
    thread::scope(|scope| {
        for first in 0..4 {
            let items = &items;
            scope.spawn(move || {
                let mut limbo: Limbo<OwnQsbr> = Limbo::new(FREELY);
                for turn in 0..TURNS {
                    let keys = [(first + turn) % KEYS, (first * 3 + turn * 5) % KEYS];
                    let mut many = items.lock_all(keys);
                    for key in keys {
                        let shard = many.shard_mut(items.hash(key)).unwrap();
                        let value = items.get_locked(shard, key).unwrap();
                        items.insert_locked(shard, key, value + 1, &mut limbo);
                    }
                    drop(many);
                    limbo.relieve_alone().unwrap();
                }
            });
        }
    });
    let sum: u64 = items.scanned().iter().map(|(_, value)| value).sum();
    assert_eq!(sum, 4 * TURNS * 2);
}
