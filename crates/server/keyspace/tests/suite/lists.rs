//! Lists against `VecDeque`.

use std::collections::VecDeque;

use perflab_keyspace::{Create, Random};

use crate::world::{World, bytes, with_random};

const KEY: &[u8] = b"list";

#[test]
fn lists_do_what_a_deque_does() {
    with_random(|random, world| {
        let (mut model, mut deadline) = (VecDeque::new(), None);
        for turn in 0..6_000 {
            if world.age(random, KEY, &mut deadline) {
                model.clear();
            }
            command(random, world, &mut model, turn % 2_000 < 1_000);
            if model.is_empty() {
                deadline = None;
            }
            check(random, world, &model);
        }
    });
}

fn command(random: &mut Random, world: &mut World, model: &mut VecDeque<Vec<u8>>, grows: bool) {
    let element = bytes(random, 30);
    let create = if random.below(2) == 0 {
        Create::Never
    } else {
        Create::IfAbsent
    };
    let (place, other) = (random.below(model.len() + 1), random.below(model.len() + 1));
    let kind = random.below(if grows { 8 } else { 12 });
    let some = random.below(3) as i64 - 1;
    world.write(KEY, |writing, hand, key| {
        let edited = writing.list(hand, 0, key, create, |list| match kind {
            0..4 => {
                list.push_back(&element);
                model.push_back(element.clone());
            }
            4 | 5 => {
                list.push_front(&element);
                model.push_front(element.clone());
            }
            6 => {
                list.insert(place, &element);
                model.insert(place, element.clone());
            }
            7 => {
                let is_there = list.set(place, &element);
                assert_eq!(is_there, place < model.len());
                if is_there {
                    model[place] = element.clone();
                }
            }
            8 => assert_eq!(list.pop_front(), model.pop_front().as_deref()),
            9 => assert_eq!(list.pop_back(), model.pop_back().as_deref()),
            10 => {
                let (start, end) = (place.min(other), place.max(other));
                // Mostly a little is cut off.
                let (start, end) = (start.min(3), end.max(model.len().saturating_sub(3)));
                list.trim(start..end);
                model.truncate(end);
                drop(model.drain(..start));
            }
            _ => {
                let removed = list.remove_equal(some, &element);
                assert_eq!(removed, remove_equal(model, some, &element));
            }
        });
        let was_there = edited.unwrap().is_some();
        assert!(was_there || create == Create::Never && model.is_empty());
    });
}

fn remove_equal(model: &mut VecDeque<Vec<u8>>, most: i64, element: &[u8]) -> usize {
    let before = model.len();
    let mut left = if most == 0 {
        usize::MAX
    } else {
        most.unsigned_abs() as usize
    };
    let mut keep = |other: &Vec<u8>| {
        let goes = other == element && left > 0;
        left -= usize::from(goes);
        !goes
    };
    if most < 0 {
        let kept: Vec<_> = model.drain(..).rev().filter(|other| keep(other)).collect();
        model.extend(kept.into_iter().rev());
    } else {
        model.retain(|other| keep(other));
    }
    before - model.len()
}

fn check(random: &mut Random, world: &World, model: &VecDeque<Vec<u8>>) {
    world.read(KEY, |entry, pinned| {
        let Some(entry) = entry else {
            assert!(model.is_empty());
            return;
        };
        let list = entry.as_list(pinned).unwrap();
        assert!(!list.is_empty());
        assert_eq!(list.len(), model.len());
        assert!(entry.as_string().is_err() && entry.as_hash(pinned).is_err());
        let place = random.below(model.len() + 1);
        assert_eq!(list.get(place), model.get(place).map(Vec::as_slice));
        let end = place + random.below(model.len() - place + 1);
        assert!(list.iter(place..end).eq(model.range(place..end)));
        assert!(
            list.iter(place..end)
                .rev()
                .eq(model.range(place..end).rev())
        );
    });
}

#[test]
fn a_popped_element_can_be_read_until_the_next_change() {
    let mut world = World::new();
    world.write(KEY, |writing, hand, key| {
        let edited = writing.list(hand, 0, key, Create::IfAbsent, |list| {
            for number in 0..1_000u32 {
                list.push_back(&number.to_ne_bytes());
            }
            let mut sum = 0;
            while let Some(number) = list.pop_front() {
                sum += u32::from_ne_bytes(number.try_into().unwrap());
            }
            sum
        });
        assert_eq!(edited, Ok(Some(499_500)));
    });
    assert!(world.read(KEY, |entry, _| entry.is_none()));
    world.end();
}
