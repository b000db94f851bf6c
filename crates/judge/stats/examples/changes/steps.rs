//! Series with one step: how often it is found, and how well its place is known.

use perflab_stats::changes::{Change, changes};

use crate::noise::{Noise, whole};
use crate::none::percent;
use crate::pelt;
use crate::simulated::Random;
use crate::{Promise, TERMS};

const N: usize = 150;

/// A step counts as found within so many places.
const NEAR: usize = 5;

const NOISES: [Noise; 4] = [
    Noise::Normal,
    Noise::HeavyTails,
    Noise::SlowMode,
    Noise::Autocorrelated(0.3),
];

/// Prints how often steps are found; whether as often as promised.
pub fn table(trials: u64, seed: u64) -> bool {
    println!(
        "a step in the middle of {N} values, found within {NEAR} places of it; extra: other changes \
         per 100 series\n"
    );
    println!(
        "{:22} {:>5} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7}  promise",
        "noise", "step", "found", "extra", "L2", "extra", "rank", "extra"
    );
    let mut kept = true;
    for noise in NOISES {
        for size in [1.0, 2.0, 4.0] {
            let mut counts = [(0, 0); 3];
            for trial in 0..trials {
                let mut random = Random::of(seed, trial);
                let values = noise.series(N, &[(N / 2, size)], &mut random);
                let ours = found(&values).iter().map(|change| change.place).collect();
                let all = [ours, pelt::of_values(&values), pelt::of_ranks(&values)];
                for (count, places) in counts.iter_mut().zip(all) {
                    let is_near = |place: &usize| place.abs_diff(N / 2) <= NEAR;
                    let near = u64::from(places.iter().any(is_near));
                    *count = (count.0 + near, count.1 + places.len() as u64 - near);
                }
            }
            let [a, b, c] =
                counts.map(|(found, extra)| (percent(found, trials), percent(extra, trials)));
            let promise = if size > 1.0 {
                Promise::AtLeast(93.0)
            } else {
                Promise::None
            };
            let (text, holds) = promise.check(a.0, trials);
            kept &= holds;
            println!(
                "{:22} {size:>5} {:>7.1} {:>7.1} {:>7.1} {:>7.1} {:>7.1} {:>7.1}  {text}",
                noise.name(),
                a.0,
                a.1,
                b.0,
                b.1,
                c.0,
                c.1
            );
        }
    }
    kept
}

/// Where the steps are, and whether the coverage is promised there.
const PLACES: [(usize, bool); 2] = [(N / 2, true), (N - 12, false)];

/// Prints how often intervals hold the true place; whether as often as promised.
pub fn places(trials: u64, seed: u64) -> bool {
    println!(
        "of {N} values with one step in which one change was found: the 95 % interval holds the true \
         place\n"
    );
    println!(
        "{:22} {:>5} {:>5} {:>7} {:>7} {:>8} {:>8}  promise",
        "noise", "step", "at", "found", "holds", "median", "90 %"
    );
    let mut kept = true;
    for noise in NOISES.into_iter().chain([Noise::Rounded]) {
        for size in [1.0, 2.0, 4.0] {
            for (at, is_promised) in PLACES {
                let mut widths = Vec::new();
                let mut holding = 0;
                for trial in 0..trials {
                    let mut random = Random::of(seed, trial);
                    let values = noise.series(N, &[(at, size)], &mut random);
                    if let [change] = found(&values).as_slice() {
                        widths.push(change.high - change.low + 1);
                        holding += u64::from(change.low <= at && at <= change.high);
                    }
                }
                widths.sort_unstable();
                let width = |share: f64| widths.get((widths.len() as f64 * share) as usize);
                let share = percent(holding, widths.len() as u64);
                let promise = if is_promised {
                    Promise::AtLeast(95.0)
                } else {
                    Promise::None
                };
                let (text, holds) = promise.check(share, widths.len() as u64);
                kept &= holds;
                println!(
                    "{:22} {size:>5} {at:>5} {:>7.1} {share:>7.1} {:>8} {:>8}  {text}",
                    noise.name(),
                    percent(widths.len() as u64, trials),
                    width(0.5).copied().unwrap_or_default(),
                    width(0.9).copied().unwrap_or_default()
                );
            }
        }
    }
    kept
}

fn found(values: &[f64]) -> Vec<Change> {
    changes(&whole(values), &TERMS).map_or(Vec::new(), |found| found.changes)
}
