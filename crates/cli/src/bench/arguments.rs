//! The command line of `perflab bench`: hyperfine's flags, with hyperfine's meanings.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};

use perflab_experiment::parse_duration;

use crate::failure::Failure;
use crate::terminal;
use crate::until::UntilArguments;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  perflab bench 'sleep 0.01' 'sleep 0.011'\n  perflab bench -N -r 30 -L time 0.01,0.02 'sleep {time}'"
)]
pub struct BenchArguments {
    /// The commands to compare; the first is the baseline unless --reference names another.
    #[arg(required = true, value_name = "COMMAND")]
    pub commands: Vec<String>,

    /// Executions of each command before the first measured one.
    #[arg(short, long, value_name = "NUM", default_value_t = 0)]
    pub warmup: u32,

    /// Exactly this many runs of each command.
    #[arg(short, long, value_name = "NUM", conflicts_with = "until_decided", value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: Option<u32>,

    /// At least this many runs of each command [default: 10].
    #[arg(short, long, value_name = "NUM", conflicts_with = "runs", value_parser = clap::value_parser!(u32).range(1..))]
    pub min_runs: Option<u32>,

    /// At most this many runs of each command.
    #[arg(short = 'M', long, value_name = "NUM", conflicts_with = "runs", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_runs: Option<u32>,

    /// Seconds that the runs of each command fill together, within the other limits.
    #[arg(long, value_name = "SECONDS", default_value_t = 3.0, value_parser = seconds)]
    pub min_benchmarking_time: f64,

    /// Executed once per command, before its first execution.
    #[arg(short, long, value_name = "CMD")]
    pub setup: Option<String>,

    /// Executed before each run (once for all commands, or once per command).
    #[arg(short, long, value_name = "CMD")]
    pub prepare: Vec<String>,

    /// Executed after each run (once for all commands, or once per command).
    #[arg(short = 'C', long, value_name = "CMD")]
    pub conclude: Vec<String>,

    /// Executed once per command, after its last run.
    #[arg(short, long, value_name = "CMD")]
    pub cleanup: Option<String>,

    /// Runs every command for each number from MIN to MAX instead of {VAR}.
    #[arg(short = 'P', long, num_args = 3, value_names = ["VAR", "MIN", "MAX"], allow_hyphen_values = true, conflicts_with = "parameter_list")]
    pub parameter_scan: Option<Vec<String>>,

    /// Step of --parameter-scan [default: 1; required if MIN or MAX has a fraction].
    #[arg(
        short = 'D',
        long,
        value_name = "DELTA",
        requires = "parameter_scan",
        allow_hyphen_values = true
    )]
    pub parameter_step_size: Option<String>,

    /// Runs every command for each of the comma-separated VALUES instead of {VAR}.
    #[arg(short = 'L', long, num_args = 2, value_names = ["VAR", "VALUES"], allow_hyphen_values = true, action = clap::ArgAction::Append)]
    pub parameter_list: Vec<String>,

    /// The shell that runs the commands; `none` for no shell.
    #[arg(
        short = 'S',
        long,
        value_name = "SHELL",
        default_value = "default",
        overrides_with = "shell"
    )]
    pub shell: String,

    /// Split commands into words and execute them without a shell, also those of --setup, --prepare, --conclude and
    /// --cleanup: the same as --shell=none.
    #[arg(short = 'N', conflicts_with = "shell")]
    pub no_shell: bool,

    /// Go on when a command fails; with codes, only for those (as in --ignore-failure=1,2).
    #[arg(short, long, value_name = "CODES", num_args = 0..=1, require_equals = true, default_missing_value = "all")]
    pub ignore_failure: Option<String>,

    /// Name of a command in the output, in the order of the commands.
    #[arg(short = 'n', long, value_name = "NAME")]
    pub command_name: Vec<String>,

    /// The command that the others are compared with; it need not be among them.
    #[arg(long, value_name = "CMD")]
    pub reference: Option<String>,

    /// Name of the --reference in the output.
    #[arg(long, value_name = "NAME", requires = "reference")]
    pub reference_name: Option<String>,

    /// Order of the comparisons and of the exported tables.
    #[arg(long, value_enum, value_name = "METHOD", default_value_t = Sort::Auto)]
    pub sort: Sort,

    /// Colour and progress; `none` is the same as --quiet.
    #[arg(long, value_enum, value_name = "TYPE", default_value_t = Style::Auto)]
    pub style: Style,

    /// Unit of times in the lines on each command and in exported tables; the comparison below them
    /// chooses its own.
    #[arg(short = 'u', long, value_enum, value_name = "UNIT")]
    pub time_unit: Option<TimeUnit>,

    /// Where the commands' output goes: null, pipe, inherit or a path, as ./FILE (once for all
    /// commands, or once per command) [default: null]. Some programs, as GNU grep, do less work
    /// where it goes to /dev/null, and pipe can then give the opposite verdict.
    #[arg(long, value_name = "WHERE", value_parser = Output::parse)]
    pub output: Vec<Output>,

    /// The same as --output=inherit.
    #[arg(long, conflicts_with_all = ["output", "style"])]
    pub show_output: bool,

    /// Where the commands' input comes from: null or a file.
    #[arg(long, value_name = "WHERE", default_value = "null")]
    pub input: String,

    /// Write the results as hyperfine's JSON (`-` is standard output; so for all exports). Times
    /// have the shell's in them. `memory_usage_byte` is left out where a command takes less memory
    /// than perflab does: Linux then reports perflab's.
    #[arg(long, value_name = "FILE")]
    pub export_json: Option<PathBuf>,

    /// Write the summary as hyperfine's CSV.
    #[arg(long, value_name = "FILE")]
    pub export_csv: Option<PathBuf>,

    /// Write the summary as hyperfine's Markdown table.
    #[arg(long, value_name = "FILE")]
    pub export_markdown: Option<PathBuf>,

    /// Write the summary as hyperfine's AsciiDoc table.
    #[arg(long, value_name = "FILE")]
    pub export_asciidoc: Option<PathBuf>,

    /// Write the summary as hyperfine's Emacs Org table.
    #[arg(long, value_name = "FILE")]
    pub export_orgmode: Option<PathBuf>,

    /// Write the comparison as JSON: see `perflab schema result`.
    #[arg(long, value_name = "FILE")]
    pub export_report: Option<PathBuf>,

    /// Run the commands in this order.
    #[arg(long, value_enum, default_value_t = Order::Interleaved)]
    pub order: Order,

    /// Runs of each command within a block [default: 3, with --slices 1].
    #[arg(long, value_name = "NUM", conflicts_with = "slices", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub block: Option<u32>,

    /// Run the commands of a block side by side on one CPU, stopped and continued in turns of TIME, as
    /// 5ms, and compare their CPU time: sharper where the machine's speed changes.
    #[arg(long, value_name = "TIME", value_parser = turn)]
    pub slices: Option<Duration>,

    /// Seed of the random order; drawn and printed if absent.
    #[arg(long, value_name = "SEED")]
    pub seed: Option<u64>,

    /// Largest difference that does not matter, as in 1%: makes the verdict `same` possible.
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    pub margin: Option<String>,

    /// CPUs that the commands may run on, as in 0 or 0-2,5.
    #[arg(long, value_name = "LIST")]
    pub cpus: Option<String>,

    /// Ends a command, with all that it started, that takes longer, as in 10s; with --slices, whose
    /// turns together take longer.
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<String>,

    /// When to stop by the results.
    #[command(flatten)]
    pub until: UntilArguments,

    /// Wait while another laboratory measures on this machine.
    #[arg(long)]
    pub wait: bool,

    /// Print nothing but errors and what an export writes to standard output.
    #[arg(short, long)]
    pub quiet: bool,
}

impl BenchArguments {
    /// Whether nothing but errors and exports is printed.
    pub fn is_silent(&self) -> bool {
        self.quiet || self.style == Style::None
    }

    /// Refuses more runs at least than at most.
    ///
    /// # Errors
    /// When --min-runs asks for that.
    pub fn check_range(&self, most: Option<u32>) -> Result<(), Failure> {
        match (self.min_runs, most) {
            (Some(least), Some(most)) if least > most => Err(Failure::usage(format!(
                "--min-runs asks for more than the {most} runs of --max-runs"
            ))),
            _ => Ok(()),
        }
    }

    /// Runs of each command within a block.
    pub fn block(&self) -> u32 {
        let default = if self.slices.is_some() { 1 } else { 3 };
        self.block.unwrap_or(default)
    }
}

/// The length of a turn: what stopping and continuing costs is little beside it, and a run has many.
fn turn(text: &str) -> Result<Duration, String> {
    let length = parse_duration(text).map_err(|error| error.to_string())?;
    let usual = Duration::from_millis(1)..=Duration::from_secs(1);
    match usual.contains(&length) {
        true => Ok(length),
        false => Err("expected 1ms to 1s, as 5ms".to_owned()),
    }
}

/// A time in seconds.
fn seconds(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0)
        .ok_or_else(|| "expected seconds, 0 or more, as 1.5".to_owned())
}

/// Where a command's output goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Nowhere: `/dev/null`, which some commands look for.
    Null,
    /// Through a pipe that perflab empties.
    Pipe,
    /// Where perflab's own goes.
    Inherit,
    /// Into a file, made again for each run.
    File(PathBuf),
}

impl Output {
    /// A bare name is no file, as in hyperfine: it may be a word that is misspelt.
    fn parse(text: &str) -> Result<Self, String> {
        match text {
            "null" => Ok(Self::Null),
            "pipe" => Ok(Self::Pipe),
            "inherit" => Ok(Self::Inherit),
            path if Path::new(path).components().count() > 1 => Ok(Self::File(path.into())),
            word => Err(format!(
                "expected null, pipe, inherit or a path; the file is ./{word}"
            )),
        }
    }
}

/// Orders of comparisons and tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Sort {
    /// That of the command line. hyperfine sorts the comparisons by time here.
    Auto,
    /// That of the command line.
    Command,
    /// The shortest mean first.
    MeanTime,
}

/// Colour and progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Style {
    /// Both on a terminal.
    Auto,
    /// Neither.
    Basic,
    /// Colour in any case, progress on a terminal.
    Full,
    /// No colour, progress on a terminal.
    #[value(name = "nocolor")]
    NoColour,
    /// Colour in any case, no progress.
    #[value(name = "color")]
    Colour,
    /// No output.
    None,
}

impl Style {
    /// Whether text is coloured.
    pub fn colour(self) -> bool {
        match self {
            Self::Auto => terminal::colour(),
            Self::Full | Self::Colour => true,
            Self::Basic | Self::NoColour | Self::None => false,
        }
    }

    /// Whether progress is drawn on a terminal.
    pub fn progress(self) -> bool {
        matches!(self, Self::Auto | Self::Full | Self::NoColour)
    }
}

/// Units of time in the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TimeUnit {
    /// Microseconds.
    Microsecond,
    /// Milliseconds.
    Millisecond,
    /// Seconds.
    Second,
}

/// Orders of the runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Order {
    /// All commands in turn, in random order within small blocks.
    Interleaved,
    /// All runs of a command before those of the next, as hyperfine does; drift then counts as a
    /// difference.
    Sequential,
}
