//! How much memory the table has, and that it gives it back.

use crate::hashes::{constant, good};
use crate::items::{AtOnce, Items};

/// Shards of a table, and bytes of an empty one: a directory with one place, and two cache lines.
const SHARDS: usize = 256;
const EMPTY_SHARD: usize = 8 + 128;

#[test]
fn an_entry_has_less_than_16_bytes_of_the_table() {
    const MOST: u64 = 1_000_000;
    let items = Items::new(good);
    let mut limbo = AtOnce::default();
    let mut next_look = 100_000;
    for key in 0..MOST {
        items.insert(key, 0, &mut limbo);
        let entries = key + 1;
        // The share of slots that are in use rises and falls between two splits.
        if entries == next_look || entries == MOST {
            let bytes = items.bytes() as f64 / entries as f64;
            println!("{entries} entries: {bytes:.2} bytes per entry");
            assert!(bytes < 16.0, "{entries} entries: {bytes} bytes per entry");
            next_look = entries * 21 / 20;
        }
    }
    assert_eq!(items.len() as u64, MOST);
}

#[test]
fn an_empty_table_is_small() {
    let items = Items::new(good);
    let bytes = items.bytes();
    assert!((SHARDS * EMPTY_SHARD..64 << 10).contains(&bytes), "{bytes}");
}

#[test]
fn what_an_emptied_table_gives_back_is_what_it_had() {
    for hash in [good, constant] {
        let items = Items::new(hash);
        let empty = items.bytes();
        for keys in [0, 1, 1_000, 5_000, 20_000] {
            for key in 0..keys {
                items.insert(key, 0, &mut AtOnce::default());
            }
            let before = items.bytes();
            let mut of_items = AtOnce::default();
            let mut all = AtOnce::default();
            let mut shards = items.lock_every_shard();
            for shard in shards.iter_mut() {
                shard.take().retire(&mut all, |item, _| {
                    crate::items::retire(item, &mut of_items);
                });
            }
            assert_eq!(all.bytes, before - empty + SHARDS * EMPTY_SHARD);
            drop(shards);
            assert_eq!((items.bytes(), items.len()), (empty, 0));
        }
    }
}

#[test]
fn memory_that_growing_replaces_is_retired() {
    let items = Items::new(good);
    let mut limbo = AtOnce::default();
    let (mut made, mut before) = (0, items.bytes());
    for key in 0..20_000 {
        let retired = limbo.bytes;
        items.insert(key, 0, &mut limbo);
        // What the table has more, and what it has retired, is what was made.
        let bytes = items.bytes();
        made += bytes + (limbo.bytes - retired) - before;
        before = bytes;
    }
    // Each slot of a segment is copied a few times in the life of a table, as it grows through several sizes.
    assert!(limbo.bytes > items.bytes(), "{limbo:?}");
    assert!(made < 8 * items.bytes(), "{made}");
}
