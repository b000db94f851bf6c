//! How often changes of a history are found that are not there, how often those that are there are
//! found, and how well their places are known, by simulation.
//!
//! `cargo run --release -p perflab-stats --example changes [TRIALS [SEED [TABLE]]]` prints all
//! tables, or one, in percent. It ends with code 1 if a promise is broken, by more than 3 standard
//! errors. `changes real LEVEL FILE..` prints the changes of stored series, one value a line.
#![expect(
    clippy::print_stdout,
    reason = "tables on standard output are what it is for"
)]

mod arriving;
mod campaigns;
mod families;
mod large;
mod noise;
mod none;
mod pelt;
mod real;
#[path = "../simulated/mod.rs"]
#[expect(dead_code, reason = "only its random numbers are needed")]
mod simulated;
mod sizes;
mod steps;
mod tail;

use std::process::ExitCode;

use perflab_stats::Resampling;
use perflab_stats::changes::Terms;

/// Series where no number is asked for.
const TRIALS: u64 = 2000;

/// What all tables ask for.
const TERMS: Terms = Terms {
    level: 0.05,
    confidence: 0.95,
    resampling: Resampling {
        draws: 199,
        seed: 1,
    },
};

/// A table: prints its lines, and tells whether every promise in it is kept.
type Table = fn(trials: u64, seed: u64) -> bool;

const TABLES: [(&str, Table); 9] = [
    ("Tail", tail::table),
    ("None", none::table),
    ("Steps", steps::table),
    ("Places", steps::places),
    ("Large", large::table),
    ("Sizes", sizes::table),
    ("Families", families::table),
    ("Arrivals", arriving::table),
    ("Campaigns", campaigns::table),
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [first, rest @ ..] = words.as_slice()
        && first == "real"
    {
        return real::print(rest);
    }
    let mut arguments = words.iter().take(2).map(|word| word.parse::<u64>());
    let (Ok(trials), Ok(seed)) = (
        arguments.next().unwrap_or(Ok(TRIALS)),
        arguments.next().unwrap_or(Ok(1)),
    ) else {
        println!("usage: changes [TRIALS [SEED [TABLE]]], the first two whole numbers");
        return ExitCode::from(2);
    };
    println!("{trials} series each, seed {seed}; in percent\n");
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

/// Three standard errors of a share in percent.
fn three_errors(percent: f64, trials: u64) -> f64 {
    let share = percent / 100.0;
    300.0 * (share * (1.0 - share) / trials.max(1) as f64).sqrt()
}

/// A promise on a share, and whether it is kept.
enum Promise {
    None,
    AtMost(f64),
    AtLeast(f64),
}

impl Promise {
    /// What is printed of it.
    fn check(&self, percent: f64, trials: u64) -> (String, bool) {
        let (words, promised, kept) = match *self {
            Self::None => return ("-".to_owned(), true),
            Self::AtMost(most) => (
                "at most",
                most,
                percent <= most + three_errors(most, trials),
            ),
            Self::AtLeast(least) => (
                "at least",
                least,
                percent >= least - three_errors(least, trials),
            ),
        };
        let word = if kept { "kept" } else { "BROKEN" };
        (format!("{words} {promised}: {word}"), kept)
    }
}
