//! The binary `perflab`: arguments in, calls to the crates, exit code out.

mod bench;
mod compare;
mod cpus;
mod doctor;
mod drawn;
mod export;
mod failure;
mod filter;
mod history;
mod import;
mod init;
mod numbers;
mod output;
mod percent;
mod plan;
mod progress;
mod renamed;
mod report;
mod results;
mod run;
mod selection;
mod serve;
mod settings;
mod show;
mod standby;
mod steady;
mod terminal;
mod text_file;
mod trace;
mod tune;
mod until;

use std::ffi::OsString;
use std::io::{ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};

use failure::{Code, Failure};

/// A performance laboratory: proves whether B differs from A, and says when a number cannot be
/// trusted.
#[derive(Debug, Parser)]
#[command(
    name = "perflab",
    version,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true
)]
#[command(
    after_help = "Exit codes: 0 fine; 1 regression proven; 2 usage; 3 sameness not shown; \
4 no or incomplete data; 5 environment; 124 time limit; 130 interrupted"
)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

// Only the command that is called has its arguments made.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum Command {
    /// Write a commented experiment file for commands: something to begin with.
    Init(init::InitArguments),
    /// Run an experiment: measures every cell of its plan and keeps each run.
    Run(run::RunArguments),
    /// Compare commands without a file, interleaved in random order: print which is faster.
    ///
    /// Flags and meanings are those of hyperfine, with four differences: the runs of all commands are
    /// interleaved in random order within small blocks (`--order sequential` for hyperfine's way), the
    /// comparison is a verdict with an interval, times have the shell's time in them (`-N` leaves the
    /// shell out), and what a command leaves behind is ended with it, not waited for.
    Bench(Box<bench::BenchArguments>),
    /// Compare variants with their baseline: which differ, by how much, and how sure that is.
    ///
    /// Takes result directories of `perflab run`, or plain files of numbers, one per line, as
    /// LABEL=FILE; the first is then the baseline. Two results as LABEL=RESULT are compared with each
    /// other: what both measured of the same variant.
    Compare(compare::CompareArguments),
    /// Write a result as pages for a browser, into a folder that needs no server and no network.
    Report(report::ReportArguments),
    /// Serve the results in a directory to a browser.
    ///
    /// The list of all results, the pages of each, two of them compared, and experiments while they are measured. It
    /// only reads. Unless told otherwise, this machine alone can reach it; if others can, they need the token in the
    /// address that is printed. Pages of a running experiment take some of the machine's time while somebody looks.
    Serve(serve::ServeArguments),
    /// Plan how many runs it takes to show a difference.
    ///
    /// From the runs of a pilot, from a known standard deviation, or from the noise of the machine's CPUs.
    Plan(plan::PlanArguments),
    /// Show the results in a directory, or what is in one result.
    Show(show::ShowArguments),
    /// Judge the machine: what would make results wrong or scattered, and what to do about it.
    ///
    /// Looks at the settings, watches for a second what else runs, then makes each CPU work for about
    /// two seconds to measure what it is worth. Changes nothing, unless --apply is given. Ends with 5
    /// if there is an alarm.
    Doctor(Box<doctor::DoctorArguments>),
    /// Find out from which iteration on processes are steady, if ever.
    ///
    /// A process is flat, warms up, slows down, or has no steady state. Takes plain files of numbers, the iterations of
    /// a process in order, or a result whose runs have many samples of a metric.
    Steady(steady::SteadyArguments),
    /// Make a result out of other tools' files, to compare, show and export.
    ///
    /// Each file is a variant, named by LABEL or by the file, unless the file itself tells variants
    /// apart. Files with the same label are further runs of one variant.
    Import(import::ImportArguments),
    /// Write a result in another tool's format.
    Export(export::ExportArguments),
    /// Measure a program over the revisions of its repository: since when is it slower?
    #[command(subcommand)]
    History(history::HistoryCommand),
    /// Find the revision that introduced a change.
    ///
    /// Looks for a change of a metric or, with --fails, for the revision since which runs fail. Measures both ends and the
    /// most informative revision between them, until one revision has 95 % of the probability. Then compares it with the
    /// one before, with fresh builds of both. The repository is only read.
    Bisect(Box<history::BisectArguments>),
    /// See and switch the probes of running processes.
    #[command(subcommand)]
    Trace(trace::TraceCommand),
    /// Check predicates on the arguments of probes, and show what they become.
    #[command(subcommand)]
    Filter(filter::FilterCommand),
    /// Compare columns of numbers as the tool of this name does, byte for byte.
    ///
    /// Takes that tool's arguments: [-Ans] [-C column] [-c confidence] [-d delimiter] [-w width]
    /// [file ...]. Its defects are kept; `perflab compare` is the better judge.
    #[command(
        disable_help_flag = true,
        after_help = "Example:\n  perflab ministat -w 60 before.txt after.txt"
    )]
    Ministat {
        /// The tool's own arguments.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Print the JSON Schema of a file format.
    #[command(after_help = "Example:\n  perflab schema experiment")]
    Schema {
        /// Which format.
        format: Format,
    },
    /// Rebuild the index of results below a directory.
    #[command(after_help = "Example:\n  perflab index results")]
    Index(show::IndexArguments),
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// The experiment file.
    Experiment,
    /// The history file.
    History,
    /// What `perflab history show --format json` prints.
    HistoryView,
    /// What `perflab history changes --format json` prints.
    HistoryChanges,
    /// What `perflab compare --format json` prints.
    Result,
    /// What `perflab doctor --format json` prints.
    Doctor,
    /// What `perflab plan --format json` prints.
    Plan,
    /// What `perflab steady --format json` prints.
    Steady,
}

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    match arguments.get(1).and_then(|word| word.to_str()) {
        // Not a command for people: see `perflab_runner::Reaper`.
        Some(perflab_runner::REAPER_ARGUMENT) => {
            let mark = arguments
                .get(2)
                .map(|mark| mark.to_string_lossy().into_owned());
            perflab_runner::reap(
                &mark.unwrap_or_default(),
                std::io::stdin(),
                std::io::stdout(),
            );
            return ExitCode::SUCCESS;
        }
        // See `perflab_runner::Restorer`.
        Some(perflab_runner::RESTORER_ARGUMENT) => {
            if let (Some(root), Some(directory)) = (arguments.get(2), arguments.get(3)) {
                perflab_runner::restore_settings(
                    root.as_ref(),
                    directory.as_ref(),
                    std::io::stdin(),
                );
            }
            return ExitCode::SUCCESS;
        }
        // Not one either: something to measure, see `doctor::floor`.
        Some(doctor::SPIN_ARGUMENT) => {
            doctor::spin(arguments.get(2));
            return ExitCode::SUCCESS;
        }
        // Clap must not interpret what belongs to the old tool.
        Some("ministat") => return ministat(arguments.get(2..).unwrap_or_default()),
        _ => {}
    }
    let command = match CommandLine::try_parse() {
        Ok(line) => line.command,
        Err(answer) => return help_or_mistake(&answer),
    };
    renamed::say_new_names(arguments.get(1..).unwrap_or_default());
    // Where it cannot be taken over, such a write ends this process as it would any other.
    let _ = perflab_runner::survive_file_limit();
    let outcome = match command {
        Command::Init(arguments) => init::init(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Bench(arguments) => bench::bench(&arguments),
        Command::Compare(arguments) => compare::compare(&arguments),
        Command::Report(arguments) => report::report(&arguments),
        Command::Serve(arguments) => serve::serve(&arguments),
        Command::Plan(arguments) => plan::plan(&arguments),
        Command::Show(arguments) => show::show(&arguments),
        Command::Doctor(arguments) => match doctor::doctor(&arguments) {
            Ok(code) => return ExitCode::from(code),
            Err(failure) => Err(failure),
        },
        Command::Steady(arguments) => steady::steady(&arguments),
        Command::Import(arguments) => import::import(&arguments),
        Command::Export(arguments) => export::export(&arguments),
        Command::History(command) => history::history(&command),
        Command::Bisect(arguments) => history::bisect(&arguments),
        Command::Trace(command) => trace::trace(command),
        Command::Filter(command) => filter::filter(&command),
        Command::Index(arguments) => show::index(&arguments),
        Command::Schema { format } => schema(format),
        Command::Ministat { arguments } => return ministat(&arguments),
    };
    match outcome {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some(code)) => ExitCode::from(code as u8),
        Err(failure) => {
            terminal::say_error(&failure);
            ExitCode::from(failure.code as u8)
        }
    }
}

/// Prints what clap answers in place of a command: a mistake of the user, or the help or version that was asked for.
fn help_or_mistake(answer: &clap::Error) -> ExitCode {
    match answer.print() {
        Err(error) if !answer.use_stderr() && error.kind() != ErrorKind::BrokenPipe => {
            let message = format!("cannot write the output: {error}");
            terminal::say_error(&Failure::no_data(message));
            ExitCode::from(Code::NoData as u8)
        }
        _ => ExitCode::from(u8::try_from(answer.exit_code()).unwrap_or(Code::Usage as u8)),
    }
}

fn ministat(arguments: &[OsString]) -> ExitCode {
    let columns = if std::io::stdout().is_terminal() {
        let variable = std::env::var_os("COLUMNS");
        perflab_ministat::terminal_width(variable.as_deref(), terminal::window_columns())
    } else {
        None
    };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let code = perflab_ministat::run(
        arguments,
        &mut std::io::stdin().lock(),
        &mut out,
        &mut std::io::stderr().lock(),
        columns,
    );
    match out.flush() {
        Ok(()) => ExitCode::from(code),
        Err(_) => ExitCode::from(Code::NoData as u8),
    }
}

fn schema(format: Format) -> Result<Option<Code>, Failure> {
    let schema = match format {
        Format::Experiment => perflab_experiment::Experiment::schema(),
        Format::History => perflab_history::HistoryFile::schema(),
        Format::HistoryView => perflab_history::View::schema(),
        Format::HistoryChanges => perflab_history::ChangesView::schema(),
        Format::Result => perflab_report::schema(),
        Format::Doctor => perflab_machine::doctor::Report::json_schema(),
        Format::Plan => perflab_compare::plan_schema(),
        Format::Steady => perflab_compare::steady_schema(),
    };
    terminal::print(&terminal::json(&schema)?)?;
    Ok(None)
}
