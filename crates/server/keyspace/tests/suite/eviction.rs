//! Eviction: who goes, and who stays.

use perflab_keyspace::{Evictor, Key, Policy, Random};

use crate::world::{World, with_random};

fn name(number: usize) -> Vec<u8> {
    format!("key {number}").into_bytes()
}

fn fill(world: &mut World, count: usize, deadline: impl Fn(usize) -> Option<u64>) {
    for number in 0..count {
        let deadline = deadline(number);
        world.write(&name(number), |writing, hand, key| {
            writing.put(hand, 0, key, &[b"some value"], deadline);
        });
    }
}

fn is_there(world: &World, number: usize) -> bool {
    // Not by `get`, which would mark an access.
    world.by_ref(|space, pinned| {
        space
            .peek(0, Key::of(&name(number)), pinned, world.now)
            .is_some()
    })
}

fn evict(world: &mut World, evictor: &mut Evictor, bytes: usize) -> usize {
    let mut told = 0;
    let evicted = world.by_hand(|space, hand, pinned| {
        let evicted = space.evict(hand, pinned, evictor, bytes, |_, _| told += 1);
        assert_eq!(evicted.bytes as i64, -hand.memory);
        evicted
    });
    assert_eq!(told, evicted.keys);
    evicted.keys
}

/// Of 10 000 keys 1000 are read all the time, and half of all keys are evicted.
fn readers_keep_their_keys(policy: Policy) {
    with_random(|random, world| {
        world.space.set_policy(policy);
        fill(world, 10_000, |_| Some(1 << 40));
        let mut evictor = Evictor::new(random.clone());
        let half = world.used / 2;
        while world.used > half {
            world.now += 1_000;
            for number in 0..1_000 {
                world.read(&name(number), |_, _| ());
            }
            evict(world, &mut evictor, 20_000);
        }
        let survivors = (0..1_000).filter(|number| is_there(world, *number)).count();
        assert!(survivors >= 950, "{survivors} of 1000 survive");
        assert!(world.space.len(0) < 5_500, "{}", world.space.len(0));
    });
}

#[test]
fn keys_that_are_read_survive_by_recency() {
    readers_keep_their_keys(Policy::AllKeysLru);
}

#[test]
fn keys_that_are_read_survive_by_frequency() {
    readers_keep_their_keys(Policy::VolatileLfu);
}

#[test]
fn keys_that_expire_next_go_first() {
    with_random(|random, world| {
        world.space.set_policy(Policy::VolatileTtl);
        fill(world, 1_000, |number| Some(2_000_000 + number as u64));
        let mut evictor = Evictor::new(random.clone());
        let half = world.used as usize / 2;
        evict(world, &mut evictor, half);
        let early = (0..250).filter(|number| is_there(world, *number)).count();
        let late = (750..1_000)
            .filter(|number| is_there(world, *number))
            .count();
        assert!(early < 50 && late > 200, "{early} and {late} of 250");
    });
}

#[test]
fn keys_without_a_deadline_stay_under_a_volatile_policy() {
    for policy in [
        Policy::VolatileLru,
        Policy::VolatileLfu,
        Policy::VolatileRandom,
        Policy::VolatileTtl,
    ] {
        with_random(|random: &mut Random, world| {
            world.space.set_policy(policy);
            fill(world, 3_000, |number| {
                (number % 100 == 0).then_some(1 << 40)
            });
            let mut evictor = Evictor::new(random.clone());
            let evicted = evict(world, &mut evictor, usize::MAX);
            assert_eq!((evicted, world.space.len(0)), (30, 2_970));
        });
    }
}

#[test]
fn all_keys_go_if_that_is_not_enough_or_none() {
    with_random(|random, world| {
        world.space.set_policy(Policy::AllKeysRandom);
        fill(world, 500, |_| None);
        let mut evictor = Evictor::new(random.clone());
        assert_eq!(evict(world, &mut evictor, usize::MAX), 500);
        assert_eq!(world.used, 0);
        world.space.set_policy(Policy::NoEviction);
        fill(world, 500, |_| None);
        assert_eq!(evict(world, &mut evictor, usize::MAX), 0);
    });
}
