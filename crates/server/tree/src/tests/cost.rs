//! An edit makes few nodes, and nodes are well filled.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::allocator::counts;
use super::kept::Kept;
use super::{alone, invariants};
use crate::{Edit, Tree};

/// Items of a large tree.
const MANY: usize = if cfg!(miri) { 3000 } else { 1_000_000 };
/// Edits of a kind.
const EDITS: usize = if cfg!(miri) { 50 } else { 5000 };
/// Levels of a large tree at most, whatever was done to it: leaves with a quarter of their items, and 4 children.
const LEVELS: usize = 10;

/// Executes edits, each with one change. Returns how many nodes each makes at most, and altogether.
fn made(
    tree: &Tree<usize>,
    mut change: impl FnMut(&mut Edit<'_, usize>) -> Option<usize>,
) -> (usize, usize) {
    let mut limbo = Kept::default();
    let (mut most, mut all) = (0, 0);
    for _ in 0..EDITS {
        let mut edit = alone::edit(tree);
        let before = counts();
        change(&mut edit);
        let made = (counts().made - before.made) as usize;
        edit.commit(&mut limbo);
        limbo.free();
        (most, all) = (most.max(made), all + made);
    }
    (most, all)
}

#[test]
fn an_edit_of_a_large_tree_makes_few_nodes() {
    let (tree, mut limbo) = (alone::new(), Kept::default());
    let mut edit = alone::edit(&tree);
    edit.extend_back(0..MANY);
    edit.commit(&mut limbo);
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut place = || random.random_range(0..MANY - EDITS);
    let change = |name: &str, change: &mut dyn FnMut(&mut Edit<'_, usize>) -> Option<usize>| {
        let (most, all) = made(&tree, change);
        let levels = invariants::check(alone::view(&tree));
        println!("{name}: {levels} levels, {most} nodes at most, {all} in {EDITS} edits");
        assert!(levels <= LEVELS);
        // Two for each level that is split or has a neighbour, and a root.
        assert!(most <= 3 * levels + 1, "{name}");
        assert!(all <= (levels + 2) * EDITS, "{name}");
    };
    change("insert", &mut |edit| {
        edit.insert(place(), 0);
        None
    });
    change("remove", &mut |edit| edit.remove(place()));
    change("replace", &mut |edit| edit.replace(place(), 0));
    change("push_front", &mut |edit| {
        edit.push_front(1);
        None
    });
    change("pop_front", &mut |edit| edit.pop_front());
    change("push_back", &mut |edit| {
        edit.push_back(1);
        None
    });
    change("pop_back", &mut |edit| edit.pop_back());
}

#[test]
fn a_large_range_costs_its_own_nodes() {
    let (tree, mut limbo) = (alone::new(), Kept::default());
    let mut edit = alone::edit(&tree);
    edit.extend_back(0..MANY);
    edit.commit(&mut limbo);
    let levels = invariants::check(alone::view(&tree)) as i64;
    let (begin, end) = (MANY / 10 + 3, MANY / 10 * 9 - 5);
    let before = counts();
    let mut edit = alone::edit(&tree);
    let mut next = begin;
    edit.remove_range(begin..end, |item| {
        assert_eq!(item, next);
        next += 1;
    });
    edit.commit(&mut limbo);
    let made = counts().made - before.made;
    // The lists of what was replaced are allocated, too.
    assert!(made <= 20 * levels + 30, "{made}");
    assert_eq!(alone::view(&tree).len(), MANY - (end - begin));
    invariants::check(alone::view(&tree));
}

#[test]
fn what_grows_at_its_end_has_full_nodes() {
    let bytes_of = |grow: &mut dyn FnMut(&Tree<usize>, &mut Kept)| {
        let (tree, mut limbo) = (alone::new(), Kept::default());
        grow(&tree, &mut limbo);
        invariants::check(alone::view(&tree));
        alone::view(&tree).bytes() as f64 / alone::view(&tree).len() as f64
    };
    let bulk = bytes_of(&mut |tree, limbo| {
        let mut edit = alone::edit(tree);
        edit.extend_back(0..MANY);
        edit.commit(limbo);
    });
    let pieces = bytes_of(&mut |tree, limbo| {
        for begin in (0..MANY / 20).step_by(100) {
            let mut edit = alone::edit(tree);
            edit.extend_back(begin..begin + 100);
            edit.commit(limbo);
        }
    });
    let single = bytes_of(&mut |tree, limbo| {
        for item in 0..MANY / 20 {
            let mut edit = alone::edit(tree);
            edit.push_back(item);
            edit.commit(limbo);
            limbo.free();
        }
    });
    let front = bytes_of(&mut |tree, limbo| {
        for item in 0..MANY / 20 {
            let mut edit = alone::edit(tree);
            edit.push_front(item);
            edit.commit(limbo);
            limbo.free();
        }
    });
    println!("bytes of an item of 8: {bulk:.2}, {pieces:.2}, {single:.2}, {front:.2}");
    assert!(
        [bulk, pieces, single, front]
            .iter()
            .all(|bytes| *bytes < 10.5)
    );
}

#[test]
fn a_queue_stays_small() {
    let (tree, mut limbo) = (alone::new(), Kept::default());
    let mut most = (0, 0);
    let times = if cfg!(miri) { 300 } else { 1_000_000 };
    for item in 0..times {
        let mut edit = alone::edit(&tree);
        edit.push_back(item);
        if item >= 100 {
            assert_eq!(edit.pop_front(), Some(item - 100));
        }
        edit.commit(&mut limbo);
        limbo.free();
        if item % 127 == 0 {
            let view = alone::view(&tree);
            most = most.max((invariants::check(view), view.bytes()));
        }
    }
    assert!(most.0 <= 2 && most.1 <= 2000, "{most:?}");
    assert!(alone::view(&tree).iter(..).eq(times - 100..times));
}
