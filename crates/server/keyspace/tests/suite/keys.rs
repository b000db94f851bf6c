//! Keys of all types: moving, replacing, walking.

use std::collections::BTreeSet;

use perflab_keyspace::{Create, Entry, Key, Kind, Limit, Random};

use crate::world::{World, with_random};

/// A value of each form.
fn fill(world: &mut World) -> Vec<(Vec<u8>, Kind)> {
    world.space.limits().set(Limit::ZsetEntries, 3);
    world.write(b"string", |writing, hand, key| {
        writing.put(hand, 0, key, &[b"value"], None);
    });
    world.write(b"list", |writing, hand, key| {
        let work = writing.list(hand, 0, key, Create::IfAbsent, |list| {
            (0..100).for_each(|_| list.push_back(b"element"));
        });
        work.unwrap();
    });
    for (name, member) in [(&b"ints"[..], &b"12"[..]), (b"set", b"member")] {
        world.write(name, |writing, hand, key| {
            let added = writing.set(hand, 0, key, Create::IfAbsent, |set| set.add(member));
            assert_eq!(added, Ok(Some(true)));
        });
    }
    for (name, value) in [
        (&b"hash"[..], &[b'v'; 10][..]),
        (b"large hash", &[b'v'; 100]),
    ] {
        world.write(name, |writing, hand, key| {
            let set = writing.hash(hand, 0, key, Create::IfAbsent, |hash| hash.set(b"f", value));
            assert_eq!(set, Ok(Some(true)));
        });
    }
    for (name, count) in [(&b"zset"[..], 3), (b"large zset", 50)] {
        world.write(name, |writing, hand, key| {
            let work = writing.zset(hand, 0, key, Create::IfAbsent, |zset| {
                for number in 0..count {
                    let member = format!("member {number}").into_bytes();
                    zset.add(&member, f64::from(number), Default::default())
                        .unwrap();
                }
            });
            work.unwrap();
        });
    }
    [
        (&b"string"[..], Kind::String),
        (b"list", Kind::List),
        (b"ints", Kind::Set),
        (b"set", Kind::Set),
        (b"hash", Kind::Hash),
        (b"large hash", Kind::Hash),
        (b"zset", Kind::Zset),
        (b"large zset", Kind::Zset),
    ]
    .map(|(name, kind)| (name.to_vec(), kind))
    .to_vec()
}

/// All that can be read of a key, as text.
fn show(world: &World, key: &[u8]) -> Option<String> {
    world.read(key, |entry, pinned| {
        let entry = entry?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let value = match entry.kind() {
            Kind::String => text(entry.as_string().unwrap()),
            Kind::List => {
                let list = entry.as_list(pinned).unwrap();
                list.iter(0..list.len())
                    .map(text)
                    .collect::<Vec<_>>()
                    .join(",")
            }
            Kind::Hash => {
                let hash = entry.as_hash(pinned).unwrap();
                let pairs = hash
                    .iter()
                    .map(|(field, value)| text(field) + ":" + &text(value));
                pairs.collect::<Vec<_>>().join(",")
            }
            Kind::Set => {
                let set = entry.as_set(pinned).unwrap();
                let members = set.iter().map(|member| member.with(text));
                members.collect::<Vec<_>>().join(",")
            }
            Kind::Zset => {
                let zset = entry.as_zset(pinned).unwrap();
                let pairs = zset.iter(0..zset.len()).map(|(member, score)| {
                    assert_eq!(zset.score(member), Some(score));
                    format!("{}:{score}", text(member))
                });
                pairs.collect::<Vec<_>>().join(",")
            }
        };
        Some(format!(
            "{} {:?} {value}",
            entry.encoding(),
            entry.deadline()
        ))
    })
}

#[test]
fn a_renamed_key_keeps_its_value_and_its_deadline() {
    let mut world = World::new();
    for (name, kind) in fill(&mut world) {
        let deadline = Some(world.now + 500);
        world.write(&name, |writing, hand, key| {
            assert!(writing.set_deadline(hand, 0, key, deadline));
        });
        let before = show(&world, &name);
        for (from, to) in [
            (&name[..], &b"string"[..]),
            (b"string", b"a longer name"),
            (b"a longer name", &name),
        ] {
            let (from, to) = (Key::of(from), Key::of(to));
            let renamed = world.write_all([from, to], |writing, hand| {
                writing.rename(hand, 0, from, to)
            });
            assert!(renamed);
            assert_eq!(show(&world, to.bytes()), before);
            assert!(
                from == to || show(&world, from.bytes()).is_none(),
                "{kind:?}"
            );
        }
        let other = Key::of(b"other");
        let absent = world.write_all([other], |writing, hand| {
            writing.rename(hand, 0, other, other)
        });
        assert!(!absent);
    }
    assert_eq!(world.space.with_deadline(0), world.space.len(0));
    world.end();
}

#[test]
fn a_copy_lives_without_its_original() {
    let mut world = World::new();
    for (name, kind) in fill(&mut world) {
        let before = show(&world, &name);
        let (from, to) = (Key::of(&name), Key::of(b"copy"));
        world.by_hand(|space, hand, pinned| {
            let mut writing = space.lock_keys([(3, to), (0, from), (0, to)]);
            assert!(writing.copy(hand, (0, from), (3, to)));
            assert!(writing.copy(hand, (3, to), (0, to)));
            assert!(writing.remove(hand, 0, from) && !writing.remove(hand, 0, from));
            drop(writing);
            assert_eq!(
                space.get(3, to, pinned, hand.now).map(Entry::kind),
                Some(kind)
            );
        });
        assert_eq!(show(&world, b"copy"), before);
    }
    world.end();
}

#[test]
fn a_result_takes_the_place_of_any_value() {
    let mut world = World::new();
    for (name, _) in fill(&mut world) {
        let stored = world.write(&name, |writing, hand, key| {
            writing.list(hand, 0, key, Create::Anew, |list| list.push_back(b"x"))
        });
        assert_eq!(stored, Ok(Some(())));
        assert_eq!(show(&world, &name).unwrap(), "quicklist None x");
        let stored = world.write(&name, |writing, hand, key| {
            writing.set(hand, 0, key, Create::Anew, |_| ())
        });
        assert_eq!((stored, show(&world, &name)), (Ok(Some(())), None));
    }
    assert_eq!(world.space.len(0), 0);
    world.end();
}

#[test]
fn a_command_for_another_type_changes_nothing() {
    let mut world = World::new();
    for (name, kind) in fill(&mut world) {
        let (before, used) = (show(&world, &name), world.used);
        world.write(&name, |writing, hand, key| {
            let create = Create::IfAbsent;
            let lists = writing.list(hand, 0, key, create, |_| ()).is_ok();
            let hashes = writing.hash(hand, 0, key, create, |_| ()).is_ok();
            let sets = writing.set(hand, 0, key, create, |_| ()).is_ok();
            let zsets = writing.zset(hand, 0, key, create, |_| ()).is_ok();
            let kinds = [Kind::List, Kind::Hash, Kind::Set, Kind::Zset];
            assert_eq!(
                [lists, hashes, sets, zsets],
                kinds.map(|other| other == kind)
            );
        });
        assert_eq!((show(&world, &name), world.used), (before, used));
    }
    world.end();
}

#[test]
fn walks_and_random_choices_find_what_is_there() {
    with_random(|random: &mut Random, world| {
        let name = |number: usize| format!("key {number}").into_bytes();
        for number in 0..2_000 {
            let deadline = (number % 2 == 1).then_some(world.now + 10);
            world.write(&name(number), |writing, hand, key| {
                writing.put(hand, 0, key, &[b"x"], deadline);
            });
        }
        world.now += 11;
        let mut found = BTreeSet::new();
        world.by_hand(|space, hand, pinned| {
            let mut cursor = 0;
            loop {
                cursor = space.scan(0, cursor, 10, pinned, hand.now, |entry| {
                    assert!(found.insert(entry.key().bytes().to_vec()), "given twice");
                });
                if cursor == 0 {
                    break;
                }
            }
            for _ in 0..100 {
                let chosen = space.random(0, random, pinned, hand.now).unwrap();
                assert!(found.contains(chosen.key().bytes()));
            }
            assert!(space.random(1, random, pinned, hand.now).is_none());
        });
        assert_eq!(found, (0..2_000).step_by(2).map(name).collect());
        assert_eq!(
            (world.space.len(0), world.space.with_deadline(0)),
            (2_000, 1_000)
        );
    });
}
