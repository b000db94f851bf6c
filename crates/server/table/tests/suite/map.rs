//! Long random sequences of calls do what they do to a `HashMap`.

use std::collections::HashMap;

use crate::hashes::{Hash, Random, WEAK, constant, good, seeds};
use crate::items::{AtOnce, Items, alone, retire};

/// Plays this number of calls with keys below a bound.
fn play(seed: u64, hash: Hash, keys: u64, calls: u64) {
    let mut random = Random::new(seed);
    let items = Items::new(hash);
    let mut model = HashMap::new();
    let mut limbo = AtOnce::default();
    for call in 0..calls {
        let key = random.below(keys);
        match random.below(100) {
            0..=44 => {
                let replaced = items.insert(key, call, &mut limbo);
                assert_eq!(replaced, model.insert(key, call));
            }
            45..=69 => assert_eq!(items.remove(key, &mut limbo), model.remove(&key)),
            _ => {
                let value = model.get(&key).copied();
                assert_eq!(items.get(key, alone()), value);
                assert_eq!(items.get_locked(&items.lock(key), key), value);
            }
        }
        // Calls for all keys are seldom, so that the table can grow meanwhile.
        if random.below(calls / 30) == 0 {
            match random.below(10) {
                0 => {
                    items.clear(&mut limbo);
                    model.clear();
                }
                1..=3 => {
                    let modulus = 2 + random.below(6);
                    sweep(&items, modulus, &mut limbo);
                    model.retain(|key, _| key % modulus != 0);
                }
                _ => {
                    let mut scanned = items.scanned();
                    scanned.sort_unstable();
                    assert_eq!(scanned, sorted(&model));
                }
            }
        }
        assert_eq!(items.len(), model.len());
        assert_eq!(items.is_empty(), model.is_empty());
    }
    for key in 0..keys {
        assert_eq!(items.get(key, alone()), model.get(&key).copied());
    }
}

fn sorted(model: &HashMap<u64, u64>) -> Vec<(u64, u64)> {
    let mut all: Vec<_> = model.iter().map(|(key, value)| (*key, *value)).collect();
    all.sort_unstable();
    all
}

/// Removes the keys that are multiples of a number.
fn sweep(items: &Items, modulus: u64, limbo: &mut AtOnce) {
    for shard in items.lock_every_shard().iter_mut() {
        shard.retain(
            |item| item.key() % modulus != 0,
            |removed| retire(removed, limbo),
        );
    }
}

#[test]
fn a_good_hash_with_few_keys() {
    for seed in seeds() {
        play(seed, good, 10, 5_000);
        play(seed, good, 1_000, 20_000);
    }
}

#[test]
fn a_good_hash_with_many_keys() {
    for seed in seeds() {
        play(seed, good, 100_000, 150_000);
    }
}

#[test]
fn weak_hashes() {
    for seed in seeds() {
        for (name, hash) in WEAK {
            println!("{name}");
            play(seed, hash, 30, 5_000);
            play(seed, hash, 600, 10_000);
        }
    }
}

#[test]
fn ten_thousand_keys_with_one_hash() {
    let items = Items::new(constant);
    let mut limbo = AtOnce::default();
    for key in 0..10_000 {
        assert_eq!(items.insert(key, key, &mut limbo), None);
    }
    for key in (0..10_000).step_by(7) {
        assert_eq!(items.insert(key, key + 1, &mut limbo), Some(key));
        assert_eq!(items.get(key, alone()), Some(key + 1));
    }
    assert_eq!(items.get(10_000, alone()), None);
    assert_eq!(items.len(), 10_000);
    assert_eq!(items.scanned().len(), 10_000);
    for key in (0..10_000).rev() {
        assert!(items.remove(key, &mut limbo).is_some());
    }
    assert!(items.is_empty());
    // The chain stays, and is used again.
    let bytes = items.bytes();
    for key in 0..5_000 {
        items.insert(key, 0, &mut limbo);
    }
    assert_eq!(items.bytes(), bytes);
}

#[test]
fn many_keys_with_sequential_hashes() {
    let items = Items::new(crate::hashes::sequential);
    let mut limbo = AtOnce::default();
    for key in 0..20_000 {
        items.insert(key << 12, key, &mut limbo);
    }
    for key in 0..20_000 {
        assert_eq!(items.get(key << 12, alone()), Some(key));
    }
}

#[test]
fn a_prefetch_changes_nothing() {
    let items = Items::new(good);
    let mut limbo = AtOnce::default();
    items.insert(1, 2, &mut limbo);
    for key in 0..3 {
        items.prefetch(items.hash(key), alone());
        items.prefetch_entry(items.hash(key), alone());
    }
    assert_eq!(items.get(1, alone()), Some(2));
    assert_eq!(items.get(0, alone()), None);
}
