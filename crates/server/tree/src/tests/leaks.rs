//! What is allocated is freed once, and bytes are counted as they are allocated.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::allocator::{Counts, counts};
use super::kept::Kept;
use super::model::Pair;
use super::{alone, invariants};

/// Executes something that leaves nothing allocated.
#[track_caller]
fn leaves_nothing(work: impl FnOnce()) {
    let before = counts();
    work();
    let Counts { alive, bytes, .. } = counts();
    assert_eq!((alive, bytes), (before.alive, before.bytes));
}

#[test]
fn all_nodes_are_freed() {
    for seed in 30..34 {
        println!("seed {seed}");
        leaves_nothing(|| {
            let mut pair = Pair::new(seed);
            let rounds = if cfg!(miri) { 20 } else { 500 };
            for round in 0..rounds {
                pair.round((0, 1000), |_, _| ());
                if round % 7 == 0 {
                    pair.limbo.free();
                }
            }
        });
    }
}

#[test]
fn bytes_are_those_that_were_allocated() {
    let (tree, mut limbo) = (alone::new(), Kept::default());
    let mut bytes = 0;
    let before = counts();
    for size in [1, 1, 30, 1, 1000, 1] {
        let mut edit = alone::edit(&tree);
        for item in 0..size {
            edit.push_front(item);
        }
        bytes += edit.commit(&mut limbo);
        assert_eq!(alone::view(&tree).bytes() as isize, bytes);
    }
    let mut edit = alone::edit(&tree);
    edit.remove_range(100..900, drop);
    bytes += edit.commit(&mut limbo);
    drop(limbo);
    let allocated = counts().bytes - before.bytes;
    assert_eq!(
        (bytes as i64, bytes as usize),
        (allocated, alone::view(&tree).bytes())
    );
    let mut edit = alone::edit(&tree);
    edit.clear(drop);
    let mut limbo = Kept::default();
    assert_eq!(edit.commit(&mut limbo), -bytes);
    assert_eq!(limbo.bytes() as isize, bytes);
}

#[test]
fn a_small_tree_has_few_bytes() {
    assert_eq!(size_of_val(&alone::new::<u64>()), size_of::<usize>());
    let bytes = [1_usize, 2, 10].map(|items| {
        let tree = alone::new();
        let mut edit = alone::edit(&tree);
        for item in 0..items {
            edit.push_back(item);
        }
        edit.commit(&mut Kept::default());
        alone::view(&tree).bytes()
    });
    assert_eq!(bytes[..2], [24, 24]);
    assert!(bytes[2] <= 168, "{bytes:?}");
}

#[test]
fn dropped_edits_leave_nothing() {
    let (tree, mut limbo) = (alone::new(), Kept::default());
    let mut edit = alone::edit(&tree);
    edit.extend_back(0..5000_u64);
    edit.commit(&mut limbo);
    leaves_nothing(|| {
        let mut edit = alone::edit(&tree);
        edit.extend_back(0..1000);
        edit.remove_range(10..3000, drop);
        edit.push_front(1);
        drop(edit);
        let mut edit = alone::edit(&tree);
        edit.clear(drop);
        edit.extend_back(0..100);
        drop(edit);
    });
    assert_eq!(limbo.objects(), 0);
    assert!(alone::view(&tree).iter(..).eq(0..5000));
}

/// Panics at the third item, without a message: that would be allocated.
fn third(count: &mut u64) {
    *count += 1;
    if *count == 3 {
        resume_unwind(Box::new("planted"));
    }
}

#[test]
fn a_panic_of_the_caller_leaves_an_edit_as_it_was() {
    leaves_nothing(|| {
        let (tree, mut limbo) = (alone::new(), Kept::default());
        let mut edit = alone::edit(&tree);
        edit.extend_back(0..100_u64);
        let panics: [fn(&mut crate::Edit<'_, u64>, &mut u64); 3] = [
            |edit, count| edit.remove_range(10..90, |_| third(count)),
            |edit, count| edit.clear(|_| third(count)),
            |edit, count| edit.extend_back((0..200).inspect(|_| third(count))),
        ];
        for panic in panics {
            let mut count = 0;
            let outcome = catch_unwind(AssertUnwindSafe(|| panic(&mut edit, &mut count)));
            assert!(outcome.is_err());
            invariants::check(edit.view());
            assert!(edit.view().iter(..).eq(0..100));
        }
        edit.commit(&mut limbo);
        assert!(alone::view(&tree).iter(..).eq(0..100));
    });
}
