//! `perflab history`: performance over the revisions of a repository.

mod arguments;
mod campaign;
mod dry_run;
mod failures;
mod file;
mod run;
mod show;
mod work;

use clap::Subcommand;

pub use arguments::{RunArguments, ShowArguments};

use crate::failure::{Code, Failure};

/// What to do with a history.
#[derive(Debug, Subcommand)]
#[command(
    after_help = "Examples:\n  perflab history run experiments/history/history.toml --dry-run\n  \
perflab history run experiments/history/history.toml --out results/primes\n  perflab history show results/primes"
)]
pub enum HistoryCommand {
    /// Measure revisions of a repository that were not measured yet, in campaigns.
    ///
    /// Builds each revision in a directory of its own, and measures it with the experiment that the file names, beside
    /// a control revision. The repository is only read. What was measured is kept; a history that was stopped goes on
    /// where it was.
    Run(RunArguments),
    /// Show what is known of each revision.
    Show(ShowArguments),
}

/// Executes the command.
pub fn history(command: &HistoryCommand) -> Result<Option<Code>, Failure> {
    match command {
        HistoryCommand::Run(arguments) => run::run(arguments),
        HistoryCommand::Show(arguments) => show::show(arguments),
    }
}
