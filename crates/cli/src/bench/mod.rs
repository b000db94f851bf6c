//! `perflab bench`: compares commands without a file.

mod arguments;
mod command_line;
mod commands;
mod export;
mod in_turns;
mod itself;
mod measure;
mod measured;
mod parameters;
mod pipe;
mod round;
mod schedule;
mod shell;
mod slices;
mod summary;
mod until;
mod watched;

use std::ffi::OsString;
use std::time::Duration;

pub use arguments::BenchArguments;
use arguments::{Output, Sort};
use command_line::Shell;
use commands::BenchCommand;
pub use itself::{Itself, against_itself};
use measure::{Bench, Tolerated};
use perflab_compare::Row;
use perflab_runner::cpu_set;
use pipe::Pipe;
use round::Round;
use rustix::thread::CpuSet;
use slices::Slices;
use until::Until;

use crate::cpus::numbers;
use crate::failure::{Code, Failure};
use crate::output::write;
use crate::percent::margin;
use crate::standby::{lock, stand_by};
use crate::terminal;

/// Executes the command.
pub fn bench(arguments: &BenchArguments) -> Result<Option<Code>, Failure> {
    let commands = commands::expand(arguments)?;
    let shell = Shell::from(arguments)?;
    let margin = arguments.margin.as_deref().map(margin).transpose()?;
    let seed = arguments
        .seed
        .unwrap_or_else(|| rand::random::<u64>() >> 12);
    let argvs: Vec<Vec<OsString>> = commands
        .iter()
        .map(|command| shell.argv(&command.line))
        .collect::<Result<_, _>>()?;
    export::check(arguments)?;
    let until = Until::from(arguments, commands.len(), margin)?;
    arguments.check_range(arguments.max_runs)?;

    let cpus = arguments.cpus.as_deref().map(cpus).transpose()?.flatten();
    let slices = Slices::from(arguments, &commands, cpus)?;

    let lock = lock(arguments.wait)?;
    let machine = stand_by(Some(&lock))?;
    let bench = Bench {
        shell,
        environment: machine.inherited_environment(),
        cpus,
        slices,
        timeout: arguments.timeout.as_deref().map(duration).transpose()?,
        tolerated: Tolerated::parse(arguments.ignore_failure.as_deref())?,
        input: path_or_null(&arguments.input),
        pipe: commands
            .iter()
            .any(|command| command.output == Output::Pipe)
            .then(Pipe::new)
            .transpose()?,
        host: &machine,
    };

    let prepares = |command: &BenchCommand| command.setup.is_some() || command.prepare.is_some();
    if bench.shell == Shell::None && !commands.iter().any(prepares) {
        look_for(&argvs, &bench)?;
    }
    let mut round = Round::new(&commands, &argvs, arguments, seed, until);
    round.all(&bench)?;
    let measurements = round.measurements();
    let mut report = summary::report(&measurements, margin)?;
    if let (Sort::MeanTime, Some(report)) = (arguments.sort, &mut report) {
        let mean = |row: &Row| row.candidate.mean;
        report.rows.sort_by(|a, b| mean(a).total_cmp(&mean(b)));
    }
    // Before the exports: should one of them fail, what was measured is not lost.
    if !arguments.is_silent() {
        terminal::print(&summary::text(&measurements, arguments, report.as_ref())?)?;
    }
    export::all(&measurements, arguments)?;
    if let (Some(path), Some(report)) = (&arguments.export_report, &report) {
        write(path, &perflab_report::json(report))?;
    }
    Ok(report
        .filter(|_| arguments.until.until_decided)
        .and_then(|report| arguments.until.code(&report)))
}

/// Looks for all programs, so that none is measured in vain before another one is missing.
fn look_for(argvs: &[Vec<OsString>], bench: &Bench<'_>) -> Result<(), Failure> {
    let Ok(directory) = std::env::current_dir() else {
        return Ok(());
    };
    for program in argvs.iter().filter_map(|argv| argv.first()) {
        let found = bench
            .host
            .locate(program, &directory, &bench.environment.path());
        found.map_err(|why| {
            let program = terminal::escape(&program.to_string_lossy());
            Failure::environment(format!("cannot start `{program}`: {why}"))
        })?;
    }
    Ok(())
}

fn path_or_null(text: &str) -> Option<std::path::PathBuf> {
    (text != "null").then(|| text.into())
}

fn duration(text: &str) -> Result<Duration, Failure> {
    perflab_experiment::parse_duration(text).map_err(Failure::usage)
}

fn cpus(text: &str) -> Result<Option<CpuSet>, Failure> {
    cpu_set(&numbers(text)?).map_err(Failure::environment)
}
