//! Plain files of numbers, and flags that suit the input.

use std::fs;
use std::path::Path;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum};
use perflab_experiment::{Better, Metric};
use perflab_formats::columns;

use crate::failure::Failure;

/// What plain files hold.
#[derive(Debug, Args)]
#[command(next_help_heading = None)]
pub struct NumbersArguments {
    /// Unit of the numbers in plain files.
    #[arg(long, value_name = "UNIT")]
    unit: Option<String>,

    /// Which way the numbers in plain files are better [default: lower].
    #[arg(long, value_enum)]
    better: Option<Way>,

    /// Column of plain files, from 1 [default: 1].
    #[arg(short = 'C', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    column: Option<u32>,

    /// Delimiters of columns in plain files [default: blanks and tabs].
    #[arg(short, long, value_name = "CHARACTERS", value_parser = NonEmptyStringValueParser::new())]
    delimiter: Option<String>,

    /// In plain files each so many numbers in a row come from one process [default: 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub iterations: Option<u32>,
}

/// Which way is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Way {
    /// Less is better.
    Lower,
    /// More is better.
    Higher,
}

impl NumbersArguments {
    /// What the numbers measure.
    pub fn metric(&self) -> Metric {
        Metric {
            name: "value".to_owned(),
            unit: self.unit.clone().unwrap_or_default(),
            better: match self.better {
                None | Some(Way::Lower) => Better::Lower,
                Some(Way::Higher) => Better::Higher,
            },
        }
    }

    /// The numbers in a file.
    pub fn read(&self, file: &Path) -> Result<Vec<f64>, Failure> {
        let bytes = fs::read(file)
            .map_err(|error| Failure::usage(format!("cannot read {}: {error}", file.display())))?;
        let delimiter = self.delimiter.as_deref().unwrap_or(columns::WHITE_SPACE);
        columns::read(&bytes, self.column.unwrap_or(1) as usize, delimiter)
            .map_err(|error| Failure::no_data(format!("{}: {error}", file.display())))
    }

    /// Refuses what says nothing about a stored result.
    pub fn refuse_for_result(&self, result: &Path) -> Result<(), Failure> {
        let meaning = format!(
            "is for plain files, and {} is a result, which holds its units, runs and iterations; leave it out",
            result.display()
        );
        refuse(
            &[
                ("--unit", self.unit.is_some()),
                ("--better", self.better.is_some()),
                ("--column", self.column.is_some()),
                ("--delimiter", self.delimiter.is_some()),
                ("--iterations", self.iterations.is_some()),
            ],
            &meaning,
        )
    }
}

/// Refuses the first flag that was given: it would do nothing, and whoever gave it would believe that it did.
pub fn refuse(flags: &[(&str, bool)], reason: &str) -> Result<(), Failure> {
    match flags.iter().find(|(_, given)| *given) {
        Some((flag, _)) => Err(Failure::usage(format!("{flag} {reason}"))),
        None => Ok(()),
    }
}
