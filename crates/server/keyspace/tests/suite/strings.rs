//! Strings and their deadlines against a map.

use std::collections::HashMap;

use perflab_keyspace::{Entry, Key, Random};

use crate::world::{World, bytes, with_random};

#[derive(Debug, Clone, PartialEq)]
struct Value {
    text: Vec<u8>,
    deadline: Option<u64>,
}

/// What the table holds, with keys that are expired and were not met by a write since.
type Model = HashMap<Vec<u8>, Value>;

#[test]
fn strings_do_what_a_map_does() {
    with_random(|random, world| {
        let mut model = Model::new();
        for _ in 0..20_000 {
            world.now += random.below(2) as u64;
            let (name, other) = (bytes(random, 0), bytes(random, 0));
            command(random, world, &mut model, &name, &other);
            for name in [&name, &other] {
                let expected = live(&model, name, world.now);
                world.read(name, |entry, _| {
                    let text = entry.map(|entry| entry.as_string().unwrap());
                    assert_eq!(text, expected.map(|value| &*value.text));
                    let deadline = entry.and_then(Entry::deadline);
                    assert_eq!(deadline, expected.and_then(|value| value.deadline));
                });
            }
            assert_eq!(world.space.len(0), model.len());
            let mortal = model.values().filter(|value| value.deadline.is_some());
            assert_eq!(world.space.with_deadline(0), mortal.count());
        }
    });
}

fn live<'m>(model: &'m Model, name: &[u8], now: u64) -> Option<&'m Value> {
    let value = model.get(name)?;
    let expired = value.deadline.is_some_and(|deadline| deadline < now);
    (!expired).then_some(value)
}

fn command(random: &mut Random, world: &mut World, model: &mut Model, name: &[u8], other: &[u8]) {
    let now = world.now;
    let before = live(model, name, now).cloned();
    let met_expired = model.contains_key(name) && before.is_none();
    let deadline = (random.below(2) == 0).then(|| now + random.below(300) as u64);
    let text = bytes(random, 100);
    let (key, to) = (Key::of(name), Key::of(other));
    let mut told = Vec::new();
    let kind = random.below(6);
    let done = world.write_all([key, to], |writing, hand| {
        let done = match kind {
            0 => {
                writing.put(hand, 0, key, &[&text], deadline);
                true
            }
            1 => {
                let old = writing.get(0, key, now);
                let kept = old.and_then(Entry::deadline);
                let start = old.map_or(Vec::new(), |old| old.as_string().unwrap().to_vec());
                writing.put_raw(hand, 0, key, &[&start, &text], kept);
                true
            }
            2 => writing.remove(hand, 0, key),
            3 => writing.set_deadline(hand, 0, key, deadline),
            4 => writing.rename(hand, 0, key, to),
            _ => name != other && writing.copy(hand, (0, key), (0, to)),
        };
        told.extend_from_slice(writing.expired());
        done
    });
    let meets = kind > 1 && (kind < 5 || name != other);
    if meets && met_expired {
        model.remove(name);
        assert_eq!(told, [(0, name.to_vec())]);
    } else {
        assert!(told.is_empty());
    }
    assert_eq!(done, kind < 2 || meets && before.is_some());
    match (kind, before) {
        (0, _) => {
            model.insert(name.to_vec(), Value { text, deadline });
        }
        (1, before) => {
            let (start, deadline) =
                before.map_or((Vec::new(), None), |old| (old.text, old.deadline));
            let text = [start, text].concat();
            model.insert(name.to_vec(), Value { text, deadline });
        }
        (2, Some(_)) => {
            model.remove(name);
        }
        (3, Some(Value { text, .. })) => {
            model.insert(name.to_vec(), Value { text, deadline });
        }
        (4, Some(value)) => {
            model.remove(name);
            model.insert(other.to_vec(), value);
        }
        (5, Some(value)) if name != other => {
            model.insert(other.to_vec(), value);
        }
        _ => {}
    }
}
