//! Sorted sets against a sorted list of pairs.

use std::ops::Bound;

use perflab_keyspace::{Create, Limit, NotANumber, Random, Zadd, ZaddFlags, ZsetEdit};

use crate::world::{World, bytes, with_random};

const KEY: &[u8] = b"zset";

/// In ascending order of scores, then of members.
type Model = Vec<(f64, Vec<u8>)>;

#[test]
fn sorted_sets_do_what_a_sorted_list_does() {
    with_random(|random, world| {
        world.space.limits().set(Limit::ZsetEntries, 30);
        let (mut model, mut deadline): (Model, _) = (Vec::new(), None);
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
            if turn % 8 == 0 || model.len() < 40 {
                check(random, world, &model, is_large);
            }
        }
    });
}

/// Returns whether the sorted set has become a large one.
fn command(random: &mut Random, world: &mut World, model: &mut Model, grows: bool) -> bool {
    let adds = random.below(10) < if grows { 8 } else { 3 };
    let mut is_large = false;
    world.write(KEY, |writing, hand, key| {
        let create = if adds {
            Create::IfAbsent
        } else {
            Create::Never
        };
        writing
            .zset(hand, 0, key, create, |zset| {
                for _ in 0..=random.below(3) {
                    if adds {
                        is_large |= add(random, zset, model);
                    } else {
                        remove(random, zset, model);
                    }
                    assert_eq!(zset.len(), model.len());
                }
            })
            .unwrap();
    });
    is_large
}

fn add(random: &mut Random, zset: &mut ZsetEdit<'_>, model: &mut Model) -> bool {
    let most = if random.below(300) == 0 { 80 } else { 10 };
    let member = bytes(random, most);
    // Few different scores, so that members are often ordered by their bytes.
    let score = random.below(9) as f64 / 2.0 - 2.0;
    let mut dice = || random.below(4) == 0;
    let flags = ZaddFlags {
        only_new: dice() && dice(),
        only_old: dice() && dice(),
        only_greater: dice(),
        only_less: dice() && dice(),
        increment: dice(),
    };
    let known = model.iter().position(|(_, known)| *known == member);
    let before = known.map(|known| model[known].0);
    assert_eq!(zset.score(&member), before);
    let added = zset.add(&member, score, flags).unwrap();
    let next = before.map_or(score, |before| {
        before * f64::from(u8::from(flags.increment)) + score
    });
    let forbidden = match before {
        None => flags.only_old,
        Some(before) => {
            flags.only_new
                || flags.only_greater && next <= before
                || flags.only_less && next >= before
        }
    };
    let expected = match before {
        _ if forbidden => Zadd::Forbidden,
        None => Zadd::Added(next),
        Some(before) if before == next => Zadd::Same(next),
        Some(_) => Zadd::Updated(next),
    };
    assert_eq!(added, expected);
    if matches!(added, Zadd::Added(_) | Zadd::Updated(_)) {
        known.map(|known| model.remove(known));
        let place = model.partition_point(|(score, other)| (*score, other) < (next, &member));
        model.insert(place, (next, member.clone()));
    }
    matches!(added, Zadd::Added(_)) && (model.len() > 30 || member.len() > 64)
}

fn remove(random: &mut Random, zset: &mut ZsetEdit<'_>, model: &mut Model) {
    match random.below(5) {
        0 => {
            let expected = (!model.is_empty()).then(|| model.remove(0));
            let popped = zset
                .pop_min()
                .map(|(member, score)| (score, member.to_vec()));
            assert_eq!(popped, expected);
        }
        1 => {
            let popped = zset
                .pop_max()
                .map(|(member, score)| (score, member.to_vec()));
            assert_eq!(popped, model.pop());
        }
        2 => {
            let start = random.below(model.len() + 1);
            let removed = zset.remove_ranks(start..start + 3);
            let end = model.len().min(start + 3);
            assert_eq!(removed, model.drain(start..end).count());
        }
        3 => {
            let score = random.below(5) as f64 - 2.5;
            let range = zset.by_score(Bound::Included(score), Bound::Included(score));
            let removed = zset.remove_ranks(range);
            let before = model.len();
            model.retain(|(known, _)| *known != score);
            assert_eq!(removed, before - model.len());
        }
        _ => {
            let member = bytes(random, 10);
            let known = model.iter().position(|(_, known)| *known == member);
            assert_eq!(zset.remove(&member), known.is_some());
            known.map(|known| model.remove(known));
        }
    }
}

fn check(random: &mut Random, world: &World, model: &Model, is_large: bool) {
    world.read(KEY, |entry, pinned| {
        let Some(entry) = entry else {
            assert!(model.is_empty());
            return;
        };
        let form = if is_large { "skiplist" } else { "listpack" };
        assert_eq!(entry.encoding(), form);
        let zset = entry.as_zset(pinned).unwrap();
        let pairs = || model.iter().map(|(score, member)| (&**member, *score));
        assert!(!zset.is_empty() && zset.iter(0..zset.len()).eq(pairs()));
        for (rank, (member, score)) in pairs().enumerate() {
            assert_eq!(zset.rank(member), Some((rank, score)));
        }
        assert_eq!(zset.score(b"none"), None);
        assert_eq!(zset.at(model.len() - 1), pairs().next_back());
        let (low, high) = (
            random.below(9) as f64 / 2.0 - 2.5,
            random.below(9) as f64 / 2.0 - 2.0,
        );
        let ranks = zset.by_score(Bound::Excluded(low), Bound::Included(high));
        let expected = pairs().filter(|(_, score)| *score > low && *score <= high);
        assert!(zset.iter(ranks).eq(expected));
        let mut scanned = Vec::new();
        let mut cursor = 0;
        loop {
            cursor = zset.scan(cursor, 5, |member, score| {
                scanned.push((score, member.to_vec()));
            });
            if cursor == 0 {
                break;
            }
        }
        scanned.sort_by(|one, other| one.partial_cmp(other).unwrap());
        assert_eq!(scanned, *model);
    });
}

#[test]
fn members_of_one_score_are_ordered_by_their_bytes() {
    let mut world = World::new();
    world.write(KEY, |writing, hand, key| {
        let added = writing.zset(hand, 0, key, Create::IfAbsent, |zset| {
            for member in ["b", "", "ab", "a"] {
                zset.add(member.as_bytes(), 0.0, ZaddFlags::default())
                    .unwrap();
            }
            zset.by_member(Bound::Included(b"a"), Bound::Excluded(b"b"))
        });
        assert_eq!(added, Ok(Some(1..3)));
    });
    world.read(KEY, |entry, pinned| {
        let zset = entry.unwrap().as_zset(pinned).unwrap();
        let members = zset.iter(0..4).map(|(member, _)| member);
        assert!(members.eq([&b""[..], b"a", b"ab", b"b"]));
        assert_eq!(
            zset.by_member(Bound::Excluded(b"a"), Bound::Unbounded),
            2..4
        );
        assert_eq!(
            zset.by_member(Bound::Included(b"x"), Bound::Included(b"a")),
            4..4
        );
    });
    world.end();
}

#[test]
fn no_score_is_not_a_number() {
    let mut world = World::new();
    world.write(KEY, |writing, hand, key| {
        let increment = ZaddFlags {
            increment: true,
            ..ZaddFlags::default()
        };
        let added = writing.zset(hand, 0, key, Create::IfAbsent, |zset| {
            assert_eq!(zset.add(b"m", f64::NAN, increment), Err(NotANumber));
            assert!(zset.is_empty());
            assert_eq!(
                zset.add(b"m", f64::INFINITY, increment),
                Ok(Zadd::Added(f64::INFINITY))
            );
            zset.add(b"m", f64::NEG_INFINITY, increment)
        });
        assert_eq!(added, Ok(Some(Err(NotANumber))));
    });
    assert_eq!(
        world.read(KEY, |entry, pinned| entry
            .unwrap()
            .as_zset(pinned)
            .unwrap()
            .score(b"m")),
        Some(f64::INFINITY)
    );
    world.end();
}

/// A member that leaves and comes back in one command is in the index as in the order of scores.
#[test]
fn a_member_that_comes_back_in_the_same_command_is_found() {
    let mut world = World::new();
    world.space.limits().set(Limit::ZsetEntries, 2);
    for _ in 0..2 {
        world.write(KEY, |writing, hand, key| {
            writing
                .zset(hand, 0, key, Create::IfAbsent, |zset| {
                    for (number, member) in ["a", "b", "c", "d"].iter().enumerate() {
                        zset.add(member.as_bytes(), number as f64, ZaddFlags::default())
                            .unwrap();
                    }
                    assert!(zset.remove(b"b") && !zset.remove(b"b"));
                    assert_eq!(zset.score(b"b"), None);
                    zset.add(b"b", 7.0, ZaddFlags::default()).unwrap();
                    assert!(zset.remove(b"c"));
                })
                .unwrap();
        });
        world.read(KEY, |entry, pinned| {
            let zset = entry.unwrap().as_zset(pinned).unwrap();
            assert_eq!(zset.rank(b"b"), Some((2, 7.0)));
            assert_eq!((zset.rank(b"c"), zset.len()), (None, 3));
        });
    }
    world.end();
}
