//! How large the largest rank CUSUM of a series without changes gets: the table behind the p-values
//! of `perflab_stats::changes`.
//!
//! `cargo run --release -p perflab-stats --example extremes [WEIGHT [SEED [LENGTH..]]]` prints the
//! file `src/changes/null/table.txt`, or the lines of single lengths. `WEIGHT` is the work for each
//! line, in values that are ranked; the table was made with 600 million and seed 1.
//!
//! The statistic depends on the order of the values only, so uniform values stand for all. Values of
//! a tail of 1e-8 are too rare to wait for. So most series are drawn with a step in them, at a
//! random place of a random interval, of a random size; each counts by how much likelier it is
//! without a step. The mixture of all steps is known, so the ratio is exact (importance sampling, as
//! Shi, Siegmund and Yakir, *Journal of the American Statistical Association* 102 (2007)). One
//! series in five has no step, so no weight is above 5.
#![expect(
    clippy::print_stdout,
    reason = "a table on standard output is what it is for"
)]

#[path = "../simulated/mod.rs"]
#[expect(dead_code, reason = "only its random numbers are needed")]
mod simulated;
mod steps;

use std::process::ExitCode;

use perflab_stats::changes::strongest;
use simulated::Random;
use steps::Steps;

/// Values ranked for each line where nothing else is asked for.
const WEIGHT: u64 = 600_000_000;

/// Fewest and most series of a line.
const SERIES: (u64, u64) = (15_000, 300_000);

/// Statistics at which the tail is tabulated: from 1 on, in steps of 1/8, to 9.
const GRID: usize = 65;

fn main() -> ExitCode {
    let words: Result<Vec<u64>, _> = std::env::args().skip(1).map(|word| word.parse()).collect();
    let Ok(words) = words else {
        println!("usage: extremes [WEIGHT [SEED [LENGTH..]]], all whole numbers");
        return ExitCode::from(2);
    };
    let weight = words.first().copied().unwrap_or(WEIGHT);
    let seed = words.get(1).copied().unwrap_or(1);
    let asked: Vec<usize> = words.iter().skip(2).map(|n| *n as usize).collect();
    let lengths = if asked.is_empty() { lengths() } else { asked };
    println!(
        "# length, then ln P(largest statistic >= t) for t = 1, 1.125, ..; relative errors of the estimates at each whole t"
    );
    for n in lengths {
        line(n, weight, seed);
    }
    ExitCode::SUCCESS
}

/// Every length up to 32, then four for each doubling up to 256, then two, up to 10 000.
fn lengths() -> Vec<usize> {
    let mut lengths: Vec<usize> = (8..=32).collect();
    let from = |first: f64, per: f64, last: f64| {
        let count = ((last / first).log2() * per).round() as i32;
        (1..=count).map(move |i| (first * 2_f64.powf(f64::from(i) / per)).round() as usize)
    };
    lengths.extend(from(32.0, 4.0, 256.0));
    lengths.extend(from(256.0, 2.0, 8192.0));
    lengths.push(10_000);
    lengths
}

/// Prints the tail for one length.
fn line(n: usize, weight: u64, seed: u64) {
    let steps = Steps::of(n);
    let series = (weight / steps.cost()).clamp(SERIES.0, SERIES.1);
    let mut sums = [(0.0, 0.0); GRID];
    let mut all = (0.0, 0.0);
    let mut values = vec![0.0; n];
    for trial in 0..series {
        let mut random = Random::of(seed, trial);
        steps.draw(&mut values, &mut random);
        let Ok(statistic) = strongest(&values) else {
            continue;
        };
        let weight = 1.0 / steps.ratio(&values);
        all = (all.0 + weight, all.1 + weight * weight);
        let reached = ((statistic - 1.0) * 8.0 + 1e-9).floor();
        if reached >= 0.0 {
            let reached = (reached as usize).min(GRID - 1);
            for (sum, squares) in &mut sums[..=reached] {
                *sum += weight;
                *squares += weight * weight;
            }
        }
    }
    print!("{n:5}");
    for (sum, _) in &sums {
        match sum / all.0 {
            p if p > 0.0 => print!(" {:.4}", p.ln()),
            _ => print!(" -"),
        }
    }
    print!(" #");
    for (sum, squares) in sums.iter().step_by(8) {
        let p = sum / all.0;
        // Of a quotient of two sums.
        let variance = squares - 2.0 * p * squares + p * p * all.1;
        let error = variance.max(0.0).sqrt() / all.0;
        print!(" {:.3}", if p > 0.0 { error / p } else { 0.0 });
    }
    println!();
}
