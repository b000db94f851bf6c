//! Prints how long a get takes that finds its key, and one that does not, in a table of 1,000,000 keys, by one thread:
//! `cargo run --release -p perflab-table --example reads`.
//!
//! Keys are asked for in a random order, so most gets wait for memory. The two last lines have the same gets in batches
//! of 16, whose cache lines are asked for before.
#![expect(unsafe_code, reason = "it allocates and frees entries")]
#![expect(clippy::print_stdout, reason = "it prints what it measured")]

use std::hint::black_box;
use std::ptr::NonNull;
use std::time::Instant;

use perflab_rcu::{Limbo, Limits, OwnQsbr, Pinned, as_reader};
use perflab_table::{Entry, Table};

/// Keys of the table, and gets of a round.
const KEYS: u64 = 1_000_000;

/// Rounds, of which the fastest is printed.
const ROUNDS: usize = 5;

/// Keys that are asked for together.
const BATCH: usize = 16;

struct Pair {
    hash: u64,
    key: [u8; 16],
    value: u64,
}

// SAFETY: nothing changes them.
unsafe impl Entry for Pair {
    fn hash(&self) -> u64 {
        self.hash
    }

    fn key(&self) -> &[u8] {
        &self.key
    }
}

/// The key of a number, and its hash.
fn key(number: u64) -> ([u8; 16], u64) {
    let mut mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^= mixed >> 31;
    let mut key = *b"key:            ";
    key[8..].copy_from_slice(&number.to_le_bytes());
    (key, mixed)
}

/// Prints the nanoseconds of a get. The function gets all keys and says how many it found.
fn measure(what: &str, expected: u64, mut round: impl FnMut() -> u64) {
    let fastest = (0..ROUNDS)
        .map(|_| {
            let begin = Instant::now();
            assert_eq!(round(), expected, "keys found");
            begin.elapsed()
        })
        .min();
    let fastest = fastest.unwrap_or_default().as_nanos() as f64;
    println!("{what}: {:.1} ns", fastest / KEYS as f64);
}

fn main() {
    // SAFETY: all sections and limbos are of `OwnQsbr`.
    let mut table: Table<Pair> = unsafe { Table::new() };
    let mut limbo: Limbo<OwnQsbr> = Limbo::new(Limits::default());
    let begin = Instant::now();
    for number in 0..KEYS {
        let (key, hash) = key(number);
        let value = number;
        let pair = NonNull::from(Box::leak(Box::new(Pair { hash, key, value })));
        // SAFETY: it is freed at the end, when it is in no table.
        unsafe { table.lock(hash).insert(pair, &mut limbo) };
    }
    let insert = begin.elapsed().as_nanos() as f64 / KEYS as f64;
    println!("insert: {insert:.1} ns");
    println!("bytes per entry: {:.1}", table.bytes() as f64 / KEYS as f64);

    // An order in which neighbours in time are none in memory.
    let numbers = || (0..KEYS).map(|turn| turn * 379_721 % KEYS);
    let hits: Vec<_> = numbers().map(key).collect();
    let misses: Vec<_> = numbers().map(|number| key(number + KEYS)).collect();
    // What growing has retired is freed before, as a reader that only measures would hold it up.
    if let Err(reason) = limbo.drain() {
        println!("memory waits: {reason}");
    }
    let read = as_reader::<OwnQsbr, _>(|reader| {
        for (what, keys, expected) in [("hit", &hits, KEYS), ("miss", &misses, 0)] {
            let section = reader.enter();
            let pinned = Pinned::by(&section);
            let found = |(key, hash): &([u8; 16], u64)| {
                let pair = table.get(*hash, key, pinned);
                black_box(pair.map(|pair| pair.value)).is_some()
            };
            measure(what, expected, || {
                keys.iter().filter(|key| found(key)).count() as u64
            });
            measure(&format!("{what} in batches"), expected, || {
                let batches = keys.chunks(BATCH).map(|batch| {
                    for (_, hash) in batch {
                        table.prefetch(*hash, pinned);
                    }
                    for (_, hash) in batch {
                        table.prefetch_entry(*hash, pinned);
                    }
                    batch.iter().filter(|key| found(key)).count() as u64
                });
                batches.sum()
            });
        }
    });
    if let Err(refused) = read {
        println!("no measurement: {refused}");
    }
    // SAFETY: each entry came from a box, and nobody reads any more.
    table.drain(|pair| drop(unsafe { Box::from_raw(pair.as_ptr()) }));
}
