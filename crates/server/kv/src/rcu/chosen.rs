//! The flavour of a command, and the place of its library.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use perflab_rcu::{Choice, NAMES, Unavailable, urcu};

use super::possible::UNPROVEN;
use super::question::Question;

use crate::failure::Failure;

#[derive(Debug, Args)]
pub struct Libraries {
    /// Load liburcu from DIR only [default: where the loader finds it].
    #[arg(long = "libraries", value_name = "DIR")]
    pub directory: Option<PathBuf>,
}

impl Libraries {
    /// Has the libraries loaded from there. A command does this first.
    pub fn choose(&self) -> Result<(), Failure> {
        match &self.directory {
            Some(directory) if !urcu::only_from(directory) => Err(Failure::usage(format!(
                "--libraries {}: libraries were loaded from elsewhere before",
                directory.display()
            ))),
            _ => Ok(()),
        }
    }
}

#[derive(Debug, Args)]
pub struct Chosen {
    /// Use this flavour. docs/rcu.md describes them.
    #[arg(value_name = "FLAVOUR", value_parser = PossibleValuesParser::new(NAMES))]
    pub flavour: String,

    #[command(flatten)]
    pub libraries: Libraries,
}

impl Chosen {
    /// Loads the flavour in a process of its own first: a library may end the process that loads it.
    ///
    /// # Errors
    /// If the flavour is unavailable.
    pub fn look(&self) -> Result<(), Failure> {
        let question = Question {
            flavour: &self.flavour,
            libraries: &self.libraries,
            more: &[UNPROVEN.to_owned()],
        };
        match question.answer()?["reason"].as_str() {
            Some(reason) => Err(Failure::unavailable(reason)),
            None => Ok(()),
        }
    }

    /// The flavour, as a type is chosen by it.
    ///
    /// # Errors
    /// If its library cannot be loaded.
    pub fn choice(&self) -> Result<Choice, Unavailable> {
        Choice::new(&self.flavour)
    }
}
