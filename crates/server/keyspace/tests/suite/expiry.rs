//! Keys that expire: absent at once, removed by writes and by sampling.

use perflab_keyspace::{Create, Key, Random};

use crate::world::{World, with_random};

#[test]
fn an_expired_key_is_absent_and_told_once() {
    let mut world = World::new();
    let deadline = world.now + 10;
    world.write(b"k", |writing, hand, key| {
        writing.put(hand, 0, key, &[b"value"], Some(deadline));
    });
    world.now = deadline;
    assert_eq!(
        world.read(b"k", |entry, _| entry.unwrap().deadline()),
        Some(deadline)
    );
    world.now += 1;
    assert!(world.read(b"k", |entry, _| entry.is_none()));
    assert_eq!(world.space.len(0), 1);
    world.write(b"k", |writing, hand, key| {
        assert!(writing.get(0, key, hand.now).is_none());
        assert!(writing.expired().is_empty());
        let pushed = writing.list(hand, 0, key, Create::IfAbsent, |list| list.push_back(b"x"));
        assert_eq!(pushed, Ok(Some(())));
        assert_eq!(writing.expired(), [(0, b"k".to_vec())]);
        assert!(writing.get(0, key, hand.now).is_some());
    });
    assert_eq!((world.space.len(0), world.space.with_deadline(0)), (1, 0));
    world.end();
}

#[test]
fn deadlines_are_counted() {
    let mut world = World::new();
    let steps = [
        (Some(5_000_000), 1),
        (Some(6_000_000), 1),
        (None, 0),
        (None, 0),
        (Some(5_000_000), 1),
    ];
    world.write(b"k", |writing, hand, key| {
        writing.put(hand, 0, key, &[b"value"], None);
    });
    for (deadline, count) in steps {
        world.write(b"k", |writing, hand, key| {
            assert!(writing.set_deadline(hand, 0, key, deadline));
        });
        assert_eq!(world.space.with_deadline(0), count);
    }
    world.write(b"k", |writing, hand, key| {
        assert!(writing.remove(hand, 0, key));
    });
    assert_eq!(world.space.with_deadline(0), 0);
    world.end();
}

#[test]
fn sampling_removes_expired_keys_and_no_others() {
    with_random(|random: &mut Random, world| {
        for number in 0..6_000u64 {
            let deadline = match number % 3 {
                0 => None,
                1 => Some(world.now + 10),
                _ => Some(world.now + 1_000_000),
            };
            let db = number as usize % 2;
            world.by_hand(|space, hand, _| {
                let name = number.to_ne_bytes();
                let key = Key::of(&name);
                space
                    .lock(db, key)
                    .put(hand, db, key, &[b"value"], deadline);
            });
        }
        let mut told = 0;
        let mut sweep = |world: &mut World, budget| {
            world.by_hand(|space, hand, pinned| {
                let now = hand.now;
                space.expire_some(hand, pinned, random, budget, |db, key| {
                    let number = u64::from_ne_bytes(key.bytes().try_into().unwrap());
                    assert_eq!((number % 3, number as usize % 2), (1, db));
                    assert!(now > 1_000_010);
                    told += 1;
                })
            })
        };
        assert_eq!(sweep(world, 1_000).expired, 0);
        world.now += 11;
        let first = sweep(world, 1_000);
        assert!(first.expired > 0 && first.looks < 1_000 + 400, "{first:?}");
        // Most are gone when no more than a quarter of those with a deadline is expired.
        for _ in 0..200 {
            sweep(world, 10_000);
        }
        assert_eq!(world.space.len(0) + world.space.len(1), 6_000 - told);
        assert!(told > 1_500, "{told} of 2000");
    });
}
