//! Interleavings of a reader and the writer of a shard, with the table's own code and small segments: those with at
//! most 3 preemptions, which are switches from a thread that could go on. Two models have a fault, which they must find.
//!
//! What a writer retires is freed at the end: the models of `perflab-rcu` show when memory may be freed. Loom has no
//! single order of sequentially consistent operations. It takes them as acquire and release, so the models have more
//! behaviours than the table.
#![expect(dead_code, reason = "a part of the crate is included for it")]
#![expect(unsafe_code, reason = "entries come and go by their addresses")]

mod atomic;
mod sizes;

#[path = "../../src/bits.rs"]
mod bits;
#[path = "../../src/entry.rs"]
mod entry;
#[path = "../../src/growth.rs"]
mod growth;
#[path = "../../src/prefetch.rs"]
mod prefetch;
#[path = "../../src/root.rs"]
mod root;
#[path = "../../src/segment.rs"]
mod segment;
#[path = "../../src/slot.rs"]
mod slot;
#[path = "../../src/tally.rs"]
mod tally;
#[path = "../../src/word.rs"]
mod word;
#[path = "../../src/writer.rs"]
mod writer;

use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::rc::Rc;

use atomic::{FAULT, Fault};
use entry::Entry;
use loom::cell::UnsafeCell;
use loom::thread;
use perflab_rcu::{Pinned, Retire};
use root::Root;
use segment::Segment;
use tally::Tally;
use writer::Writer;

/// A key with a version, which the writer writes before it puts the item in.
struct Item {
    key: [u8; 1],
    version: UnsafeCell<u64>,
}

// SAFETY: all threads of a model are executed by one real thread. Loom checks the accesses to the version.
unsafe impl Send for Item {}
// SAFETY: as above.
unsafe impl Sync for Item {}

// SAFETY: nothing changes the key.
unsafe impl Entry for Item {
    fn hash(&self) -> u64 {
        hash(self.key[0])
    }

    fn key(&self) -> &[u8] {
        &self.key
    }
}

/// The two lowest bits of a key are its place in a directory of depth 2: `d` 0, `a` 1, `b` 2, `c` 3. Then it goes on:
/// `h` 0, `e` 1, `f` 2, `i` 1, `m` 1, `q` 1.
fn hash(key: u8) -> u64 {
    u64::from(key & 3) << 54 | u64::from(key)
}

/// Frees an object.
type Free = unsafe fn(*mut u8);

/// What was retired, until the end.
#[derive(Default)]
struct Kept(Vec<(*mut u8, Free)>);

impl Retire for Kept {
    unsafe fn retire_raw(&mut self, object: *mut u8, _: usize, free: unsafe fn(*mut u8)) {
        self.0.push((object, free));
    }
}

impl Kept {
    fn keep(&mut self, item: Option<NonNull<Item>>) {
        /// # Safety
        /// It comes from a box, and nobody uses it any more.
        unsafe fn free(item: *mut u8) {
            // SAFETY: as the caller promises.
            drop(unsafe { Box::from_raw(item.cast::<Item>()) });
        }
        self.0
            .extend(item.map(|item| (item.as_ptr().cast::<u8>(), free as unsafe fn(*mut u8))));
    }

    fn free(self) {
        for (object, free) in self.0 {
            // SAFETY: there are no threads any more, and each object comes once.
            unsafe { free(object) };
        }
    }
}

/// A shard.
struct World {
    /// If a model fails, it is not dropped: that would be an operation outside of the model.
    root: ManuallyDrop<Root<Item>>,
    tally: Tally,
}

impl World {
    /// The version of a key, as a reader sees it.
    fn get(&self, key: u8) -> Option<u64> {
        // SAFETY: nothing is freed before the end.
        let pinned = unsafe { Pinned::unprotected() };
        let segment = self.root.read(pinned).segment(hash(key));
        let (_, item) = segment.find(hash(key), &[key])?;
        // SAFETY: loom finds it if somebody writes at the same time.
        Some(item.version.with(|version| unsafe { *version }))
    }

    /// The same of a key that is always there.
    fn present(&self, key: u8) -> u64 {
        let version = self.get(key);
        version.unwrap_or_else(|| panic!("{} is absent", key as char))
    }

    fn write(&self, kept: Kept) -> Hand<'_> {
        Hand {
            // SAFETY: only one thread writes at a time.
            writer: unsafe { Writer::new(&self.root, &self.tally) },
            kept,
        }
    }
}

/// The writer, and what it has retired.
struct Hand<'w> {
    writer: Writer<'w, Item>,
    kept: Kept,
}

impl Hand<'_> {
    fn insert(&mut self, key: u8, version: u64) {
        let item = Box::new(Item {
            key: [key],
            version: UnsafeCell::new(0),
        });
        // SAFETY: nobody else has it yet.
        item.version.with_mut(|cell| unsafe { *cell = version });
        let item = NonNull::from(Box::leak(item));
        // SAFETY: it is freed at the end.
        let replaced = unsafe { self.writer.insert(item, &mut self.kept) };
        self.kept.keep(replaced);
    }

    fn remove(&mut self, key: u8) {
        let removed = self.writer.remove(hash(key), &[key]);
        self.kept.keep(removed);
    }

    fn take(&mut self) {
        let taken = self.writer.detach();
        for slot in taken.segments().flat_map(Segment::slots) {
            self.kept.keep(slot.address());
        }
        for segment in taken.segments() {
            // SAFETY: the root leads to another directory, and each segment comes once.
            unsafe { segment.retire(&mut self.kept) };
        }
        // SAFETY: as above.
        unsafe { taken.retire(&mut self.kept) };
    }
}

/// Plays a reader and a writer of a shard that has these keys with version 1.
fn play(keys: &'static [u8], writes: fn(&mut Hand<'_>), reads: fn(&World)) {
    play_with(None, keys, writes, reads);
}

fn play_with(
    fault: Option<Fault>,
    keys: &'static [u8],
    writes: fn(&mut Hand<'_>),
    reads: fn(&World),
) {
    FAULT.set(fault);
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.max_branches = 10_000;
    model.check(move || {
        // Its threads are executed by one real thread, so a count of references needs to be no atomic one.
        let world = Rc::new(World {
            root: ManuallyDrop::new(Root::new()),
            tally: Tally::new(Root::<Item>::EMPTY_BYTES),
        });
        let mut hand = world.write(Kept::default());
        for key in keys {
            hand.insert(*key, 1);
        }
        let kept = hand.kept;
        let reader = {
            let world = Rc::clone(&world);
            thread::spawn(move || reads(&world))
        };
        let writer = {
            let world = Rc::clone(&world);
            thread::spawn(move || {
                let mut hand = world.write(kept);
                writes(&mut hand);
                hand.kept
            })
        };
        reader.join().unwrap();
        let mut kept = writer.join().unwrap();

        let mut hand = world.write(Kept::default());
        hand.writer.retain(|_| false, |item| kept.keep(Some(item)));
        assert_eq!(world.tally.entries(), 0);
        kept.free();
        let world = Rc::into_inner(world).unwrap();
        drop(ManuallyDrop::into_inner(world.root));
    });
}

/// Replaces a key, and lets another one go and come.
fn replaces(hand: &mut Hand<'_>) {
    hand.insert(b'a', 2);
    hand.remove(b'b');
    hand.insert(b'a', 3);
    hand.insert(b'b', 2);
}

/// `a` is always there, and its version grows.
fn sees_a_grow(world: &World) {
    let before = world.present(b'a');
    assert!(before <= world.present(b'a'));
}

/// `b` has version 1, is absent, and has version 2, in this order.
fn sees_b_go_and_come(world: &World) {
    let stage = |version| match version {
        Some(1) => 0,
        None => 1,
        _ => 2,
    };
    let before = stage(world.get(b'b'));
    assert!(before <= stage(world.get(b'b')));
}

#[test]
fn a_replaced_key_is_never_absent() {
    play(b"ab", replaces, sees_a_grow);
}

#[test]
fn a_removed_key_is_absent_until_it_comes_back() {
    play(b"ab", replaces, sees_b_go_and_come);
}

/// A key that keeps its slot is found while others leave their slots and get them again.
#[test]
fn a_neighbour_is_found_while_slots_are_used_again() {
    play(
        b"ab",
        |hand| {
            hand.remove(b'b');
            hand.insert(b'c', 1);
            hand.remove(b'c');
            hand.insert(b'd', 1);
        },
        sees_a_grow,
    );
}

/// A key that came stays.
fn sees_come(world: &World, key: u8) {
    let before = world.get(key).is_some();
    assert!(!before || world.get(key).is_some());
}

/// W4.2: the directory gets deeper, and the key is replaced in its new segment.
fn splits(hand: &mut Hand<'_>) {
    hand.insert(b'b', 1);
    hand.insert(b'a', 2);
}

#[test]
fn a_split_that_deepens_the_directory() {
    play(b"ad", splits, sees_a_grow);
    play(b"ad", splits, |world| sees_come(world, b'b'));
    // Two steps deeper at once.
    play(
        b"ae",
        |hand| {
            hand.insert(b'd', 1);
            hand.insert(b'a', 2);
        },
        sees_a_grow,
    );
}

#[test]
fn a_reader_with_an_old_directory() {
    // The directory is replaced twice.
    play(
        b"ad",
        |hand| {
            hand.insert(b'b', 1);
            hand.insert(b'h', 1);
            hand.insert(b'a', 2);
        },
        sees_a_grow,
    );
}

#[test]
fn a_split_within_the_directory() {
    // `b`, `c` and `f` made a directory of depth 2, where the segment of `a` and `d` has two places.
    let writes: fn(&mut Hand<'_>) = |hand| {
        hand.insert(b'h', 1);
        hand.insert(b'a', 2);
    };
    play(b"adbcf", writes, sees_a_grow);
    play(b"adbcf", writes, |world| sees_come(world, b'h'));
}

#[test]
fn a_chain_gets_longer() {
    let writes: fn(&mut Hand<'_>) = |hand| {
        hand.insert(b'q', 1);
        hand.insert(b'a', 2);
    };
    play(b"aeim", writes, sees_a_grow);
    play(b"aeim", writes, |world| sees_come(world, b'q'));
    play(b"aeim", writes, |world| {
        world.present(b'm');
    });
}

#[test]
fn a_segment_becomes_a_chain() {
    let writes: fn(&mut Hand<'_>) = |hand| {
        hand.insert(b'i', 1);
        hand.insert(b'a', 2);
    };
    play(b"ae", writes, sees_a_grow);
    play(b"ae", writes, |world| sees_come(world, b'i'));
}

#[test]
fn a_shard_is_emptied_and_filled_again() {
    play(
        b"ab",
        |hand| {
            hand.take();
            hand.insert(b'b', 2);
        },
        sees_b_go_and_come,
    );
}

#[test]
#[should_panic(expected = "Causality violation")]
fn relaxed_stores_are_found() {
    play_with(Some(Fault::StoresRelaxed), b"ab", replaces, sees_a_grow);
}

#[test]
#[should_panic(expected = "a is absent")]
fn a_replacement_in_two_steps_is_found() {
    play_with(Some(Fault::SwapsInTwoSteps), b"ab", replaces, sees_a_grow);
}
