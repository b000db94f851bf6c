//! The shift function: false verdicts over the deciles, and where differences are found.

use perflab_stats::Resampling;
use perflab_stats::location::Scale;
use perflab_stats::shift_function::shift_function;

use crate::simulated::{Noise, Random};
use crate::trials::{ALPHA, rates, three_errors};

/// Prints a line for each case; whether all promises are kept.
pub fn table(trials: u64, seed: u64) -> bool {
    let trials = trials.div_ceil(5);
    println!(
        "the same number of runs on each side; 1000 draws; {trials} trials each\n\
         any: a test about any decile (Holm); 10 %, 50 %, 90 %: about that one\n"
    );
    println!(
        "{:40} {:>5} {:>8} {:>8} {:>8} {:>8}  promise",
        "case", "runs", "any", "10 %", "50 %", "90 %"
    );
    let most = 100.0 * ALPHA + three_errors(100.0 * ALPHA, trials);
    let mut kept = true;
    for (name, runs, a, b, equal) in lines() {
        let found = rates(
            trials,
            seed,
            || (),
            |random, ()| tests(&drawn(a, runs, random), &drawn(b, runs, random), random),
        );
        let [any, low, middle, high] = found;
        let promise = if equal {
            kept &= any <= most;
            let word = if any <= most { "kept" } else { "BROKEN" };
            format!("at most {most:.2}: {word}")
        } else {
            "-".to_owned()
        };
        println!("{name:40} {runs:>5} {any:>8.1} {low:>8.1} {middle:>8.1} {high:>8.1}  {promise}");
    }
    kept
}

/// Noise, and a factor on all values.
type Side = (Noise, f64);

fn lines() -> Vec<(&'static str, usize, Side, Side, bool)> {
    let normal = (Noise::Normal(0.02), 1.0);
    let tails = (Noise::HeavyTails(0.02), 1.0);
    let slow = |share| (Noise::SlowMode { cv: 0.005, share }, 1.0);
    vec![
        ("equal: normal", 20, normal, normal, true),
        ("equal: normal", 30, normal, normal, true),
        ("equal: normal", 100, normal, normal, true),
        ("equal: heavy tails (t3)", 20, tails, tails, true),
        ("equal: heavy tails (t3)", 30, tails, tails, true),
        (
            "equal: slow mode, 15 % of runs",
            20,
            slow(0.15),
            slow(0.15),
            true,
        ),
        (
            "equal: slow mode, 15 % of runs",
            30,
            slow(0.15),
            slow(0.15),
            true,
        ),
        (
            "equal: slow mode, 15 % of runs",
            100,
            slow(0.15),
            slow(0.15),
            true,
        ),
        (
            "all runs 2 % more, sd 2 %",
            30,
            normal,
            (Noise::Normal(0.02), 1.02),
            false,
        ),
        (
            "the same centre, sd 2 v 4 %",
            30,
            normal,
            (Noise::Normal(0.04), 1.0),
            false,
        ),
        (
            "slow runs 5 v 40 %, same main mode",
            30,
            slow(0.05),
            slow(0.4),
            false,
        ),
    ]
}

fn drawn((noise, factor): Side, runs: usize, random: &mut Random) -> Vec<f64> {
    let draw = |random: &mut Random| {
        let normal = random.normal();
        factor * noise.draw(normal, random)
    };
    (0..runs).map(|_| draw(random)).collect()
}

fn tests(a: &[f64], b: &[f64], random: &mut Random) -> [bool; 4] {
    let resampling = Resampling {
        draws: 1000,
        seed: random.below(1 << 30) as u64,
    };
    let deciles =
        shift_function(a, b, Scale::Ratio, [None; 2], 1.0 - ALPHA, resampling).unwrap_or_default();
    let claimed = |at: usize| deciles.get(at).is_some_and(|d| d.p_adjusted <= ALPHA);
    [(0..9).any(claimed), claimed(0), claimed(4), claimed(8)]
}
