//! Stored series: what is found in them.

use std::process::ExitCode;

use perflab_stats::changes::{Terms, changes};

use crate::TERMS;

/// `LEVEL FILE..`, one value on each line of a file; a line that is no number is a missing value.
pub fn print(words: &[String]) -> ExitCode {
    let Some((level, files)) = words.split_first() else {
        println!("usage: changes real LEVEL FILE..");
        return ExitCode::from(2);
    };
    let Ok(level) = level.parse() else {
        println!("usage: changes real LEVEL FILE..");
        return ExitCode::from(2);
    };
    for file in files {
        let series = match std::fs::read_to_string(file) {
            Ok(text) => text
                .lines()
                .map(|line| line.trim().parse().ok())
                .collect::<Vec<_>>(),
            Err(error) => {
                println!("{file}: {error}");
                return ExitCode::FAILURE;
            }
        };
        match changes(&series, &Terms { level, ..TERMS }) {
            Ok(found) => {
                let places = found
                    .changes
                    .iter()
                    .map(|change| format!("{} [{}, {}]", change.place, change.low, change.high));
                println!(
                    "{file}\t{}\t{:.2}\t{}",
                    found.values,
                    found.factor,
                    places.collect::<Vec<_>>().join("; ")
                );
            }
            Err(error) => println!("{file}\t-\t-\t{error}"),
        }
    }
    ExitCode::SUCCESS
}
