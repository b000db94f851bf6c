//! Plain files of numbers, and flags that suit the input.

use std::fs;
use std::path::Path;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum};
use perflab_experiment::{Better, Metric};
use perflab_formats::columns;
use perflab_stats::dependence::looks_dependent;

use crate::failure::Failure;

// What plain files hold.
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
    iterations: Option<u32>,
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

    /// How many numbers in a row of a file come from one process, if that is said.
    pub fn each(&self, file: &Path, numbers: usize) -> Result<Option<usize>, Failure> {
        let Some(each) = self.iterations.map(|each| each as usize) else {
            return Ok(None);
        };
        if !numbers.is_multiple_of(each) {
            return Err(Failure::no_data(format!(
                "{}: expected a multiple of {each} numbers, as many as --iterations says for each process, found {numbers}",
                file.display()
            )));
        }
        Ok(Some(each))
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

/// Refuses autocorrelated numbers: a file does not say which come from one process, and iterations that count as runs
/// would prove differences that are not there.
pub fn refuse_iterations(values: &[f64], name: &str, advice: &str) -> Result<(), Failure> {
    if !looks_dependent(values) {
        return Ok(());
    }
    Err(Failure::no_data(format!(
        "the {} numbers in {name} are autocorrelated, as iterations of one process are, or runs on a machine that \
         drifts. Counted as runs they would prove differences that are not there. {advice}",
        values.len()
    )))
}
