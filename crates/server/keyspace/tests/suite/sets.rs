//! Sets against `BTreeSet`.

use std::collections::BTreeSet;

use perflab_keyspace::{Create, Limit, Member, Random, integer};

use crate::world::{World, bytes, with_random};

const KEY: &[u8] = b"set";

#[test]
fn sets_do_what_a_set_does() {
    with_random(|random, world| {
        world.space.limits().set(Limit::SetInts, 50);
        let (mut model, mut deadline) = (BTreeSet::new(), None);
        let mut is_large = false;
        for turn in 0..8_000 {
            if world.age(random, KEY, &mut deadline) {
                model.clear();
            }
            is_large &= !model.is_empty();
            is_large |= command(random, world, &mut model, turn);
            if model.is_empty() {
                (deadline, is_large) = (None, false);
            }
            if turn % 8 == 0 || model.len() < 60 {
                check(random, world, &model, is_large);
            }
        }
    });
}

/// Returns whether the set has become a large one.
fn command(
    random: &mut Random,
    world: &mut World,
    model: &mut BTreeSet<Vec<u8>>,
    turn: usize,
) -> bool {
    let removes = random.below(10) < if turn % 2_000 < 1_200 { 3 } else { 8 };
    let create = if removes {
        Create::Never
    } else {
        Create::IfAbsent
    };
    let mut is_large = false;
    world.write(KEY, |writing, hand, key| {
        writing
            .set(hand, 0, key, create, |set| {
                for _ in 0..=random.below(3) {
                    // For most of the time there are integers only, and in some rounds few of them.
                    let most = if random.below(300) == 0 { 12 } else { 0 };
                    let member = match turn / 2_000 {
                        0 => random.below(45).to_string().into_bytes(),
                        1 => (random.below(150) as i64 - 75).to_string().into_bytes(),
                        _ => bytes(random, most),
                    };
                    assert_eq!(set.contains(&member), model.contains(&member));
                    if !removes {
                        assert_eq!(set.add(&member), model.insert(member.clone()));
                        is_large |= integer(&member).is_none() || model.len() > 50;
                    } else if random.below(4) == 0 {
                        let place = random.below(model.len() + 1);
                        let at = set.at(place).map(|member| member.to_vec());
                        assert_eq!(set.remove_at(place), at.is_some());
                        assert!(at.is_none_or(|at| model.remove(&at)));
                    } else {
                        assert_eq!(set.remove(&member), model.remove(&member));
                    }
                    assert_eq!(set.len(), model.len());
                }
            })
            .unwrap();
    });
    is_large
}

fn check(random: &mut Random, world: &World, model: &BTreeSet<Vec<u8>>, is_large: bool) {
    world.read(KEY, |entry, pinned| {
        let Some(entry) = entry else {
            assert!(model.is_empty());
            return;
        };
        let form = if is_large { "hashtable" } else { "intset" };
        assert_eq!(entry.encoding(), form);
        let set = entry.as_set(pinned).unwrap();
        let members: Vec<Vec<u8>> = set.iter().map(|member| member.to_vec()).collect();
        assert_eq!(members.len(), model.len());
        assert!(members.iter().all(|member| set.contains(member)));
        assert!(members.iter().cloned().collect::<BTreeSet<_>>() == *model);
        if !is_large {
            assert!(members.iter().map(|member| integer(member)).is_sorted());
        }
        let place = random.below(members.len());
        assert_eq!(
            set.at(place).map(|at| at.to_vec()).as_ref(),
            members.get(place)
        );
        let (mut cursor, mut scanned) = (0, Vec::new());
        loop {
            cursor = set.scan(cursor, 3, |member: Member<'_>| {
                scanned.push(member.to_vec());
            });
            if cursor == 0 {
                break;
            }
        }
        assert_eq!(scanned, members);
    });
}
