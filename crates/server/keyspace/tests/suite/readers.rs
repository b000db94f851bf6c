//! Readers next to a writer: each view is one state, and freed memory, which debug builds poison, is never seen.
#![expect(unsafe_code, reason = "a keyspace is made for one flavour of RCU")]

use std::collections::BTreeSet;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use perflab_keyspace::{Create, Entry, Hand, Key, Keyspace, Limit, Random, ZaddFlags};
use perflab_rcu::{Limbo, Limits, OwnQsbr, Pinned, as_reader};

const NOW: u64 = 1_000_000;
const READERS: usize = 2;

/// Draining waits for what all threads of the flavour have retired, so one of these tests is executed at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Lets a writer and readers work for 2 s. Then no memory may be in use.
fn beside(
    begin: impl FnOnce(&Keyspace, &mut Hand<'_>),
    write: impl Fn(&Keyspace, &mut Hand<'_>, &mut Random) + Sync,
    read: impl Fn(&Keyspace, Pinned<'_>, &mut Random) + Sync,
) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: only `OwnQsbr` is used.
    let space = unsafe { Keyspace::new() };
    let mut limbo: Limbo<OwnQsbr> = Limbo::new(Limits::default());
    let mut hand = Hand::new(&mut limbo, NOW);
    begin(&space, &mut hand);
    let mut used = hand.memory;
    let stop = AtomicBool::new(false);
    let reads: u64 = thread::scope(|scope| {
        let readers: Vec<_> = (0..READERS)
            .map(|_| scope.spawn(|| keep_reading(&space, &stop, &read)))
            .collect();
        let end = Instant::now() + Duration::from_secs(2);
        let mut random = Random::new();
        while Instant::now() < end && !readers.iter().any(ScopedJoinHandle::is_finished) {
            for _ in 0..50 {
                let mut hand = Hand::new(&mut limbo, NOW);
                write(&space, &mut hand, &mut random);
                used += hand.memory;
            }
            limbo.relieve_alone().unwrap();
        }
        stop.store(true, Ordering::Relaxed);
        readers
            .into_iter()
            .map(|reader| reader.join().unwrap())
            .sum()
    });
    assert!(reads > 100, "{reads} reads");
    let mut hand = Hand::new(&mut limbo, NOW);
    space.lock_databases([0]).clear(&mut hand, 0);
    assert_eq!(used + hand.memory, 0, "bytes in use when all is gone");
    limbo.drain().unwrap();
}

fn keep_reading(
    space: &Keyspace,
    stop: &AtomicBool,
    read: &impl Fn(&Keyspace, Pinned<'_>, &mut Random),
) -> u64 {
    as_reader::<OwnQsbr, _>(|reader| {
        let (mut random, mut reads) = (Random::new(), 0);
        while !stop.load(Ordering::Relaxed) {
            let section = reader.enter();
            read(space, Pinned::by(&section), &mut random);
            drop(section);
            reader.quiescent();
            reads += 1;
        }
        reads
    })
    .unwrap()
}

fn key() -> Key<'static> {
    Key::of(b"key")
}

fn entry<'p>(space: &'p Keyspace, pinned: Pinned<'p>) -> &'p Entry {
    let entry = space.get(0, key(), pinned, NOW);
    entry.expect("a key that is overwritten is never absent")
}

#[test]
fn a_list_that_rotates_has_all_its_elements() {
    const LEN: u64 = 300;
    beside(
        |space, hand| {
            let mut writing = space.lock(0, key());
            let filled = writing.list(hand, 0, key(), Create::IfAbsent, |list| {
                (0..LEN).for_each(|number| list.push_back(&number.to_ne_bytes()));
            });
            filled.unwrap();
        },
        |space, hand, random| {
            let mut writing = space.lock(0, key());
            let moved = writing.list(hand, 0, key(), Create::Never, |list| {
                for _ in 0..=random.below(4) {
                    let head = list.pop_front().unwrap().to_vec();
                    list.push_back(&head);
                }
            });
            assert_eq!(moved, Ok(Some(())));
        },
        |space, pinned, _| {
            let list = entry(space, pinned).as_list(pinned).unwrap();
            let number = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().unwrap());
            let first = number(list.get(0).unwrap());
            let expected = (0..LEN).map(|offset| (first + offset) % LEN);
            assert!(list.iter(0..list.len()).map(number).eq(expected));
        },
    );
}

#[test]
fn a_hash_of_accounts_has_the_same_sum() {
    const ACCOUNTS: usize = 40;
    const SUM: u64 = 1_000;
    let name = |account: usize| (account as u64).to_ne_bytes();
    let amount = |bytes: &[u8]| u64::from_ne_bytes(bytes[..8].try_into().unwrap());
    beside(
        |space, hand| {
            space.limits().set(Limit::HashEntries, ACCOUNTS);
            let mut writing = space.lock(0, key());
            let filled = writing.hash(hand, 0, key(), Create::IfAbsent, |hash| {
                for account in 0..ACCOUNTS {
                    let start = if account == 0 { SUM } else { 0 };
                    hash.set(&name(account), &start.to_ne_bytes());
                }
            });
            filled.unwrap();
        },
        |space, hand, random| {
            // Now and then it begins as a small hash again, and is converted soon.
            let create = match random.below(100) {
                0 => Create::Anew,
                _ => Create::IfAbsent,
            };
            let mut writing = space.lock(0, key());
            let moved = writing.hash(hand, 0, key(), create, |hash| {
                if hash.is_empty() {
                    hash.set(&name(0), &SUM.to_ne_bytes());
                }
                for _ in 0..3 {
                    let (from, to) = (random.below(ACCOUNTS), random.below(ACCOUNTS));
                    let money = |bytes: Option<&[u8]>| bytes.map_or(0, amount);
                    let from_has = money(hash.get(&name(from)));
                    let moved = from_has.min(random.below(20) as u64);
                    hash.set(&name(from), &(from_has - moved).to_ne_bytes());
                    let to_has = money(hash.get(&name(to)));
                    // A value of more than 64 bytes makes the hash a large one.
                    let mut value = (to_has + moved).to_ne_bytes().to_vec();
                    value.resize(8 + random.below(60), b'x');
                    hash.set(&name(to), &value);
                }
            });
            assert_eq!(moved, Ok(Some(())));
        },
        |space, pinned, random| {
            let hash = entry(space, pinned).as_hash(pinned).unwrap();
            let sum: u64 = hash.iter().map(|(_, value)| amount(value)).sum();
            assert_eq!(sum, SUM);
            let field = name(random.below(ACCOUNTS));
            let by_walk = hash
                .iter()
                .find(|(known, _)| *known == field)
                .map(|(_, value)| value);
            assert_eq!(hash.get(&field), by_walk);
        },
    );
}

#[test]
fn a_set_that_changes_its_members_has_as_many() {
    const MEMBERS: usize = 600;
    let name = |member: usize, side: bool| {
        let sign = if side { "-" } else { "" };
        format!("{sign}{}", member + 1).into_bytes()
    };
    beside(
        |space, hand| {
            let mut writing = space.lock(0, key());
            let filled = writing.set(hand, 0, key(), Create::IfAbsent, |set| {
                for member in 0..MEMBERS {
                    assert!(set.add(&name(member, false)));
                }
            });
            filled.unwrap();
        },
        |space, hand, random| {
            let mut writing = space.lock(0, key());
            let changed = writing.set(hand, 0, key(), Create::Never, |set| {
                for _ in 0..3 {
                    let member = random.below(MEMBERS);
                    let side = set.contains(&name(member, true));
                    assert!(set.remove(&name(member, side)) && set.add(&name(member, !side)));
                }
            });
            assert_eq!(changed, Ok(Some(())));
        },
        |space, pinned, random| {
            let set = entry(space, pinned).as_set(pinned).unwrap();
            assert_eq!(set.len(), MEMBERS);
            let member = random.below(MEMBERS);
            let sides = [false, true].map(|side| set.contains(&name(member, side)));
            assert_ne!(sides[0], sides[1]);
            assert_eq!(
                set.iter()
                    .map(|member| member.to_vec())
                    .collect::<BTreeSet<_>>()
                    .len(),
                MEMBERS
            );
        },
    );
}

/// Members move, leave and come back, and never is one missing from either order.
fn members_that_move_are_all_there(members: usize) {
    let name = |member: usize| format!("member {member}").into_bytes();
    beside(
        |space, hand| {
            let mut writing = space.lock(0, key());
            let filled = writing.zset(hand, 0, key(), Create::IfAbsent, |zset| {
                for member in 0..members {
                    zset.add(&name(member), member as f64, ZaddFlags::default())
                        .unwrap();
                }
            });
            filled.unwrap();
        },
        |space, hand, random| {
            let mut writing = space.lock(0, key());
            let moved = writing.zset(hand, 0, key(), Create::Never, |zset| {
                for _ in 0..3 {
                    let member = name(random.below(members));
                    if random.below(2) == 0 {
                        assert!(zset.remove(&member));
                    }
                    let score = random.below(members) as f64;
                    zset.add(&member, score, ZaddFlags::default()).unwrap();
                }
                // One leaves, and comes back elsewhere.
                let lowest = zset.pop_min().unwrap().0.to_vec();
                let score = random.below(members) as f64;
                zset.add(&lowest, score, ZaddFlags::default()).unwrap();
            });
            assert_eq!(moved, Ok(Some(())));
        },
        |space, pinned, random| {
            let zset = entry(space, pinned).as_zset(pinned).unwrap();
            assert_eq!(zset.len(), members);
            for _ in 0..5 {
                let member = name(random.below(members));
                let (rank, score) = zset.rank(&member).expect("each member is there");
                assert_eq!(zset.at(rank), Some((&*member, score)));
                let same = zset.by_score(Bound::Included(score), Bound::Included(score));
                assert!(same.contains(&rank));
            }
            assert_eq!(zset.score(b"none"), None);
            assert!(zset.iter(0..members).map(|(_, score)| score).is_sorted());
        },
    );
}

#[test]
fn members_of_a_small_sorted_set_are_all_there() {
    members_that_move_are_all_there(100);
}

#[test]
fn members_of_a_large_sorted_set_are_all_there() {
    members_that_move_are_all_there(400);
}

#[test]
fn a_string_that_is_overwritten_is_whole() {
    beside(
        |space, hand| space.lock(0, key()).put(hand, 0, key(), &[&[0; 100]], None),
        |space, hand, random| {
            let byte = random.below(200) as u8;
            let (first, second) = (vec![byte; random.below(50)], vec![byte; random.below(50)]);
            let deadline = (random.below(2) == 0).then_some(NOW + u64::from(byte));
            let mut writing = space.lock(0, key());
            writing.put(hand, 0, key(), &[&first, &[byte], &second], deadline);
            writing.set_deadline(hand, 0, key(), Some(NOW + u64::from(byte)));
        },
        |space, pinned, _| {
            let value = entry(space, pinned).as_string().unwrap();
            assert!(
                value.iter().all(|byte| *byte == value[0] && *byte < 200),
                "{value:?}"
            );
        },
    );
}
