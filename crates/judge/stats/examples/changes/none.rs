//! Series without changes in which some are found.

use perflab_stats::changes::changes;

use crate::noise::{Machine, Noise, whole};
use crate::pelt;
use crate::simulated::Random;
use crate::{Promise, TERMS};

/// Noise, length, and whether at most 5 % of series may have a false change.
const LINES: [(Noise, usize, bool); 16] = [
    (Noise::Normal, 150, true),
    (Noise::HeavyTails, 150, true),
    (Noise::SlowMode, 150, true),
    (Noise::Autocorrelated(0.3), 150, true),
    (Noise::Rounded, 150, true),
    (Noise::Ones(0.5), 150, true),
    (Noise::Ones(0.2), 150, true),
    (Noise::Ones(0.02), 150, true),
    (Noise::Normal, 40, true),
    (Noise::SlowMode, 40, true),
    (Noise::Autocorrelated(0.3), 40, true),
    (Noise::Normal, 1000, true),
    (Noise::Autocorrelated(0.3), 1000, true),
    (Noise::Autocorrelated(0.6), 150, false),
    (Noise::Autocorrelated(0.6), 1000, false),
    (Noise::Autocorrelated(0.9), 1000, false),
];

const MACHINES: [Machine; 3] = [Machine::Wanders, Machine::Drifts, Machine::Replaced];

/// Prints a line for each; whether all promises are kept.
pub fn table(trials: u64, seed: u64) -> bool {
    println!("nothing changes: series with any change; raw: without division by the control\n");
    println!(
        "{:34} {:>7} {:>7} {:>7} {:>7} {:>7}  promise",
        "noise", "values", "changes", "raw", "L2", "rank"
    );
    let mut kept = true;
    for (noise, n, is_promised) in LINES {
        let trials = if n > 500 { trials / 2 } else { trials };
        let with = n <= 150;
        let mut counts = [0_u64; 3];
        for trial in 0..trials {
            let mut random = Random::of(seed, trial);
            let values = noise.series(n, &[], &mut random);
            counts[0] += u64::from(is_any(&values));
            counts[1] += u64::from(with && !pelt::of_values(&values).is_empty());
            counts[2] += u64::from(with && !pelt::of_ranks(&values).is_empty());
        }
        let [found, of_values, of_ranks] = counts.map(|count| percent(count, trials));
        let promise = if is_promised {
            Promise::AtMost(5.0)
        } else {
            Promise::None
        };
        let (text, holds) = promise.check(found, trials);
        kept &= holds;
        let other = |share: f64| {
            if with {
                format!("{share:.2}")
            } else {
                "-".to_owned()
            }
        };
        println!(
            "{:34} {n:>7} {found:>7.2} {:>7} {:>7} {:>7}  {text}",
            noise.name(),
            "-",
            other(of_values),
            other(of_ranks)
        );
    }
    for machine in MACHINES {
        for noise in [Noise::Normal, Noise::SlowMode] {
            let (mut found, mut raw) = (0, 0);
            for trial in 0..trials {
                let mut random = Random::of(seed, trial);
                let (values, control) = machine.measured(noise, 150, &mut random);
                let ratios: Vec<f64> = values.iter().zip(&control).map(|(a, b)| a / b).collect();
                found += u64::from(is_any(&ratios));
                raw += u64::from(is_any(&values));
            }
            let found = percent(found, trials);
            let (text, holds) = Promise::AtMost(5.0).check(found, trials);
            kept &= holds;
            println!(
                "{:34} {:>7} {found:>7.2} {:>7.2} {:>7} {:>7}  {text}",
                format!("{}, {}", machine.name(), short(noise)),
                150,
                percent(raw, trials),
                "-",
                "-"
            );
        }
    }
    kept
}

fn short(noise: Noise) -> &'static str {
    match noise {
        Noise::SlowMode => "slow",
        _ => "normal",
    }
}

fn is_any(values: &[f64]) -> bool {
    changes(&whole(values), &TERMS).is_ok_and(|found| !found.changes.is_empty())
}

pub fn percent(count: u64, trials: u64) -> f64 {
    100.0 * count as f64 / trials.max(1) as f64
}
