//! `perflab history`: performance over the revisions of a repository.

mod arguments;
mod bisect;
mod campaign;
mod changes;
mod check;
mod confirm;
mod dry_run;
mod failures;
mod file;
mod known;
mod mark;
mod run;
mod session;
mod show;
mod tested;
mod watch;
mod work;

use clap::Subcommand;

pub use arguments::{ChangesArguments, RunArguments, ShowArguments, WatchArguments};
pub use bisect::{BisectArguments, bisect};
pub use mark::MarkArguments;

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
    /// Builds each revision in a directory of its own, and measures it with the experiment that the file names, together
    /// with a control revision. The repository is only read. What was measured is kept: the same command resumes a
    /// history that was stopped.
    Run(RunArguments),
    /// Measure the most informative revisions, within a budget.
    ///
    /// The newest revision first, then where a metric changed and by how much, then the rest. Made for a timer or a
    /// hook: each call measures within its budget, and the next one resumes.
    Watch(WatchArguments),
    /// Show what is known of each revision.
    Show(ShowArguments),
    /// Find the revisions at which a metric changed.
    ///
    /// The chance that any change is false is at most 5 %, for all metrics of the history together.
    Changes(ChangesArguments),
    /// Mark a change as expected, wrong (a false alarm), fixed or ignored.
    ///
    /// `perflab history changes` and the pages show the mark and why. `perflab history watch` does not measure changes again
    /// that are marked as wrong or ignored.
    Mark(MarkArguments),
}

/// Executes the command.
pub fn history(command: &HistoryCommand) -> Result<Option<Code>, Failure> {
    match command {
        HistoryCommand::Run(arguments) => run::run(arguments),
        HistoryCommand::Watch(arguments) => run::watch(arguments),
        HistoryCommand::Show(arguments) => show::show(arguments),
        HistoryCommand::Changes(arguments) => changes::changes(arguments),
        HistoryCommand::Mark(arguments) => mark::mark(arguments),
    }
}
