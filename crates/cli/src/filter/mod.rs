//! `perflab filter`: predicates on the arguments of probes.

mod check;
mod known;

use clap::Subcommand;

use crate::failure::{Code, Failure};

/// What to do with an expression.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(
    after_help = "Example:\n  perflab filter check 'name == \"SET\" && bytes > 512' --arguments 'name: cstr, bytes: i64'\n\n\
Expressions are those of LTTng: see docs/filters.md."
)]
pub enum FilterCommand {
    /// Check an expression against the probes of running processes, or of a program's file.
    ///
    /// Prints what the expression takes from an event of each probe, as integer, double or text, or why a probe would
    /// never be recorded.
    #[command(
        after_help = "Examples:\n  perflab filter check 'bytes > 512' 'kv:*' --pid 1234\n  \
perflab filter check 'bytes > 512' 'kv:*' ./kv-server\n  \
perflab filter check 'bytes > 512' --arguments 'name: cstr, bytes: i64'"
    )]
    Check(check::CheckArguments),
}

/// Executes `filter`.
pub fn filter(command: &FilterCommand) -> Result<Option<Code>, Failure> {
    match command {
        FilterCommand::Check(arguments) => check::check(arguments),
    }
}
