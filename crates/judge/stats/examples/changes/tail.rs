//! The table of the library against series that are drawn here.

use perflab_stats::changes::{p_value, strongest};

use crate::Promise;
use crate::noise::Noise;
use crate::simulated::Random;

/// Lengths, those between two lines of the table included.
const LENGTHS: [usize; 8] = [9, 14, 26, 50, 100, 170, 430, 1500];

/// Prints how often p-values are at most a level; whether they are as promised.
pub fn table(trials: u64, seed: u64) -> bool {
    println!("p-values of random order that are at most 20, 5, 1 and 0.1 %\n");
    println!(
        "{:>8} {:>8} {:>8} {:>8} {:>8} {:>8}  promise",
        "values", "series", "20", "5", "1", "0.1"
    );
    let mut kept = true;
    for n in LENGTHS {
        let count = (trials * 20).min(8_000_000 / n as u64).max(trials / 2);
        let p_values: Vec<f64> = (0..count)
            .map(|trial| {
                let mut random = Random::of(seed, trial);
                let values = Noise::Normal.series(n, &[], &mut random);
                strongest(&values).map_or(1.0, |statistic| p_value(n, statistic))
            })
            .collect();
        let share = |level: f64| {
            let below = p_values.iter().filter(|p| **p <= level).count();
            100.0 * below as f64 / count as f64
        };
        let levels = [0.2, 0.05, 0.01, 0.001];
        let found = levels.map(share);
        let mut line = String::new();
        for (level, found) in levels.into_iter().zip(found) {
            // The table itself may be off by 3 %.
            let (_, holds) = Promise::AtMost(103.0 * level).check(found, count);
            kept &= holds;
            line += if holds { "kept " } else { "BROKEN " };
        }
        let [a, b, c, d] = found;
        println!("{n:>8} {count:>8} {a:>8.2} {b:>8.2} {c:>8.2} {d:>8.3}  {line}");
    }
    kept
}
