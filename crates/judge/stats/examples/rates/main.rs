//! How often verdicts are false, and how often true differences are found, by simulation.
//!
//! `cargo run --release -p perflab-stats --example rates [TRIALS [SEED [TABLE]]]` prints all
//! tables, or one, in percent of the trials. It ends with code 1 if a promise is broken: more than 5 % + 3 standard errors of
//! false verdicts where 5 % are promised, or too little power where power is promised.
#![expect(
    clippy::print_stdout,
    reason = "tables on standard output are what it is for"
)]

mod deciles;
mod drift;
mod flags;
mod planning;
mod runs;
mod scenario;
mod scenarios;
#[path = "../simulated/mod.rs"]
mod simulated;
mod steadiness;
mod trials;
mod verdicts;

use std::process::ExitCode;

/// Trials where none are asked for.
const TRIALS: u64 = 10_000;

/// A table: prints its lines, and tells whether every promise in it is kept.
type Table = fn(trials: u64, seed: u64) -> bool;

const TABLES: [(&str, Table); 6] = [
    ("Verdicts", verdicts::table),
    ("Deciles", deciles::table),
    ("Flags", flags::table),
    ("Drift", drift::table),
    ("Planning", planning::table),
    ("Steady state", steadiness::table),
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut arguments = words.iter().take(2).map(|word| word.parse::<u64>());
    let (Ok(trials), Ok(seed)) = (
        arguments.next().unwrap_or(Ok(TRIALS)),
        arguments.next().unwrap_or(Ok(1)),
    ) else {
        println!("usage: rates [TRIALS [SEED [TABLE]]], the first two whole numbers");
        return ExitCode::from(2);
    };
    println!("{trials} trials each, seed {seed}; in percent\n");
    let mut kept = true;
    let wanted = |name: &str| words.get(2).is_none_or(|word| name == word);
    for (name, table) in TABLES.into_iter().filter(|(name, _)| wanted(name)) {
        println!("{name}: ");
        kept &= table(trials, seed);
        println!();
    }
    if kept {
        println!("every promise is kept");
        ExitCode::SUCCESS
    } else {
        println!("A PROMISE IS BROKEN");
        ExitCode::FAILURE
    }
}
