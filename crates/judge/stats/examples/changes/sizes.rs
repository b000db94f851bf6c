//! The sizes of steps: as the values say that showed them, and as fresh runs of both sides say.

use perflab_stats::changes::changes;
use perflab_stats::verdict::{Answer, Cache, Sides, Terms, compare};
use perflab_stats::{Better, Observation};

use crate::noise::{Noise, whole};
use crate::none::percent;
use crate::simulated::Random;
use crate::{Promise, TERMS};

const N: usize = 150;

/// Fresh runs of each side.
const RUNS: usize = 12;

/// What all values are near to, so that they have ratios.
const LEVEL: f64 = 100.0;

/// Prints the mean sizes; whether those of fresh runs are right on average, and their intervals hold the true ones.
pub fn table(trials: u64, seed: u64) -> bool {
    println!(
        "a step in the middle of {N} values, found as one change: its mean size in the series, and from {RUNS} + {RUNS} fresh \
         runs of the revisions on both sides of its interval, in percent of the true one\n"
    );
    println!(
        "{:22} {:>5} {:>7} {:>7} {:>7} {:>9} {:>7}  promise",
        "noise", "step", "found", "series", "fresh", "+-", "holds"
    );
    let mut kept = true;
    let mut cache = Cache::default();
    for noise in [
        Noise::Normal,
        Noise::HeavyTails,
        Noise::SlowMode,
        Noise::Autocorrelated(0.3),
    ] {
        for size in [0.7, 1.0, 2.0] {
            let (mut series, mut fresh, mut holding) = (Vec::new(), Vec::new(), 0);
            for trial in 0..trials {
                let mut random = Random::of(seed, trial);
                let values = noise.series(N, &[(N / 2, size)], &mut random);
                let Ok(found) = changes(&whole(&values), &TERMS) else {
                    continue;
                };
                // An interval that does not hold the step has no step between its sides.
                let [change] = found.changes[..] else {
                    continue;
                };
                if !(change.low..=change.high).contains(&(N / 2)) {
                    continue;
                }
                let Some(answer) = confirm(noise, size, &mut random, &mut cache) else {
                    continue;
                };
                series.push(100.0 * change.difference() / size);
                fresh.push(100.0 * answer.difference * LEVEL / size);
                let truth = size / LEVEL;
                holding += u64::from(answer.low <= truth && truth <= answer.high);
            }
            let n = series.len() as f64;
            let mean = |values: &[f64]| values.iter().sum::<f64>() / n;
            let level = mean(&fresh);
            let squares = fresh.iter().map(|value| (value - level).powi(2));
            let error = (squares.sum::<f64>() / (n - 1.0) / n).sqrt();
            let holds = percent(holding, series.len() as u64);
            let (text, is_covered) = Promise::AtLeast(95.0).check(holds, series.len() as u64);
            let is_right = (level - 100.0).abs() <= 3.0 * error;
            kept &= is_right && is_covered;
            let word = if is_right { "kept" } else { "BROKEN" };
            println!(
                "{:22} {size:>5} {:>7.1} {:>7.1} {level:>7.1} {:>9.1} {holds:>7.1}  fresh is 100 within 3 errors: {word}; \
                 holds {text}",
                noise.name(),
                percent(series.len() as u64, trials),
                mean(&series),
                error
            );
        }
    }
    kept
}

/// Fresh runs of both sides, in blocks of three of each in random order.
fn confirm(noise: Noise, size: f64, random: &mut Random, cache: &mut Cache) -> Option<Answer> {
    let values = noise.series(2 * RUNS, &[], random);
    let (mut base, mut candidate) = (Vec::new(), Vec::new());
    for (block, values) in (0..).zip(values.chunks(6)) {
        let mut order = [false, false, false, true, true, true];
        for end in (1..order.len()).rev() {
            order.swap(end, random.below(end + 1));
        }
        for (unit, (value, is_candidate)) in (0..).zip(values.iter().zip(order)) {
            let step = if is_candidate { size } else { 0.0 };
            let side = if is_candidate {
                &mut candidate
            } else {
                &mut base
            };
            side.push(Observation {
                block,
                unit,
                value: LEVEL + value + step,
            });
        }
    }
    let terms = Terms {
        better: Better::Lower,
        confidence: 0.95,
        margin: None,
        in_turns: false,
    };
    let sides = Sides::of(&base, &candidate).ok()?;
    Some(compare(sides, &terms, cache).ok()?.typical)
}
