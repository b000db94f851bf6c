//! The command line of `perflab run`.

use std::path::PathBuf;

use clap::Args;

use crate::until::UntilArguments;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  perflab run experiments/sort.toml --dry-run\n  \
perflab run experiments/sort.toml --runs 12 --out results/first\n  \
perflab run experiments/sort.toml --resume --out results/first"
)]
pub struct RunArguments {
    /// The experiment file.
    #[arg(value_name = "EXP.toml")]
    pub file: PathBuf,

    /// Runs of each cell, instead of the file's.
    #[arg(long, value_name = "N", conflicts_with_all = ["resume", "until_decided"])]
    pub runs: Option<u32>,

    /// With --until-decided: most runs of each cell, instead of the file's.
    #[arg(
        long,
        value_name = "N",
        requires = "until_decided",
        conflicts_with_all = ["resume", "runs"]
    )]
    pub max_runs: Option<u32>,

    /// Seed of the random order, instead of the file's.
    #[arg(long, value_name = "SEED", conflicts_with = "resume")]
    pub seed: Option<u64>,

    /// Go on with an experiment that was interrupted: the result in --out, or else the newest one
    /// of this experiment below the directory `results` that has runs left.
    #[arg(long)]
    pub resume: bool,

    /// Print the plan and the time limits; run nothing.
    #[arg(long, conflicts_with = "resume")]
    pub dry_run: bool,

    /// Directory of the result [default: results/NAME-TIME].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Let variants change settings of the machine as their tables `machine` say; they are put back
    /// afterwards. Needs root.
    #[arg(long)]
    pub allow_machine_settings: bool,

    /// Wait while another laboratory measures on this machine.
    #[arg(long)]
    pub wait: bool,

    /// When to stop by the results.
    #[command(flatten)]
    pub until: UntilArguments,

    /// Print no progress.
    #[arg(short, long)]
    pub quiet: bool,
}
