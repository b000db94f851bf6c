//! The command lines of `perflab history`.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};
use perflab_experiment::duration;
use perflab_history::{Every, Word};

use crate::failure::Failure;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  perflab history run history.toml --dry-run\n  perflab history run history.toml --since 2026-01-01 --every week\n  \
perflab history run history.toml --fill v1.0..v1.1 --budget 2h"
)]
pub struct RunArguments {
    /// The history file.
    #[arg(value_name = "HISTORY.toml")]
    pub file: PathBuf,

    /// Begin at this revision or date [default: `since` of the file].
    #[arg(long, value_name = "REV|DATE")]
    pub since: Option<String>,

    /// End at this revision or date [default: `until` of the file].
    #[arg(long, value_name = "REV|DATE")]
    pub until: Option<String>,

    /// Which revisions between: commit, day, week, month, tag, merge, or N for every Nth [default: `every` of the file].
    #[arg(long, value_name = "WHICH", value_parser = every)]
    pub every: Option<Every>,

    /// Measure all revisions between two, such as `--fill v1.0..v1.1`.
    #[arg(long, value_name = "A..B", conflicts_with_all = ["since", "until", "every"])]
    pub fill: Option<String>,

    /// Build both sides of a change again and measure them, such as `--confirm v1.0..v1.1`.
    ///
    /// The values that showed a change were chosen for it, so they make it look larger than it is.
    #[arg(long, value_name = "A..B", conflicts_with_all = ["since", "until", "every", "fill", "patch", "campaigns", "budget", "again", "dry_run"])]
    pub confirm: Option<String>,

    /// Apply a patch to a revision, and measure it together with the revision as it is.
    ///
    /// The revision is the last one, or that of --until.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["since", "every", "fill", "campaigns", "budget", "again"])]
    pub patch: Option<PathBuf>,

    /// Try revisions again that could not be built, or whose runs all failed.
    #[arg(long)]
    pub again: bool,

    /// Print which revisions would be measured; build and run nothing.
    #[arg(long)]
    pub dry_run: bool,

    #[command(flatten)]
    pub campaigns: CampaignArguments,
}

// How campaigns are measured, and where they go.
#[derive(Debug, Args)]
pub struct CampaignArguments {
    /// Begin at most N campaigns.
    #[arg(long, value_name = "N")]
    pub campaigns: Option<NonZeroU32>,

    /// Directory of the history [default: results/NAME-history].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    #[command(flatten)]
    pub measuring: MeasuringArguments,

    /// Print no progress.
    #[arg(short, long)]
    pub quiet: bool,
}

// What every command that measures revisions takes.
#[derive(Debug, Args)]
pub struct MeasuringArguments {
    /// Begin no campaign after this time, such as 2h.
    ///
    /// The time counts from the start of the command, that of builds and tests included. A campaign that has begun is
    /// finished, its builds too, so a call takes longer than this by up to a campaign. `perflab bisect` confirms an answer
    /// even after this time.
    #[arg(long, value_name = "TIME")]
    pub budget: Option<String>,

    /// Let the experiment change settings of the machine as its tables `machine` say. Needs root.
    #[arg(long)]
    pub allow_machine_settings: bool,

    /// Wait while another laboratory measures on this machine.
    #[arg(long)]
    pub wait: bool,
}

impl MeasuringArguments {
    /// The end of the budget, where there is one: it begins now.
    pub(super) fn end(&self) -> Result<Option<Instant>, Failure> {
        let Some(text) = &self.budget else {
            return Ok(None);
        };
        let budget =
            duration::parse(text).map_err(|error| Failure::usage(format!("--budget: {error}")))?;
        Ok(Instant::now().checked_add(budget))
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  perflab history watch history.toml --budget 30min")]
pub struct WatchArguments {
    /// The history file.
    #[arg(value_name = "HISTORY.toml")]
    pub file: PathBuf,

    #[command(flatten)]
    pub campaigns: CampaignArguments,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  perflab history show results/redis-history --metric rps\n  \
perflab history show results/redis-history --revision v1.0"
)]
pub struct ShowArguments {
    /// The directory of a history.
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,

    /// Show this metric only.
    #[arg(short, long, value_name = "NAME")]
    pub metric: Option<String>,

    /// Show one revision: its values, its build, and what changed since the one before. A hash or its beginning, a tag,
    /// or a version.
    #[arg(long, value_name = "REV", conflicts_with = "metric")]
    pub revision: Option<String>,

    /// Show the tests of each revision, the worst first.
    #[arg(long, conflicts_with_all = ["metric", "revision"])]
    pub tests: bool,

    /// With --revision: cut no list short. With --tests: include tests that never failed.
    #[arg(long)]
    pub all: bool,

    /// Print in this format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text, conflicts_with_all = ["metric", "revision", "tests"])]
    pub format: Format,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  perflab history changes results/redis-history")]
pub struct ChangesArguments {
    /// The directory of a history.
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,

    /// Print in this format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    pub format: Format,
}

/// What is printed of a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Tables.
    Text,
    /// JSON; `perflab schema` prints the schema: `history-view` of `show`, `history-changes` of `changes`.
    Json,
}

/// Reads the value of `--every`.
fn every(text: &str) -> Result<Every, String> {
    let word = match text {
        "commit" => Word::Commit,
        "day" => Word::Day,
        "week" => Word::Week,
        "month" => Word::Month,
        "tag" => Word::Tag,
        "merge" => Word::Merge,
        number => {
            let number = number.parse().map(Every::Nth);
            return number.map_err(|_| {
                "expected commit, day, week, month, tag, merge or a number from 1 on".to_owned()
            });
        }
    };
    Ok(Every::Word(word))
}
