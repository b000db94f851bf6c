//! The command line of `perflab bisect`.

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::history::arguments::MeasuringArguments;

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  perflab bisect 1.0 1.2 --history experiments/history/history.toml\n  \
perflab bisect v1.0 main --build 'make -j2' -- ./bench --quick\n  \
perflab bisect v1.0 main --fails --flaky --build 'make -j2' -- ./test\n  \
perflab bisect start v1.0 main"
)]
pub struct BisectArguments {
    /// Where a person says which revision is good or bad.
    #[command(subcommand)]
    pub word: Option<Spoken>,

    /// The older end: a revision without the change. A commit, a tag, a version or a date.
    #[arg(value_name = "GOOD")]
    pub good: Option<String>,

    /// The newer end: a revision with the change, for better or worse.
    #[arg(value_name = "BAD")]
    pub bad: Option<String>,

    /// A history file, which says how a revision is built and measured.
    #[arg(long, value_name = "HISTORY.toml", conflicts_with_all = ["command", "build"])]
    pub history: Option<PathBuf>,

    /// A directory of the repository, where there is no history file [default: the current one].
    #[arg(long, value_name = "DIR", conflicts_with = "history")]
    pub repository: Option<PathBuf>,

    /// A command that builds a revision in its directory, executed by `sh -c`; may be given several times.
    #[arg(long, value_name = "COMMAND")]
    pub build: Vec<String>,

    /// Look for the revision since which runs fail, instead of the one since which a metric differs.
    ///
    /// A run fails that does not pass: by its exit code, a signal, the time limit, or output that is not understood. Exit code
    /// 125 says that the revision cannot be tested, as for `git bisect run`.
    #[arg(long, conflicts_with_all = ["metric", "benchmark"])]
    pub fails: bool,

    /// With --fails: a good revision may fail too at times, and a bad one may pass.
    #[arg(long, requires = "fails")]
    pub flaky: bool,

    /// The metric that differs, where there are several.
    #[arg(short, long, value_name = "NAME")]
    pub metric: Option<String>,

    /// The benchmark, where the workload has several.
    #[arg(short, long, value_name = "NAME")]
    pub benchmark: Option<String>,

    /// The only workload to execute, where there are several [default: all].
    ///
    /// Each workload has a search of its own: runs that a search of all workloads made do not count.
    #[arg(short, long, value_name = "NAME")]
    pub workload: Option<String>,

    /// Take a merged branch as one revision.
    #[arg(long)]
    pub first_parent: bool,

    /// Try revisions again that could not be built.
    #[arg(long)]
    pub again: bool,

    /// Most runs of the search; then it ends without an answer.
    ///
    /// Those of the ends and of earlier calls count, those that confirm an answer do not. The ends need 6 runs at least, with
    /// --fails 2.
    #[arg(long, value_name = "N", default_value = "2000")]
    pub max_runs: NonZeroU32,

    /// Runs of each side to confirm the answer with [default: as many as show the change, as large as the search learnt].
    ///
    /// The default is as many as the experiment has (20 for a command), but 12 at least, and at least as many as show a
    /// change as large as the search learnt in 95 of 100 cases; of these 500 at most.
    #[arg(long, value_name = "N")]
    pub confirm_runs: Option<NonZeroU32>,

    /// Directory for builds and runs [default: that of the history, or results/bisect-GOOD-BAD].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    #[command(flatten)]
    pub measuring: MeasuringArguments,

    /// Print the answer only.
    #[arg(short, long)]
    pub quiet: bool,

    /// The command that is measured, in the directory of the revision.
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

// What a person says. The words are those of `git bisect`.
#[derive(Debug, Subcommand)]
pub enum Spoken {
    /// Begin a search in which you say which revisions are good.
    ///
    /// The repository is only read: check out what is asked for yourself.
    #[command(after_help = "Example:\n  perflab bisect start v1.0 main --flaky")]
    Start {
        /// A revision without the change.
        good: String,
        /// A newer one with it.
        bad: String,
        /// A good revision may look bad at times, and a bad one good.
        #[arg(long)]
        flaky: bool,
        /// Take a merged branch as one revision.
        #[arg(long)]
        first_parent: bool,
        /// A directory of the repository [default: the current one].
        #[arg(long, value_name = "DIR")]
        repository: Option<PathBuf>,
        #[command(flatten)]
        log: LogArguments,
    },
    /// A revision is good: by default the one that was asked for.
    #[command(after_help = "Example:\n  perflab bisect good")]
    Good(OneArguments),
    /// A revision is bad: by default the one that was asked for.
    #[command(after_help = "Example:\n  perflab bisect bad")]
    Bad(OneArguments),
    /// A revision cannot be tried: by default the one that was asked for.
    #[command(after_help = "Example:\n  perflab bisect skip")]
    Skip(OneArguments),
    /// Print what was said so far, and what is known.
    #[command(after_help = "Example:\n  perflab bisect log")]
    Log(LogArguments),
    /// Begin with what was said before: a file that `perflab bisect log` printed.
    #[command(after_help = "Example:\n  perflab bisect replay said.txt")]
    Replay {
        /// The file.
        file: PathBuf,
        #[command(flatten)]
        log: LogArguments,
    },
    /// End the search.
    #[command(after_help = "Example:\n  perflab bisect reset")]
    Reset(LogArguments),
}

// What is said of one revision.
#[derive(Debug, Args)]
pub struct OneArguments {
    /// The revision, or a date: the last revision up to it.
    #[arg(value_name = "REV|DATE")]
    pub revision: Option<String>,
    #[command(flatten)]
    pub log: LogArguments,
}

// Where it is written down.
#[derive(Debug, Args)]
pub struct LogArguments {
    /// The file in which the search is kept.
    #[arg(
        long = "file",
        value_name = "FILE",
        default_value = "perflab-bisect.log"
    )]
    pub path: PathBuf,
}
