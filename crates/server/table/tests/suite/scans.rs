//! A scan gives each key that is there all the time, whatever others write.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use perflab_rcu::{Limbo, Limits, OwnQsbr, Pinned, as_reader};

use crate::hashes::{Hash, Random, WEAK, good, seeds};
use crate::items::{AtOnce, Items, alone};

/// Keys that are always there.
const STABLE: u64 = 500;

/// Scans a table into which other keys are put between the calls, and out of which they are taken.
fn scan_while_it_changes(seed: u64, hash: Hash) {
    let mut random = Random::new(seed);
    let items = Items::new(hash);
    let mut limbo = AtOnce::default();
    for key in 0..STABLE {
        items.insert(key, 0, &mut limbo);
    }
    let (mut cursor, mut calls, mut seen) = (0, 0, HashMap::new());
    loop {
        let mut last = cursor;
        let next = items.scan(cursor, alone(), |item| {
            *seen.entry(item.key()).or_insert(0) += 1;
            last = last.max(items.hash(item.key()));
            assert!(items.hash(item.key()) >= cursor);
        });
        assert!(next == 0 || next > last, "{next:#x} behind {last:#x}");
        cursor = next;
        calls += 1;
        if cursor == 0 {
            break;
        }
        for _ in 0..20 {
            let key = STABLE + random.below(20_000);
            if random.below(4) == 0 {
                items.remove(key, &mut limbo);
            } else {
                items.insert(key, 0, &mut limbo);
            }
            // Stable keys are replaced, too.
            items.insert(random.below(STABLE), 1, &mut limbo);
        }
    }
    assert!(calls >= 256);
    for key in 0..STABLE {
        // Nothing was emptied, so none comes twice.
        assert_eq!(seen.get(&key), Some(&1), "key {key}");
    }
}

#[test]
fn keys_that_stay_are_given_once_while_segments_are_split() {
    for seed in seeds() {
        scan_while_it_changes(seed, good);
        for (name, hash) in WEAK {
            println!("{name}");
            scan_while_it_changes(seed, hash);
        }
    }
}

#[test]
fn a_scan_of_an_empty_table_ends() {
    let items = Items::new(good);
    assert!(items.scanned().is_empty());
    // Also if a client makes cursors up.
    assert_eq!(items.scan(u64::MAX, alone(), |_| ()), 0);
}

#[test]
fn a_scan_goes_on_in_a_shard_that_was_emptied() {
    let items = Items::new(good);
    let mut limbo = AtOnce::default();
    for key in 0..50_000 {
        items.insert(key, 0, &mut limbo);
    }
    // A cursor in the middle of a shard.
    let mut cursor = 0;
    while cursor << 8 == 0 {
        cursor = items.scan(cursor, alone(), |_| ());
    }
    items.clear(&mut limbo);
    for key in 0..1_000 {
        items.insert(key, 0, &mut limbo);
    }
    let mut seen = Vec::new();
    while cursor != 0 {
        cursor = items.scan(cursor, alone(), |item| seen.push(item.key()));
    }
    seen.sort_unstable();
    let unique = seen.len();
    seen.dedup();
    assert_eq!(seen.len(), unique);
    assert!(!seen.is_empty());
}

#[test]
fn a_scan_while_another_thread_splits() {
    const ROUNDS: u64 = 5;
    const OTHERS: u64 = 40_000;
    for _ in 0..ROUNDS {
        let items = Items::new(good);
        let mut limbo: Limbo<OwnQsbr> = Limbo::new(Limits::default());
        for key in 0..STABLE {
            items.insert(key, 0, &mut limbo);
        }
        let is_done = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut limbo: Limbo<OwnQsbr> = Limbo::new(Limits::default());
                for key in 0..OTHERS {
                    items.insert(STABLE + key, 0, &mut limbo);
                    items.insert(key % STABLE, key, &mut limbo);
                    if key % 64 == 0 {
                        limbo.relieve_alone().unwrap();
                    }
                }
                is_done.store(true, Ordering::Release);
            });
            scope.spawn(|| {
                as_reader::<OwnQsbr, _>(|reader| {
                    let mut is_last = false;
                    while !is_last {
                        is_last = is_done.load(Ordering::Acquire);
                        let (mut cursor, mut seen) = (0, vec![false; STABLE as usize]);
                        loop {
                            let section = reader.enter();
                            cursor = items.scan(cursor, Pinned::by(&section), |item| {
                                item.value();
                                if let Some(seen) = seen.get_mut(item.key() as usize) {
                                    *seen = true;
                                }
                            });
                            drop(section);
                            reader.quiescent();
                            if cursor == 0 {
                                break;
                            }
                        }
                        assert!(seen.iter().all(|is_seen| *is_seen));
                    }
                })
                .unwrap();
            });
        });
        assert_eq!(items.len() as u64, STABLE + OTHERS);
    }
}
