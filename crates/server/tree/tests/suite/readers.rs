//! Readers see a tree before a commit or after it, while a writer edits it.
#![expect(unsafe_code, reason = "the tests promise what programs promise")]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use perflab_rcu::{
    Choice, Flavour, Limbo, Limits, OwnMembarrier, OwnQsbr, Pinned, as_reader, with_flavour,
};
use perflab_testing::{not_checked, test_name};
use perflab_tree::{Edit, Tree, View};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// How long the writer edits.
const TIME: Duration = Duration::from_secs(2);
const READERS: u64 = 3;
/// Keys are less than this.
const KEYS: u64 = 3000;

/// Batches are small, so that nodes are freed soon.
pub const LIMITS: Limits = Limits {
    batch_bytes: 4 << 10,
    batch_objects: 16,
    most_bytes: 1 << 20,
    patience: Duration::from_secs(30),
};

/// The first item of a tree has the key 0, and the sum of the values of all others.
#[derive(Debug, Clone, Copy)]
struct Item {
    key: u64,
    value: u64,
}

#[test]
fn readers_of_quiescent_states_see_whole_commits() {
    see_whole_commits::<OwnQsbr>();
}

#[test]
fn readers_of_membarrier_see_whole_commits() {
    see_whole_commits::<OwnMembarrier>();
}

#[test]
fn readers_of_liburcu_see_whole_commits() {
    let loaded = Choice::new("memb").and_then(|choice| {
        with_flavour!(choice, F => F::load())?;
        Ok(choice)
    });
    match loaded {
        Ok(choice) => with_flavour!(choice, F => see_whole_commits::<F>()),
        Err(reason) => not_checked(&test_name(), &reason.to_string()),
    }
}

fn see_whole_commits<F: Flavour>() {
    // SAFETY: only the flavour F is used.
    let tree = unsafe { Tree::new() };
    let mut limbo: Limbo<F> = Limbo::new(LIMITS);
    // SAFETY: there are no other threads yet.
    let mut edit = unsafe { tree.edit() };
    edit.push_back(Item { key: 0, value: 0 });
    edit.commit(&mut limbo);
    let (is_over, views) = (AtomicBool::new(false), AtomicU64::new(0));
    let commits = thread::scope(|scope| {
        for seed in 0..READERS {
            let (tree, is_over, views) = (&tree, &is_over, &views);
            scope.spawn(move || read::<F>(tree, is_over, views, seed));
        }
        let commits = write(&tree, &mut limbo);
        is_over.store(true, Ordering::Relaxed);
        commits
    });
    limbo.drain().unwrap();
    let views = views.load(Ordering::Relaxed);
    let found = format!("{}: {views} views of {commits} commits", F::NAME);
    assert!(views > 10 && commits > 10, "{found}");
}

fn read<F: Flavour>(tree: &Tree<Item>, is_over: &AtomicBool, views: &AtomicU64, seed: u64) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    as_reader::<F, _>(|reader| {
        while !is_over.load(Ordering::Relaxed) {
            let section = reader.enter();
            look(tree.view(Pinned::by(&section)), &mut random);
            drop(section);
            reader.quiescent();
            views.fetch_add(1, Ordering::Relaxed);
        }
    })
    .unwrap();
}

/// Checks a view, as it must be after each commit.
fn look(view: View<'_, Item>, random: &mut ChaCha8Rng) {
    let first = view.get(0).unwrap();
    let (mut sum, mut count, mut last) = (0_u64, 1, first.key);
    for item in view.iter(1..) {
        assert!(last < item.key && item.key < KEYS, "{last} {item:?}");
        sum = sum.wrapping_add(item.value);
        last = item.key;
        count += 1;
    }
    assert_eq!((first.key, first.value, view.len()), (0, sum, count));
    let chunks = view.chunks(1..).flatten();
    let sum = chunks.fold(0, |sum: u64, item| sum.wrapping_add(item.value));
    assert_eq!(sum, first.value);
    let position = random.random_range(0..count);
    let item = view.get(position).unwrap();
    assert_eq!(
        view.position_by(|other| other.key.cmp(&item.key)),
        Ok(position)
    );
    assert_eq!(view.partition_point(|other| other.key < item.key), position);
}

/// Edits until the time is over, and returns how many commits that were.
fn write<F: Flavour>(tree: &Tree<Item>, limbo: &mut Limbo<F>) -> u64 {
    let mut random = ChaCha8Rng::seed_from_u64(99);
    let (begin, mut sum, mut commits) = (Instant::now(), 0_u64, 0);
    while begin.elapsed() < TIME {
        // SAFETY: only this thread edits.
        let mut edit = unsafe { tree.edit() };
        let mut changed = sum;
        for _ in 0..random.random_range(1..6) {
            change(&mut edit, &mut changed, &mut random);
        }
        edit.replace(
            0,
            Item {
                key: 0,
                value: changed,
            },
        );
        // Some edits are dropped.
        if random.random_bool(0.9) {
            edit.commit(limbo);
            (sum, commits) = (changed, commits + 1);
        }
        limbo.relieve_alone().unwrap();
    }
    commits
}

/// One change of the items behind the first one, and of their sum.
fn change(edit: &mut Edit<'_, Item>, sum: &mut u64, random: &mut ChaCha8Rng) {
    match random.random_range(0..100) {
        0 => {
            let begin = random.random_range(1..=edit.len());
            let end = begin + random.random_range(0..edit.len());
            edit.remove_range(begin..end, |item| *sum = sum.wrapping_sub(item.value));
        }
        1..5 => {
            let last = edit.view().get(edit.len() - 1).unwrap().key;
            let count = random.random_range(0..200).min(KEYS - 1 - last);
            let items: Vec<Item> = (last + 1..=last + count)
                .map(|key| Item {
                    key,
                    value: random.random(),
                })
                .collect();
            *sum = items
                .iter()
                .fold(*sum, |sum, item| sum.wrapping_add(item.value));
            edit.extend_back(items);
        }
        _ => {
            let key = random.random_range(1..KEYS);
            match edit.view().position_by(|item| item.key.cmp(&key)) {
                Ok(position) => {
                    let removed = edit.remove(position).unwrap();
                    *sum = sum.wrapping_sub(removed.value);
                }
                Err(position) => {
                    let item = Item {
                        key,
                        value: random.random(),
                    };
                    *sum = sum.wrapping_add(item.value);
                    edit.insert(position, item);
                }
            }
        }
    }
}
