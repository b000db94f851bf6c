//! How often a whole report holds a false verdict, by simulation: runs are grouped, reduced to one value for each
//! replicate, pooled and judged by the code of `perflab compare`.
//!
//! `cargo run --release -p perflab-compare --example reports [REPORTS [SEED [WORDS]]]` prints the tables, in percent of
//! the reports; with words only of the cases whose name and noise hold them. It ends with code 1 if a promise is
//! broken: more than 5 % + 3 standard errors of reports with a false verdict, more than 6 % + 3 standard errors of
//! intervals that miss the true difference without a warning, or too little power where power is promised.
#![expect(
    clippy::print_stdout,
    reason = "tables on standard output are what it is for"
)]

mod case;
mod cases;
mod made;
#[path = "../../../../judge/stats/examples/simulated/mod.rs"]
#[expect(dead_code, reason = "the tables of single comparisons need more of it")]
mod simulated;
mod stepped;
mod steps;

use std::process::ExitCode;
use std::thread::ScopedJoinHandle;

use case::{Case, Promise};
use cases::cases;
use made::{Found, found};
use simulated::Random;
use stepped::stepped_cases;

/// Reports for each case where none are asked for.
const REPORTS: u64 = 2000;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(3).collect();
    let words = words.join(" ");
    let mut arguments = std::env::args()
        .skip(1)
        .take(2)
        .map(|word| word.parse::<u64>());
    let (Ok(reports @ 1..), Ok(seed)) = (
        arguments.next().unwrap_or(Ok(REPORTS)),
        arguments.next().unwrap_or(Ok(1)),
    ) else {
        println!(
            "usage: reports [REPORTS [SEED [WORDS]]], the first two whole numbers, REPORTS above 0"
        );
        return ExitCode::from(2);
    };
    println!("{reports} reports each, seed {seed}; in percent\n");
    println!(
        "false: reports with any false verdict on a candidate; control: with any verdict on the control;\n\
         found: with the true difference, or the minimum detectable effect that such runs state;\n\
         missed: intervals of the typical run, and of the mean, that do not hold the true difference, the latter where\n\
         the report does not warn of it and where it does\n"
    );
    println!(
        "{:48} {:>12} {:>7} {:>8} {:>7} {:>8} {:>8} {:>8}  promise",
        "runs", "noise", "false", "control", "found", "missed", "mean", "warned"
    );
    let mut kept = true;
    for case in cases().into_iter().chain(stepped_cases()) {
        if !format!("{}, {}", case.name, case.noise.name()).contains(&words) {
            continue;
        }
        kept &= line(&case, reports, seed);
    }
    if kept {
        println!("\nevery promise is kept");
        ExitCode::SUCCESS
    } else {
        println!("\nA PROMISE IS BROKEN");
        ExitCode::FAILURE
    }
}

/// Prints the line of a case; whether its promise is kept.
fn line(case: &Case, reports: u64, seed: u64) -> bool {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let counted = |first: usize| -> Found {
        let numbers = (first as u64..reports).step_by(threads);
        numbers
            .map(|number| found(case, &mut Random::of(seed, number)))
            .sum()
    };
    let Found {
        is_false,
        control,
        shown,
        able,
        intervals,
        missed,
        mean_intervals,
        mean_missed,
        warned,
    } = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|first| scope.spawn(move || counted(first)))
            .collect();
        let counts = workers.into_iter().map(ScopedJoinHandle::join);
        counts.map(|count| count.expect("no report panics")).sum()
    });
    let share = |count: u64, of: u64| 100.0 * count as f64 / of as f64;
    let of_intervals = |missed: u64, intervals: u64| match intervals {
        0 => "-".to_owned(),
        _ => format!("{:.2}", share(missed, intervals)),
    };
    let at_most = |percent: f64| {
        let expected = percent / 100.0;
        percent + 300.0 * (expected * (1.0 - expected) / reports as f64).sqrt()
    };
    let (limit, most_missed) = (at_most(5.0), at_most(6.0));
    let is_true = share(is_false, reports) <= limit
        && share(control, reports) <= limit
        && missed as f64 * 100.0 <= most_missed * intervals as f64
        && mean_missed as f64 * 100.0 <= most_missed * mean_intervals as f64;
    let (promise, holds) = match case.promise {
        Promise::False => (
            format!("at most {limit:.2}, missed {most_missed:.2}"),
            is_true,
        ),
        Promise::Nothing => ("none".to_owned(), true),
        Promise::Power(least) | Promise::SlowRuns(least) => (
            format!("found at least {least}"),
            is_true && share(shown, able) >= least,
        ),
        Promise::Detectable(least, most) => (
            format!("found {least} to {most}"),
            is_true && (least..=most).contains(&share(shown, able)),
        ),
    };
    println!(
        "{:48} {:>12} {:>7.2} {:>8.2} {:>7.2} {:>8} {:>8} {:>8}  {promise}: {}",
        case.name,
        case.noise.name(),
        share(is_false, reports),
        share(control, reports),
        share(shown, able),
        of_intervals(missed, intervals),
        of_intervals(mean_missed, mean_intervals),
        of_intervals(warned, mean_intervals),
        if holds { "kept" } else { "BROKEN" }
    );
    holds
}
