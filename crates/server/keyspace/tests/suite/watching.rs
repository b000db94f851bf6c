//! WATCH: which writes break it.

use perflab_keyspace::{Create, Key, Watch};

use crate::world::World;

/// Whether a watch of these keys is broken by a change.
fn breaks(keys: &[&str], change: impl FnOnce(&mut World)) -> bool {
    let mut world = World::new();
    for key in ["there", "other"] {
        world.write(key.as_bytes(), |writing, hand, key| {
            writing.put(hand, 0, key, &[b"value"], None);
        });
    }
    let deadline = Some(world.now + 10);
    world.write(b"mortal", |writing, hand, key| {
        writing.put(hand, 0, key, &[b"value"], deadline);
    });
    let mut watch = Watch::new();
    for key in keys {
        let key = Key::of(key.as_bytes());
        world.space.watch(&mut watch, 0, key, world.now);
    }
    change(&mut world);
    let broken = {
        let writing = world.space.lock_keys(watch.keys());
        writing.is_broken(&watch, world.now)
    };
    world.space.unwatch(&mut watch);
    assert!(watch.keys().next().is_none() && !watch.is_written());
    world.end();
    broken
}

#[test]
fn a_write_to_a_watched_key_breaks_the_watch() {
    assert!(!breaks(&["there", "absent"], |_| {}));
    assert!(breaks(&["other", "there"], |world| {
        world.write(b"there", |writing, hand, key| {
            writing.put(hand, 0, key, &[b"value"], None);
        });
    }));
    assert!(breaks(&["there"], |world| {
        world.write(b"there", |writing, hand, key| {
            assert!(writing.remove(hand, 0, key));
        });
    }));
    assert!(breaks(&["there"], |world| {
        world.write(b"there", |writing, hand, key| {
            assert!(writing.set_deadline(hand, 0, key, Some(5_000_000)));
        });
    }));
    assert!(breaks(&["absent"], |world| {
        world.write(b"absent", |writing, hand, key| {
            let pushed = writing.list(hand, 0, key, Create::IfAbsent, |list| list.push_back(b"x"));
            assert_eq!(pushed, Ok(Some(())));
        });
    }));
    for watched in ["there", "absent"] {
        assert!(breaks(&[watched], |world| {
            let (from, to) = (Key::of(b"there"), Key::of(b"absent"));
            world.write_all([from, to], |writing, hand| {
                assert!(writing.rename(hand, 0, from, to));
            });
        }));
    }
}

#[test]
fn what_changes_nothing_here_breaks_no_watch() {
    assert!(!breaks(&["there"], |world| {
        world.write(b"other", |writing, hand, key| {
            assert!(writing.remove(hand, 0, key));
        });
    }));
    assert!(!breaks(&["absent"], |world| {
        world.write(b"absent", |writing, hand, key| {
            assert!(!writing.remove(hand, 0, key));
            let edited = writing.list(hand, 0, key, Create::IfAbsent, |list| list.len());
            assert_eq!(edited, Ok(Some(0)));
        });
    }));
    assert!(!breaks(&["there"], |world| {
        world.by_hand(|space, hand, _| {
            let key = Key::of(b"there");
            space.lock(1, key).put(hand, 1, key, &[b"value"], None);
        });
    }));
}

#[test]
fn clearing_breaks_watches_of_keys_that_are_there() {
    let clear = |world: &mut World| {
        world.by_hand(|space, hand, _| space.lock_databases([0, 1]).clear(hand, 0));
        assert!(world.space.is_empty(0));
    };
    assert!(breaks(&["there"], clear));
    assert!(!breaks(&["absent"], clear));
}

#[test]
fn expiry_breaks_a_watch_that_began_before() {
    assert!(breaks(&["mortal"], |world| world.now += 11));
    // Whether somebody has met the expired key meanwhile, or not.
    assert!(breaks(&["mortal"], |world| {
        world.now += 11;
        world.write(b"mortal", |writing, hand, key| {
            assert!(!writing.remove(hand, 0, key));
            assert_eq!(writing.expired(), [(0, b"mortal".to_vec())]);
        });
    }));
}

#[test]
fn expiry_breaks_no_watch_that_began_later() {
    assert!(!breaks(&["there"], |world| {
        world.now += 11;
        let (mut watch, key) = (Watch::new(), Key::of(b"mortal"));
        world.space.watch(&mut watch, 0, key, world.now);
        world.write(b"mortal", |writing, hand, key| {
            assert!(!writing.remove(hand, 0, key));
        });
        assert!(!world.space.lock(0, key).is_broken(&watch, world.now));
        world.space.unwatch(&mut watch);
    }));
}
