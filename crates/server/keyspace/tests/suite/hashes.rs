//! Hashes against pairs in the order of insertion.

use std::collections::BTreeMap;

use perflab_keyspace::{Create, Limit, Random};

use crate::world::{World, bytes, with_random};

const KEY: &[u8] = b"hash";

type Model = Vec<(Vec<u8>, Vec<u8>)>;

#[test]
fn hashes_do_what_pairs_do() {
    with_random(|random, world| {
        world.space.limits().set(Limit::HashEntries, 40);
        let (mut model, mut deadline): (Model, _) = (Vec::new(), None);
        // Once it is large it stays so, until it is removed.
        let mut is_large = false;
        for turn in 0..6_000 {
            if world.age(random, KEY, &mut deadline) {
                model.clear();
            }
            is_large &= !model.is_empty();
            let grows = turn % 1_500 < 1_000;
            is_large |= command(random, world, &mut model, grows);
            if model.is_empty() {
                (deadline, is_large) = (None, false);
            }
            if turn % 8 == 0 || model.len() < 50 {
                check(world, &model, is_large);
            }
        }
    });
}

/// Returns whether the hash has become a large one.
fn command(random: &mut Random, world: &mut World, model: &mut Model, grows: bool) -> bool {
    let fields = 1 + random.below(3);
    let removes = random.below(10) < if grows { 2 } else { 8 };
    let mut is_large = false;
    world.write(KEY, |writing, hand, key| {
        let create = if removes {
            Create::Never
        } else {
            Create::IfAbsent
        };
        writing
            .hash(hand, 0, key, create, |hash| {
                for _ in 0..fields {
                    let field = bytes(random, 8);
                    let place = model.iter().position(|(known, _)| *known == field);
                    let value = place.map(|place| model[place].1.as_slice());
                    assert_eq!(hash.get(&field), value);
                    if removes {
                        assert_eq!(hash.remove(&field), place.is_some());
                        place.map(|place| model.remove(place));
                        continue;
                    }
                    // Few are longer than the 64 bytes of a small hash.
                    let most = if random.below(200) == 0 { 80 } else { 60 };
                    let value = bytes(random, most);
                    is_large |= value.len() > 64;
                    assert_eq!(hash.set(&field, &value), place.is_none());
                    match place {
                        Some(place) => model[place].1 = value,
                        None => model.push((field, value)),
                    }
                    is_large |= model.len() > 40;
                    assert_eq!(hash.len(), model.len());
                }
            })
            .unwrap();
    });
    is_large
}

fn check(world: &World, model: &Model, is_large: bool) {
    world.read(KEY, |entry, pinned| {
        let Some(entry) = entry else {
            assert!(model.is_empty());
            return;
        };
        let form = if is_large { "hashtable" } else { "listpack" };
        assert_eq!(entry.encoding(), form);
        let hash = entry.as_hash(pinned).unwrap();
        assert!(!hash.is_empty());
        for (field, value) in model {
            assert_eq!(hash.get(field), Some(value.as_slice()));
        }
        assert_eq!(hash.get(b"none"), None);
        let pairs = model.iter().map(|(field, value)| (&**field, &**value));
        if is_large {
            let sorted: BTreeMap<_, _> = pairs.collect();
            assert!(hash.iter().collect::<BTreeMap<_, _>>() == sorted);
            let (mut cursor, mut scanned) = (0, Vec::new());
            loop {
                cursor = hash.scan(cursor, 7, |field, value| scanned.push((field, value)));
                if cursor == 0 {
                    break;
                }
            }
            assert_eq!(scanned.len(), model.len());
            assert!(scanned.into_iter().collect::<BTreeMap<_, _>>() == sorted);
        } else {
            assert!(hash.iter().eq(pairs));
            assert_eq!(
                hash.at(0),
                model.first().map(|(field, value)| (&**field, &**value))
            );
        }
    });
}
