//! `perflab bisect`: which revision introduced a change, by measuring or by what a person says.

mod answer;
mod arguments;
mod command;
mod confirm;
mod ends;
mod failed;
mod measured;
mod person;
mod steps;
mod subject;

pub use arguments::BisectArguments;

use crate::failure::{Code, Failure};

/// Executes the command.
pub fn bisect(arguments: &BisectArguments) -> Result<Option<Code>, Failure> {
    match &arguments.word {
        Some(word) => person::said(word),
        None => measured::measured(arguments),
    }
}
