//! The names of encodings, as Redis 7.0 would say them.

use perflab_keyspace::{Create, Kind};

use crate::world::World;

#[test]
fn strings_are_integers_or_short_or_raw() {
    let mut world = World::new();
    let long = [b'x'; 45];
    for (value, encoding) in [
        (&b"12"[..], "int"),
        (b"-9223372036854775808", "int"),
        (b"012", "embstr"),
        (b"9223372036854775808", "embstr"),
        (b"", "embstr"),
        (&long[..44], "embstr"),
        (&long, "raw"),
    ] {
        world.write(b"k", |writing, hand, key| {
            writing.put(hand, 0, key, &[value], None);
        });
        assert_eq!(world.encoding(b"k"), Some(encoding), "{value:?}");
        let (first, last) = value.split_at(value.len() / 2);
        world.write(b"k", |writing, hand, key| {
            writing.put_raw(hand, 0, key, &[first, last], None);
        });
        assert_eq!(world.encoding(b"k"), Some("raw"));
        world.read(b"k", |entry, pinned| {
            let entry = entry.unwrap();
            assert_eq!(entry.as_string(), Ok(value));
            assert_eq!(
                (entry.kind(), entry.len(pinned)),
                (Kind::String, value.len())
            );
            assert!(entry.memory() >= 33 + value.len());
        });
    }
    world.end();
}

#[test]
fn collections_are_small_up_to_the_limits_of_redis() {
    let mut world = World::new();
    let number = |number: usize| number.to_string().into_bytes();
    for (count, set, hash, zset) in [
        (1, "intset", "listpack", "listpack"),
        (128, "intset", "listpack", "listpack"),
        (129, "intset", "listpack", "skiplist"),
        (512, "intset", "listpack", "skiplist"),
        (513, "hashtable", "hashtable", "skiplist"),
    ] {
        world.write(b"set", |writing, hand, key| {
            let added = writing.set(hand, 0, key, Create::Anew, |edit| {
                (0..count)
                    .filter(|member| edit.add(&number(*member)))
                    .count()
            });
            assert_eq!(added, Ok(Some(count)));
        });
        world.write(b"hash", |writing, hand, key| {
            let added = writing.hash(hand, 0, key, Create::Anew, |edit| {
                (0..count)
                    .filter(|field| edit.set(&number(*field), &[b'x'; 64]))
                    .count()
            });
            assert_eq!(added, Ok(Some(count)));
        });
        world.write(b"zset", |writing, hand, key| {
            let added = writing.zset(hand, 0, key, Create::Anew, |edit| {
                for member in 0..count {
                    edit.add(&number(member), 1.0, Default::default()).unwrap();
                }
                edit.len()
            });
            assert_eq!(added, Ok(Some(count)));
        });
        assert_eq!(world.encoding(b"set"), Some(set), "{count}");
        assert_eq!(world.encoding(b"hash"), Some(hash), "{count}");
        assert_eq!(world.encoding(b"zset"), Some(zset), "{count}");
        for key in [&b"set"[..], b"hash", b"zset"] {
            assert_eq!(
                world.read(key, |entry, pinned| entry.unwrap().len(pinned)),
                count
            );
        }
    }
    world.end();
}

#[test]
fn one_long_element_makes_a_collection_large() {
    let mut world = World::new();
    let long = [b'1'; 65];
    world.write(b"set", |writing, hand, key| {
        writing
            .set(hand, 0, key, Create::IfAbsent, |set| {
                set.add(b"1") && set.add(b"x")
            })
            .unwrap();
    });
    world.write(b"hash", |writing, hand, key| {
        writing
            .hash(hand, 0, key, Create::IfAbsent, |hash| hash.set(b"f", &long))
            .unwrap();
    });
    world.write(b"zset", |writing, hand, key| {
        writing
            .zset(hand, 0, key, Create::IfAbsent, |zset| {
                zset.add(&long, 1.0, Default::default())
            })
            .unwrap();
    });
    world.write(b"list", |writing, hand, key| {
        writing
            .list(hand, 0, key, Create::IfAbsent, |list| list.push_back(&long))
            .unwrap();
    });
    let names = [&b"set"[..], b"hash", b"zset", b"list"].map(|key| world.encoding(key).unwrap());
    assert_eq!(names, ["hashtable", "hashtable", "skiplist", "quicklist"]);
    world.end();
}
