//! The command line of `perflab doctor`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::noise;
use crate::results::RESULTS;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  perflab doctor\n  perflab doctor --quick --cpus 0\n  \
perflab doctor --quick --format json\n  perflab doctor --cpus 0 --noise 10s\n\nAs root:\n  \
perflab doctor --apply -- perflab run experiments/redis-suite.toml"
)]
pub struct DoctorArguments {
    /// The CPUs to be used, as in 0 or 0-2,5 [default: all that this process may use; of those,
    /// measure at most 4].
    #[arg(long, value_name = "LIST")]
    pub cpus: Option<String>,

    /// Only look; measure nothing.
    #[arg(long)]
    pub quick: bool,

    /// Measure each CPU so long as well, to see how its speed wanders by time scale and how long slices of variants that
    /// take turns should be: 1s to 1h [default if TIME is left out: 1min].
    #[arg(
        long,
        value_name = "TIME",
        num_args = 0..=1,
        default_missing_value = "1min",
        value_parser = noise::time,
        conflicts_with_all = ["quick", "root", "apply", "restore"]
    )]
    pub noise: Option<Duration>,

    /// Show what is fine as well, with its file.
    #[arg(short, long)]
    pub verbose: bool,

    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Directory where results will go, for its disk.
    #[arg(long, value_name = "DIR", default_value = RESULTS)]
    pub results: PathBuf,

    /// Wait while another laboratory measures on this machine.
    #[arg(long)]
    pub wait: bool,

    /// Judge a copy of another machine's /proc and /sys below DIR; watches and measures nothing.
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,

    /// Set what suits measuring, check that it took, and put everything back when COMMAND has
    /// ended; without a command the settings stay until --restore. Needs root.
    #[arg(long)]
    pub apply: bool,

    /// Put back what --apply changed.
    #[arg(long, conflicts_with = "apply")]
    pub restore: bool,

    /// With --apply: turn SMT off, or on.
    #[arg(long, value_name = "STATE", requires = "apply")]
    pub smt: Option<Switch>,

    /// With --apply: move the interrupts of devices away from the CPUs of --cpus.
    #[arg(long, requires = "apply", requires = "cpus")]
    pub irqs: bool,

    /// With --apply: executed under the settings, with nothing as its standard input.
    #[arg(last = true, requires = "apply", value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// What SMT is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    On,
    Off,
}

/// Forms of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// For programs; `perflab schema doctor` describes it.
    Json,
}
