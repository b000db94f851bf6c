//! How often verdicts are false that are looked for after every block, how often the interval misses,
//! and how many runs are saved, by simulation.
//!
//! `cargo run --release -p perflab-stats --example stopping [TRIALS [SEED]]` prints two tables. It
//! ends with code 1 if a promise is broken: more than 5 % + 3 standard errors of false verdicts or
//! missed effects at any time in any noise model, or more than 60 % of the runs of the fixed design
//! where a saving is promised.
#![expect(
    clippy::print_stdout,
    reason = "a table on standard output is what it is for"
)]

mod errors;
mod savings;
mod scenario;
#[path = "../simulated/mod.rs"]
mod simulated;
mod trials;

use std::process::ExitCode;

use errors::errors;
use savings::savings;

/// Trials where none are asked for.
const TRIALS: u64 = 10_000;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|word| word.parse::<u64>());
    let (Ok(trials), Ok(seed)) = (
        arguments.next().unwrap_or(Ok(TRIALS)),
        arguments.next().unwrap_or(Ok(1)),
    ) else {
        println!("usage: stopping [TRIALS [SEED]], both whole numbers");
        return ExitCode::from(2);
    };
    let kept = [errors(trials, seed), savings(trials, seed)];
    let kept = kept.iter().all(|kept| *kept);
    println!(
        "\n{}",
        if kept {
            "every promise is kept"
        } else {
            "A PROMISE IS BROKEN"
        }
    );
    if kept {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
