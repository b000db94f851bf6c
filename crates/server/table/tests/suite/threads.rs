//! Readers and writers at once, with memory that is freed and overwritten as soon as grace periods allow.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use perflab_rcu::{Limbo, Limits, OwnQsbr, Pinned, as_reader};
use perflab_table::Table;

use crate::hashes::{Hash, Random, good};
use crate::items::{Items, retire};

const WRITERS: u64 = 4;
const READERS: u64 = 4;

/// Keys that are always there, and whose values only grow.
const COUNTERS: u64 = 1_000;

/// Keys that come and go.
const OTHERS: u64 = 60_000;

/// Waits little for grace periods, and lets little memory wait.
const LIMITS: Limits = Limits {
    batch_bytes: 4 << 10,
    batch_objects: 64,
    most_bytes: 16 << 20,
    patience: Duration::from_secs(20),
};

/// Hashes of which many are equal in all bits that a split can use.
fn clustered(key: u64) -> u64 {
    good(key) & 0xff0f_0000_ffff_ffff
}

/// Executes readers and writers on a new table for this time.
fn play(hash: Hash, time: Duration, seed: u64) {
    let items = Items::new(hash);
    let mut limbo: Limbo<OwnQsbr> = Limbo::new(LIMITS);
    for key in 0..COUNTERS {
        items.insert(key, 1, &mut limbo);
    }
    let ends = AtomicBool::new(false);
    let (gets, sets) = (AtomicU64::new(0), AtomicU64::new(0));
    thread::scope(|scope| {
        for number in 0..WRITERS {
            let (items, ends, sets) = (&items, &ends, &sets);
            scope.spawn(move || {
                as_reader::<OwnQsbr, _>(|reader| {
                    let mut random = Random::new(seed * 100 + number);
                    let mut limbo: Limbo<OwnQsbr> = Limbo::new(LIMITS);
                    while !ends.load(Ordering::Relaxed) {
                        for _ in 0..32 {
                            write(items, &mut random, &mut limbo);
                        }
                        sets.fetch_add(32, Ordering::Relaxed);
                        limbo.relieve(reader).unwrap();
                    }
                })
                .unwrap();
            });
        }
        for number in 0..READERS {
            let (items, ends, gets) = (&items, &ends, &gets);
            scope.spawn(move || {
                as_reader::<OwnQsbr, _>(|reader| {
                    let mut random = Random::new(seed * 100 + 50 + number);
                    let mut last = vec![0; COUNTERS as usize];
                    while !ends.load(Ordering::Relaxed) {
                        let section = reader.enter();
                        for _ in 0..64 {
                            read(items, &mut random, &mut last, Pinned::by(&section));
                        }
                        drop(section);
                        gets.fetch_add(64, Ordering::Relaxed);
                        reader.quiescent();
                    }
                })
                .unwrap();
            });
        }
        thread::sleep(time);
        ends.store(true, Ordering::Relaxed);
    });
    let (gets, sets) = (gets.into_inner(), sets.into_inner());
    let table: &Table<_> = &items;
    println!("seed {seed}: {gets} rounds of gets, {sets} calls of writers, {table:?}");
    assert!(gets > 0 && sets > 0);
    assert_eq!(items.scanned().len(), items.len());
}

/// A random call of a writer.
fn write(items: &Items, random: &mut Random, limbo: &mut Limbo<OwnQsbr>) {
    let other = COUNTERS + random.below(OTHERS);
    match random.below(10) {
        0..=4 => {
            let key = random.below(COUNTERS);
            let mut locked = items.lock(key);
            let value = items.get_locked(&locked, key).unwrap();
            let before = items.insert_locked(&mut locked, key, value + 1, limbo);
            assert_eq!(before, Some(value));
        }
        5..=7 => {
            items.insert(other, 0, limbo);
        }
        _ => {
            items.remove(other, limbo);
        }
    }
}

/// A reader never misses a counter, and never sees it fall.
fn read(items: &Items, random: &mut Random, last: &mut [u64], pinned: Pinned<'_>) {
    let key = random.below(COUNTERS);
    let value = items.get(key, pinned);
    let value = value.unwrap_or_else(|| panic!("key {key} is absent"));
    let last = &mut last[key as usize];
    assert!(value >= *last, "key {key} fell from {last} to {value}");
    *last = value;
    // Others are there or not, but never freed.
    items.get(COUNTERS + random.below(OTHERS), pinned);
}

#[test]
fn counters_grow_while_the_table_grows() {
    // A table grows at its beginning, so there are several.
    for seed in 0..8 {
        play(good, Duration::from_millis(200), seed);
    }
    play(clustered, Duration::from_millis(400), 8);
}

#[test]
fn readers_of_a_table_that_is_emptied_see_no_freed_entry() {
    let items = Items::new(good);
    let ends = AtomicBool::new(false);
    thread::scope(|scope| {
        for number in 0..2 {
            let (items, ends) = (&items, &ends);
            scope.spawn(move || {
                as_reader::<OwnQsbr, _>(|reader| {
                    let mut random = Random::new(number);
                    while !ends.load(Ordering::Relaxed) {
                        let section = reader.enter();
                        for _ in 0..64 {
                            items.get(random.below(20_000), Pinned::by(&section));
                        }
                        let mut found = 0;
                        items.some(random.next(), Pinned::by(&section), |item| {
                            item.value();
                            found += 1;
                            if found < 10 {
                                std::ops::ControlFlow::Continue(())
                            } else {
                                std::ops::ControlFlow::Break(())
                            }
                        });
                        drop(section);
                        reader.quiescent();
                    }
                })
                .unwrap();
            });
        }
        let (items, ends) = (&items, &ends);
        scope.spawn(move || {
            as_reader::<OwnQsbr, _>(|reader| {
                let mut limbo: Limbo<OwnQsbr> = Limbo::new(LIMITS);
                let begin = Instant::now();
                for turn in 0.. {
                    for key in 0..20_000 {
                        items.insert(key, turn, &mut limbo);
                        if key % 64 == 0 {
                            limbo.relieve(reader).unwrap();
                        }
                    }
                    if turn % 2 == 0 {
                        items.clear(&mut limbo);
                    } else {
                        for shard in items.lock_every_shard().iter_mut() {
                            shard.retain(|_| false, |removed| retire(removed, &mut limbo));
                        }
                    }
                    assert!(items.is_empty());
                    if begin.elapsed() > Duration::from_millis(700) {
                        break;
                    }
                }
                ends.store(true, Ordering::Relaxed);
            })
            .unwrap();
        });
    });
}
