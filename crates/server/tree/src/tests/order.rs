//! Searches find what they find in a slice.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::alone;
use super::kept::Kept;

#[test]
fn positions_are_those_of_a_sorted_slice() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for size in [
        0,
        1,
        2,
        31,
        32,
        33,
        400,
        if cfg!(miri) { 500 } else { 20_000 },
    ] {
        let (tree, mut limbo) = (alone::new(), Kept::default());
        let mut items: Vec<u32> = Vec::new();
        let mut edit = alone::edit(&tree);
        for _ in 0..size {
            // Some are equal.
            let item = 2 * random.random_range(0..size);
            let position = edit.view().partition_point(|other| *other < item);
            assert_eq!(position, items.partition_point(|other| *other < item));
            edit.insert(position, item);
            items.insert(position, item);
        }
        edit.commit(&mut limbo);
        let view = alone::view(&tree);
        for wanted in (0..2 * size + 3).step_by(if cfg!(miri) { 50 } else { 1 }) {
            let found = view.position_by(|item| item.cmp(&wanted));
            match items.binary_search(&wanted) {
                Ok(_) => assert_eq!(view.get(found.unwrap()), Some(wanted)),
                Err(position) => assert_eq!(found, Err(position)),
            }
            for point in [wanted, wanted.saturating_add(1)] {
                let expected = items.partition_point(|item| *item < point);
                assert_eq!(view.partition_point(|item| *item < point), expected);
            }
        }
    }
}

#[test]
fn a_search_compares_few_items() {
    let size: usize = if cfg!(miri) { 1000 } else { 1_000_000 };
    let tree = alone::new();
    let mut edit = alone::edit(&tree);
    edit.extend_back(0..size);
    edit.commit(&mut Kept::default());
    let most = 2 * size.ilog2();
    for wanted in (0..size).step_by(997) {
        let mut compared = 0;
        let found = alone::view(&tree).position_by(|item| {
            compared += 1;
            item.cmp(&wanted)
        });
        assert_eq!(found, Ok(wanted));
        assert!(compared <= most, "{compared} comparisons");
    }
}

#[test]
fn an_order_that_is_none_finds_some_position() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let tree = alone::new();
    let mut edit = alone::edit(&tree);
    edit.extend_back(0..1000_u32);
    edit.commit(&mut Kept::default());
    for _ in 0..1000 {
        let (Ok(position) | Err(position)) =
            alone::view(&tree).position_by(|_| random.random_range(0..2_u8).cmp(&1));
        assert!(position <= 1000);
        assert!(alone::view(&tree).partition_point(|_| random.random_bool(0.5)) <= 1000);
    }
}
