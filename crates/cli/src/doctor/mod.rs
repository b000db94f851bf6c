//! `perflab doctor`: judges the machine for measuring.

mod apply;
mod floor;
mod look;
mod text;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use perflab_machine::doctor::Severity;

use crate::failure::{Code, Failure};
use crate::terminal;
pub use apply::{directory, must_be_root, settle, start_restorer, tune_failure};
pub use floor::{SPIN_ARGUMENT, spin};

/// Judge the machine: what would make results wrong or scattered, and what to do about it.
///
/// Looks at the settings, watches for a second what else runs, then makes each CPU work for about
/// two seconds to measure what it is worth. Changes nothing, unless --apply is given. Ends with 5
/// if there is an alarm.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  perflab doctor\n  perflab doctor --quick --cpus 0\n  \
perflab doctor --quick --format json\n\nAs root:\n  \
perflab doctor --apply -- perflab run experiments/redis-suite.toml"
)]
pub struct DoctorArguments {
    /// The CPUs to be used, as in 0 or 0-2,5 [default: all that this process may use; of those,
    /// measure at most 4].
    #[arg(long, value_name = "LIST")]
    cpus: Option<String>,

    /// Only look; measure nothing.
    #[arg(long)]
    quick: bool,

    /// Show what is fine as well, with its file.
    #[arg(short, long)]
    verbose: bool,

    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Directory where results will go, for its disk.
    #[arg(long, value_name = "DIR", default_value = crate::run::RESULTS)]
    results: PathBuf,

    /// Wait while another laboratory measures on this machine.
    #[arg(long)]
    wait: bool,

    /// Judge a copy of another machine's /proc and /sys below DIR; watches and measures nothing.
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,

    /// Set what suits measuring, check that it took, and put everything back when COMMAND has
    /// ended; without a command the settings stay until --restore. Needs root.
    #[arg(long)]
    apply: bool,

    /// Put back what --apply changed.
    #[arg(long, conflicts_with = "apply")]
    restore: bool,

    /// With --apply: turn SMT off, or on.
    #[arg(long, value_name = "STATE", requires = "apply")]
    smt: Option<Switch>,

    /// With --apply: move the interrupts of devices away from the CPUs of --cpus.
    #[arg(long, requires = "apply", requires = "cpus")]
    irqs: bool,

    /// With --apply: executed under the settings, with nothing as its standard input.
    #[arg(last = true, requires = "apply", value_name = "COMMAND")]
    command: Vec<OsString>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    Text,
    /// For programs; `perflab schema doctor` describes it.
    Json,
}

/// Executes the command; what to end with.
pub fn doctor(arguments: &DoctorArguments) -> Result<u8, Failure> {
    if arguments.restore {
        return apply::restore(arguments);
    }
    if arguments.apply {
        return apply::apply(arguments);
    }
    let report = match &arguments.root {
        Some(root) => look::recorded(root, arguments.cpus.as_deref())?,
        None => look::here(arguments)?,
    };
    let text = match arguments.format {
        Format::Text => text::text(&report, arguments.verbose),
        Format::Json => serde_json::to_string_pretty(&report)
            .map(|json| format!("{json}\n"))
            .map_err(|error| Failure::environment(format!("cannot print the report: {error}")))?,
    };
    terminal::print(&text)?;
    Ok(match report.worst {
        Severity::Alarm => Code::Environment as u8,
        _ => 0,
    })
}

/// The root of this machine's own files.
fn own_root() -> &'static Path {
    Path::new("/")
}
