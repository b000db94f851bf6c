//! What is counted as memory is what the allocator says.
#![expect(
    unsafe_code,
    reason = "one thread looks into entries, and frees what it retired at the end"
)]

use perflab_rcu::{Pinned, Retire};

use crate::collection::Trees;
use crate::{
    Create, Entry, Hand, HashEdit, Key, Keyspace, Limit, ListEdit, Random, SetEdit, ZaddFlags,
    ZsetEdit,
};

/// An object that was retired, and how it is freed.
type Dead = (*mut u8, unsafe fn(*mut u8));

/// What was retired: it is freed at the end.
#[derive(Default)]
struct Grave {
    bytes: usize,
    dead: Vec<Dead>,
}

impl Retire for Grave {
    unsafe fn retire_raw(&mut self, object: *mut u8, bytes: usize, free: unsafe fn(*mut u8)) {
        self.bytes += bytes;
        self.dead.push((object, free));
    }
}

impl Drop for Grave {
    fn drop(&mut self) {
        for (object, free) in self.dead.drain(..) {
            // SAFETY: nobody has a view any more.
            unsafe { free(object) };
        }
    }
}

/// The bytes of an entry, by asking for each allocation.
fn recounted(entry: &Entry) -> usize {
    // SAFETY: one thread uses the keyspace.
    let pinned = unsafe { Pinned::unprotected() };
    let mut bytes = entry.shell();
    if let Some(collection) = entry.collection() {
        // SAFETY: the blobs are alive, as they are in the trees.
        let mut add = |held: crate::blob::Held| bytes += unsafe { held.taken() };
        collection.trees().each_held(pinned, &mut add);
        bytes += match collection.trees() {
            Trees::List(tree) | Trees::HashSmall(tree) => tree.bytes(pinned),
            Trees::HashLarge(tree) | Trees::SetLarge(tree) => tree.bytes(pinned),
            Trees::SetInts(tree) => tree.bytes(pinned),
            Trees::ZsetSmall(tree) => tree.bytes(pinned),
            Trees::ZsetLarge(tree, index) => {
                let (here, there) = (tree.view(pinned).len(), index.view(pinned).len());
                assert_eq!(here, there, "members in both orders");
                tree.bytes(pinned) + index.bytes(pinned)
            }
        };
    }
    bytes
}

fn command(space: &Keyspace, hand: &mut Hand<'_>, random: &mut Random) {
    let (name, other) = ([random.below(30) as u8], [random.below(30) as u8]);
    let (key, other) = (Key::of(&name), Key::of(&other));
    let mut writing = space.lock_keys([(0, key), (0, other)]);
    let text = vec![b'x'; random.below(100)];
    let element = random.below(60).to_string().into_bytes();
    let removes = random.below(4) == 0;
    let create = match random.below(40) {
        0 => Create::Anew,
        1..5 => Create::Never,
        _ => Create::IfAbsent,
    };
    match random.below(40) {
        0 => writing.put(hand, 0, key, &[&text], Some(5_000_000)),
        1 => {
            writing.remove(hand, 0, key);
        }
        2 => {
            writing.rename(hand, 0, key, other);
        }
        3 if key != other => {
            writing.copy(hand, (0, key), (0, other));
        }
        // An edit of a value of another type changes nothing.
        4..12 => {
            let edit = |list: &mut ListEdit<'_>| {
                for _ in 0..random.below(10) {
                    if removes {
                        list.pop_front();
                    } else {
                        list.push_back(&text);
                    }
                }
            };
            writing.list(hand, 0, key, create, edit).ok();
        }
        12..20 => {
            let edit = |hash: &mut HashEdit<'_>| {
                for _ in 0..random.below(10) {
                    let field = random.below(100).to_string();
                    if removes {
                        hash.remove(field.as_bytes());
                    } else {
                        hash.set(field.as_bytes(), &text);
                    }
                }
            };
            writing.hash(hand, 0, key, create, edit).ok();
        }
        20..28 => {
            let edit = |set: &mut SetEdit<'_>| {
                if removes {
                    set.remove(&element);
                } else if random.below(20) == 0 {
                    set.add(&text);
                } else {
                    set.add(&element);
                }
            };
            writing.set(hand, 0, key, create, edit).ok();
        }
        _ => {
            let edit = |zset: &mut ZsetEdit<'_>| {
                for _ in 0..random.below(10) {
                    let member = random.below(60).to_string();
                    let score = random.below(100) as f64;
                    if removes {
                        zset.remove(member.as_bytes());
                    } else {
                        let added = zset.add(member.as_bytes(), score, ZaddFlags::default());
                        assert!(added.is_ok());
                    }
                }
            };
            writing.zset(hand, 0, key, create, edit).ok();
        }
    }
}

#[test]
fn memory_is_counted_as_the_allocator_counts_it() {
    let seed = Random::new().number();
    eprintln!("seed {seed:#x}");
    let mut random = Random::seeded(seed);
    // SAFETY: one thread uses it, and frees at the end.
    let space = unsafe { Keyspace::new() };
    space.limits().set(Limit::HashEntries, 20);
    space.limits().set(Limit::SetInts, 20);
    space.limits().set(Limit::ZsetEntries, 20);
    let mut grave = Grave::default();
    let mut used = 0;
    for turn in 0..20_000 {
        let mut hand = Hand::new(&mut grave, 1_000_000);
        command(&space, &mut hand, &mut random);
        used += hand.memory;
        if turn % 50 == 0 {
            let (mut counted, mut bytes, mut mortal, mut cursor) = (0, 0, 0, 0);
            loop {
                // SAFETY: one thread uses the keyspace.
                let pinned = unsafe { Pinned::unprotected() };
                cursor = space.scan(0, cursor, 100, pinned, 0, |entry| {
                    bytes += entry.memory();
                    counted += recounted(entry);
                    mortal += usize::from(entry.deadline().is_some());
                });
                if cursor == 0 {
                    break;
                }
            }
            assert_eq!((bytes as i64, counted), (used, bytes));
            assert_eq!(space.with_deadline(0), mortal);
        }
    }
    let before = grave.bytes;
    let mut hand = Hand::new(&mut grave, 1_000_000);
    space.lock_databases([0]).clear(&mut hand, 0);
    assert_eq!(used + hand.memory, 0);
    assert!(grave.bytes >= before + used as usize, "all was retired");
}
