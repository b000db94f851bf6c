//! Entries near random places.

use std::ops::ControlFlow;

use crate::hashes::{Hash, Random, WEAK, good, seeds};
use crate::items::{AtOnce, Items, alone};

/// The first key that is given.
fn sample(items: &Items, random: &mut Random) -> Option<u64> {
    let mut found = None;
    items.some(random.next(), alone(), |item| {
        found = Some(item.key());
        ControlFlow::Break(())
    });
    found
}

#[test]
fn the_only_entry_is_found() {
    for seed in seeds() {
        let mut random = Random::new(seed);
        let items = Items::new(good);
        let mut limbo = AtOnce::default();
        assert_eq!(sample(&items, &mut random), None);
        for key in 0..200 {
            items.insert(key, 0, &mut limbo);
            assert_eq!(sample(&items, &mut random), Some(key));
            items.remove(key, &mut limbo);
            assert_eq!(sample(&items, &mut random), None);
        }
    }
}

#[test]
fn a_large_table_that_is_nearly_empty_gives_what_is_left() {
    let mut random = Random::new(1);
    let items = Items::new(good);
    let mut limbo = AtOnce::default();
    for key in 0..100_000 {
        items.insert(key, 0, &mut limbo);
    }
    for key in 1..100_000 {
        items.remove(key, &mut limbo);
    }
    for _ in 0..100 {
        assert_eq!(sample(&items, &mut random), Some(0));
    }
}

#[test]
fn all_entries_are_given_once_if_nothing_breaks() {
    for seed in seeds() {
        let mut random = Random::new(seed);
        for hash in WEAK.map(|(_, hash)| hash).into_iter().chain([good as Hash]) {
            for keys in [0, 1, 10, 300, 5_000] {
                let items = Items::new(hash);
                let mut limbo = AtOnce::default();
                for key in 0..keys {
                    items.insert(key, 0, &mut limbo);
                }
                for _ in 0..3 {
                    let mut seen = Vec::new();
                    items.some(random.next(), alone(), |item| {
                        seen.push(item.key());
                        ControlFlow::Continue(())
                    });
                    seen.sort_unstable();
                    assert!(seen.into_iter().eq(0..keys));
                }
            }
        }
    }
}

#[test]
fn samples_are_nearly_uniform() {
    // Samples for each key.
    const MEAN: u64 = 100;
    for seed in seeds() {
        for keys in [3u64, 100, 1_000, 5_000, 20_000] {
            let mut random = Random::new(seed);
            let items = Items::new(good);
            let mut limbo = AtOnce::default();
            for key in 0..keys {
                items.insert(key, 0, &mut limbo);
            }
            let mut times = vec![0u64; keys as usize];
            for _ in 0..keys * MEAN {
                times[sample(&items, &mut random).unwrap() as usize] += 1;
            }
            let deviation = |times: &u64| (*times as f64 / MEAN as f64 - 1.0).powi(2);
            let spread = (times.iter().map(deviation).sum::<f64>() / keys as f64).sqrt();
            let (least, most) = (times.iter().min().unwrap(), times.iter().max().unwrap());
            println!(
                "{keys} keys: {least} to {most} times, relative standard deviation {spread:.3}"
            );
            // Exactly uniform samples have a deviation of 0.1 here.
            assert!(spread < 0.45, "{spread}");
            assert!(*least > MEAN / 10 && *most < MEAN * 5, "{least} to {most}");
        }
    }
}
