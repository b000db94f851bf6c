//! `perflab history`: performance over the revisions of a repository.

mod arguments;
mod bisect;
mod campaign;
mod changes;
mod check;
mod dry_run;
mod failures;
mod file;
mod mark;
mod run;
mod session;
mod show;
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
    /// Builds each revision in a directory of its own, and measures it with the experiment that the file names, beside
    /// a control revision. The repository is only read. What was measured is kept; a history that was stopped goes on
    /// where it was.
    Run(RunArguments),
    /// Measure the most informative revisions, within a budget.
    ///
    /// New revisions first, then where a metric changed and by how much, then the rest. For a timer or a hook: a call measures within its budget, and the next one goes on.
    Watch(WatchArguments),
    /// Show what is known of each revision.
    Show(ShowArguments),
    /// Find the revisions at which a metric changed.
    ///
    /// The chance that any change is false is at most 5 %, for all metrics of the history together.
    Changes(ChangesArguments),
    /// Say what a change is: expected, wrong, fixed, or to be ignored.
    ///
    /// Whoever looks at the changes sees it, with a word why. Changes that are wrong or ignored are not measured again by
    /// `perflab history watch`.
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
