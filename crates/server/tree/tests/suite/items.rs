//! Items that are pointers: a writer retires what they lead to after the commit that removed them.
#![expect(unsafe_code, reason = "the test promises what programs promise")]

use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use perflab_rcu::{Limbo, OwnQsbr, Pinned, as_reader};
use perflab_tree::Tree;

use crate::readers::LIMITS;

/// A pointer to a box.
#[derive(Clone, Copy)]
struct Item(NonNull<[u64; 4]>);

// SAFETY: threads read what it leads to, and one frees it.
unsafe impl Send for Item {}
// SAFETY: as above.
unsafe impl Sync for Item {}

impl Item {
    fn new(number: u64) -> Self {
        Self(NonNull::from(Box::leak(Box::new([number; 4]))))
    }
}

/// Overwrites a box, and frees it.
///
/// # Safety
/// The object was an item's, and nobody uses it any more.
unsafe fn free(object: *mut u8) {
    // SAFETY: as the caller promises.
    let mut numbers = unsafe { Box::from_raw(object.cast::<[u64; 4]>()) };
    *numbers = [u64::MAX; 4];
    drop(std::hint::black_box(numbers));
}

#[test]
fn readers_of_a_queue_follow_its_items() {
    // SAFETY: only OwnQsbr is used.
    let mut tree = unsafe { Tree::<Item>::new() };
    let is_over = AtomicBool::new(false);
    let mut limbo: Limbo<OwnQsbr> = Limbo::new(LIMITS);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                as_reader::<OwnQsbr, _>(|reader| {
                    while !is_over.load(Ordering::Relaxed) {
                        let section = reader.enter();
                        check(&tree, Pinned::by(&section));
                        drop(section);
                        reader.quiescent();
                    }
                })
                .unwrap();
            });
        }
        let begin = Instant::now();
        let mut number = 0;
        while begin.elapsed() < Duration::from_secs(1) {
            // SAFETY: only this thread edits.
            let mut edit = unsafe { tree.edit() };
            let mut removed = Vec::new();
            edit.push_back(Item::new(number));
            number += 1;
            if edit.len() > 300 {
                edit.remove_range(..edit.len() - 200, |item| removed.push(item));
            }
            edit.commit(&mut limbo);
            for item in removed {
                let object = item.0.as_ptr().cast();
                // SAFETY: the commit unlinked it, and nobody else retires it.
                unsafe { limbo.retire_raw(object, size_of::<[u64; 4]>(), free) };
            }
            limbo.relieve_alone().unwrap();
        }
        is_over.store(true, Ordering::Relaxed);
    });
    limbo.drain().unwrap();
    // SAFETY: nobody else has the tree.
    tree.drain(|item| unsafe { free(item.0.as_ptr().cast()) });
}

/// Numbers grow by one from item to item.
fn check(tree: &Tree<Item>, pinned: Pinned<'_>) {
    let mut expected = None;
    for item in tree.view(pinned).iter(..) {
        // SAFETY: it is freed after the section only.
        let numbers = unsafe { item.0.read() };
        let number = expected.unwrap_or(numbers[0]);
        assert_eq!(numbers, [number; 4]);
        expected = Some(number + 1);
    }
}
