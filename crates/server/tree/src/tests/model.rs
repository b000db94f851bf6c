//! A tree is a vector, whatever is done to it.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::kept::Kept;
use super::{alone, invariants};
use crate::{Edit, Tree, View};

/// A tree, and the vector that it must be.
pub struct Pair {
    pub tree: Tree<u64>,
    pub model: Vec<u64>,
    pub limbo: Kept,
    /// The sum of what commits returned.
    pub bytes: isize,
    pub random: ChaCha8Rng,
    next: u64,
    is_growing: bool,
}

impl Pair {
    pub fn new(seed: u64) -> Self {
        Self {
            tree: alone::new(),
            model: Vec::new(),
            limbo: Kept::default(),
            bytes: 0,
            random: ChaCha8Rng::seed_from_u64(seed),
            next: 0,
            is_growing: true,
        }
    }

    /// One edit with several changes, which is committed or dropped. `look` sees the state after each change. The tree
    /// has between `range.0` and `range.1` items most of the time.
    pub fn round(&mut self, range: (usize, usize), mut look: impl FnMut(View<'_, u64>, &[u64])) {
        let mut edit = alone::edit(&self.tree);
        let mut model = self.model.clone();
        let changes = match self.random.random_range(0..4) {
            0..3 => self.random.random_range(1..4),
            _ => self.random.random_range(0..30),
        };
        for _ in 0..changes {
            if model.len() <= range.0 {
                self.is_growing = true;
            } else if model.len() >= range.1 {
                self.is_growing = false;
            }
            let growth = if self.is_growing { 0.7 } else { 0.3 };
            change(
                &mut edit,
                &mut model,
                growth,
                &mut self.random,
                &mut self.next,
            );
            look(edit.view(), &model);
        }
        if self.random.random_bool(0.9) {
            self.bytes += edit.commit(&mut self.limbo);
            self.model = model;
        }
        look(alone::view(&self.tree), &self.model);
    }
}

/// Changes both: to more items with a probability of `growth`.
pub fn change(
    edit: &mut Edit<'_, u64>,
    model: &mut Vec<u64>,
    growth: f64,
    random: &mut ChaCha8Rng,
    next: &mut u64,
) {
    if random.random_bool(growth) {
        grow(edit, model, random, next);
    } else {
        shrink(edit, model, random);
    }
    if random.random_bool(0.2) {
        replace(edit, model, random, next);
    }
    assert_eq!(edit.len(), model.len());
}

/// A new item.
fn item(next: &mut u64) -> u64 {
    *next += 1;
    *next
}

fn grow(edit: &mut Edit<'_, u64>, model: &mut Vec<u64>, random: &mut ChaCha8Rng, next: &mut u64) {
    match random.random_range(0..8) {
        0..3 => {
            let (position, item) = (random.random_range(0..=model.len()), item(next));
            edit.insert(position, item);
            model.insert(position, item);
        }
        3..5 => {
            let item = item(next);
            edit.push_front(item);
            model.insert(0, item);
        }
        5..7 => {
            let item = item(next);
            edit.push_back(item);
            model.push(item);
        }
        _ => {
            let most = if random.random_bool(0.5) { 10 } else { 400 };
            let len = random.random_range(0..most);
            let items: Vec<u64> = (0..len).map(|_| item(next)).collect();
            edit.extend_back(items.iter().copied());
            model.extend(items);
        }
    }
}

fn shrink(edit: &mut Edit<'_, u64>, model: &mut Vec<u64>, random: &mut ChaCha8Rng) {
    match random.random_range(0..24) {
        0..8 => {
            let position = random.random_range(0..=model.len());
            let expected = (position < model.len()).then(|| model.remove(position));
            assert_eq!(edit.remove(position), expected);
        }
        8..14 => {
            let expected = (!model.is_empty()).then(|| model.remove(0));
            assert_eq!(edit.pop_front(), expected);
        }
        14..20 => assert_eq!(edit.pop_back(), model.pop()),
        20..23 => {
            let begin = random.random_range(0..=model.len());
            let most = match random.random_range(0..3) {
                0 => 12,
                1 => 100,
                _ => model.len() + 10,
            };
            let end = begin + random.random_range(0..most);
            let mut taken = Vec::new();
            edit.remove_range(begin..end, |item| taken.push(item));
            let cut = end.min(model.len());
            assert_eq!(taken, model.drain(begin..cut).collect::<Vec<u64>>());
        }
        _ if random.random_bool(0.1) => {
            let mut taken = Vec::new();
            edit.clear(|item| taken.push(item));
            assert_eq!(taken, *model);
            model.clear();
        }
        _ => {}
    }
}

fn replace(edit: &mut Edit<'_, u64>, model: &mut [u64], random: &mut ChaCha8Rng, next: &mut u64) {
    let (position, item) = (random.random_range(0..=model.len()), item(next));
    let expected = model
        .get_mut(position)
        .map(|before| std::mem::replace(before, item));
    assert_eq!(edit.replace(position, item), expected);
}

/// Compares all that a view says with the vector.
fn compare(view: View<'_, u64>, model: &[u64], random: &mut ChaCha8Rng) {
    invariants::check(view);
    assert_eq!(
        (view.len(), view.is_empty()),
        (model.len(), model.is_empty())
    );
    assert!(view.iter(..).eq(model.iter().copied()));
    assert!(view.iter(..).rev().eq(model.iter().rev().copied()));
    let begin = random.random_range(0..=model.len());
    let end = random.random_range(begin..=model.len());
    let part = &model[begin..end];
    let chunks: Vec<&[u64]> = view.chunks(begin..end).collect();
    assert!(chunks.iter().all(|chunk| !chunk.is_empty()));
    assert_eq!(chunks.concat(), part);
    let chunks: Vec<&[u64]> = view.chunks(begin..end).rev().collect();
    assert_eq!(
        chunks.iter().rev().copied().collect::<Vec<_>>().concat(),
        part
    );
    assert_eq!(view.get(begin), model.get(begin).copied());
    let (mut items, mut expected) = (view.iter(begin..end), part.iter().copied());
    for _ in 0..part.len().min(50) {
        assert_eq!(items.len(), expected.len());
        if random.random_bool(0.5) {
            assert_eq!(items.next(), expected.next());
        } else {
            assert_eq!(items.next_back(), expected.next_back());
        }
    }
    assert!(items.eq(expected));
}

fn run(seed: u64, rounds: usize, range: (usize, usize)) {
    println!("seed {seed}, {rounds} rounds, {range:?} items");
    let mut pair = Pair::new(seed);
    let mut checks = ChaCha8Rng::seed_from_u64(!seed);
    for _ in 0..rounds {
        pair.round(range, |view, model| compare(view, model, &mut checks));
        assert_eq!(pair.bytes, alone::view(&pair.tree).bytes() as isize);
        if checks.random_bool(0.3) {
            pair.limbo.free();
        }
    }
    let mut taken = Vec::new();
    let bytes = pair.tree.drain(|item| taken.push(item));
    assert_eq!((taken, bytes as isize), (pair.model, pair.bytes));
    assert!(alone::view(&pair.tree).is_empty());
}

/// Fewer rounds where each takes long.
fn rounds(rounds: usize) -> usize {
    if cfg!(miri) { rounds / 100 } else { rounds }
}

#[test]
fn a_small_tree_is_a_vector() {
    for seed in 0..4 {
        run(seed, rounds(1500), (0, 60));
    }
}

#[test]
fn a_tree_is_a_vector() {
    for seed in 10..14 {
        run(seed, rounds(300), (0, 1500));
    }
}

#[test]
fn a_large_tree_is_a_vector() {
    run(20, rounds(200), (4000, 9000));
}

#[test]
fn ranges_are_cut_to_what_is_there() {
    let mut limbo = Kept::default();
    let tree = alone::new();
    let mut edit = alone::edit(&tree);
    edit.extend_back(0..100_u32);
    edit.commit(&mut limbo);
    let view = alone::view(&tree);
    assert_eq!(view.iter(98..).collect::<Vec<u32>>(), [98, 99]);
    assert_eq!(view.iter(..=1).collect::<Vec<u32>>(), [0, 1]);
    assert_eq!(view.iter(99..1000).collect::<Vec<u32>>(), [99]);
    assert_eq!(view.iter(0..=usize::MAX).len(), 100);
    #[expect(clippy::reversed_empty_ranges, reason = "callers may compute it")]
    let reversed = 5..3;
    for range in [100..100, 100..200, 200..300, reversed] {
        assert_eq!(view.iter(range.clone()).next(), None);
        assert_eq!(view.chunks(range.clone()).next_back(), None);
        let mut edit = alone::edit(&tree);
        edit.remove_range(range, |_| panic!("nothing is removed"));
        assert_eq!(edit.commit(&mut limbo), 0);
    }
    assert_eq!((view.get(100), view.get(usize::MAX)), (None, None));
}

#[test]
fn an_edit_without_changes_replaces_nothing() {
    let mut limbo = Kept::default();
    let tree = alone::new();
    assert_eq!(alone::edit(&tree).commit(&mut limbo), 0);
    let mut edit = alone::edit(&tree);
    edit.extend_back([]);
    assert_eq!((edit.pop_back(), edit.remove(0)), (None, None));
    assert_eq!(edit.replace(0, 1_u8), None);
    edit.push_back(1);
    assert_eq!(edit.pop_front(), Some(1));
    edit.clear(|_| panic!("it is empty"));
    assert_eq!((edit.commit(&mut limbo), limbo.objects()), (0, 0));
}

#[test]
#[should_panic(expected = "position 1 of 0 items")]
fn an_item_is_not_inserted_behind_the_end() {
    alone::edit(&alone::new()).insert(1, 'x');
}

#[test]
fn items_need_no_memory() {
    let tree = alone::new();
    let mut edit = alone::edit(&tree);
    edit.extend_back(std::iter::repeat_n((), 1000));
    edit.push_front(());
    edit.remove_range(10..20, drop);
    edit.commit(&mut Kept::default());
    assert_eq!(alone::view(&tree).iter(..).count(), 991);
    invariants::check(alone::view(&tree));
}
