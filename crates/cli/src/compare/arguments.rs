//! The command line of `perflab compare`.

use clap::{Args, ValueEnum};

use super::gate::Gate;
use crate::drawn::Kind;
use crate::numbers::NumbersArguments;
use crate::selection::Question;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  perflab compare results/first\n  \
perflab compare results/first --metric wall --detail\n  \
perflab compare results/first --drift\n  \
perflab compare results/first --plot=forest,runs\n  \
perflab compare results/first --calibrate=200\n  \
perflab compare old=before.txt new=after.txt --unit ms --better lower\n  \
perflab compare monday=results/first tuesday=results/second\n  \
perflab compare results/first --margin 1% --gate same --format json")]
pub struct CompareArguments {
    /// A result directory, LABEL=FILE for each variant, or LABEL=RESULT for each of two.
    #[arg(required = true, value_name = "RESULT")]
    pub results: Vec<String>,

    /// The variant that the others are compared with.
    #[arg(long, value_name = "VARIANT")]
    pub baseline: Option<String>,

    /// Metrics to compare (may be given again) [default: the experiment's, else the driver's first].
    #[arg(long, value_name = "NAME")]
    pub metric: Vec<String>,

    /// Benchmarks to compare, as a request type or a subset that the experiment names (may be given
    /// again).
    #[arg(long, alias = "part", value_name = "NAME")]
    pub benchmark: Vec<String>,

    /// A quantile of each run's samples to compare together with their metric, as 99% or 99.9% (may be
    /// given again); it adds tests of its own.
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    pub tail: Vec<String>,

    /// Largest difference that does not matter, as in 1%; declare it before you look.
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    pub margin: Option<String>,

    /// Confidence level, as in 95%.
    #[arg(short, long, value_name = "PERCENT", allow_hyphen_values = true)]
    pub confidence: Option<String>,

    /// Ask these questions of each row; all tests share the error [default: typical,mean].
    #[arg(long, alias = "claims", value_enum, value_delimiter = ',')]
    pub questions: Vec<Question>,

    /// Shuffle the labels of the runs within blocks, compute the whole report again, and print how
    /// often it finds a difference, each of which is false: of 1000 reports, or as many as are given.
    #[arg(
        long,
        value_name = "REPORTS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "1000",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    pub calibrate: Option<u32>,

    /// Print the output in this form.
    #[arg(long, value_enum, default_value_t = Form::Text)]
    pub format: Form,

    /// What makes the command fail.
    #[arg(long, value_enum, default_value_t = Gate::Regression)]
    pub gate: Gate,

    /// Show for every row the plot, the modes, the minimum detectable effect, and what limits it.
    #[arg(long)]
    pub detail: bool,

    /// Compare every row decile by decile (implies --detail).
    #[arg(long)]
    pub deciles: bool,

    /// Show for every row how the levels and their difference moved from the first block to the
    /// last.
    #[arg(long)]
    pub drift: bool,

    /// Draw plots below the tables: without a value, all differences with their intervals.
    #[arg(
        long,
        value_enum,
        value_name = "KIND",
        value_delimiter = ',',
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "forest"
    )]
    pub plot: Vec<Kind>,

    /// Draw plots in ASCII only.
    #[arg(long)]
    pub ascii: bool,

    /// What plain files hold.
    #[command(flatten)]
    pub numbers: NumbersArguments,

    /// Believe that the numbers in plain files come from separate runs, though they do not look it.
    #[arg(long, conflicts_with = "iterations")]
    pub independent: bool,
}

impl CompareArguments {
    /// Whether the output has all that is known of each row.
    pub(super) fn is_in_detail(&self) -> bool {
        self.detail || self.deciles || self.format == Form::Json
    }
}

/// Forms of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// For people.
    Text,
    /// For programs: see `perflab schema result`.
    Json,
    /// For spreadsheets.
    Csv,
    /// For pull requests.
    Markdown,
}
