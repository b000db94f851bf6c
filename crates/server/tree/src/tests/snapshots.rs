//! A view shows what was there when it was made.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::kept::Kept;
use super::{alone, model};

#[test]
fn later_edits_do_not_change_a_view() {
    for seed in 0..3 {
        println!("seed {seed}");
        let (mut random, mut next) = (ChaCha8Rng::seed_from_u64(seed), 0);
        let (tree, mut limbo) = (alone::new(), Kept::default());
        let mut last = Vec::new();
        let mut snapshots = Vec::new();
        let rounds = if cfg!(miri) { 20 } else { 300 };
        for round in 0..rounds {
            let (mut edit, mut items) = (alone::edit(&tree), last.clone());
            for _ in 0..random.random_range(1..10) {
                let growth = if items.len() < 1000 { 0.6 } else { 0.1 };
                model::change(&mut edit, &mut items, growth, &mut random, &mut next);
            }
            // An edit in progress does not change it either, nor does one that is dropped.
            assert!(alone::view(&tree).iter(..).eq(last.iter().copied()));
            if round % 5 > 0 {
                edit.commit(&mut limbo);
                last = items;
            } else {
                drop(edit);
            }
            snapshots.push((alone::view(&tree), last.clone()));
            let (view, items) = &snapshots[random.random_range(0..snapshots.len())];
            assert!(view.iter(..).eq(items.iter().copied()));
        }
        for (view, items) in snapshots {
            assert!(view.iter(..).eq(items));
        }
        limbo.free();
        assert!(alone::view(&tree).iter(..).eq(last));
    }
}

#[test]
fn views_of_one_state_are_the_same_and_others_are_not() {
    let (tree, mut limbo) = (alone::new(), Kept::default());
    let empty = alone::view(&tree);
    let mut views = vec![empty];
    for number in 0..100u32 {
        let mut edit = alone::edit(&tree);
        edit.push_back(number);
        edit.commit(&mut limbo);
        let view = alone::view(&tree);
        // An edit that changes nothing makes no state.
        alone::edit(&tree).commit(&mut limbo);
        assert!(view.is_same(&alone::view(&tree)));
        assert!(views.iter().all(|other| !view.is_same(other)));
        views.push(view);
    }
    alone::edit(&tree).clear(drop);
    assert!(empty.is_same(&views[0]) && !empty.is_same(&views[1]));
}
