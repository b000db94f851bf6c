//! The binary `perflab-kv`: a subject for the laboratory, and a load for such subjects.

mod closed;
mod cpus;
mod failure;
mod load;
mod output;
mod rcu;

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::{Code, Failure};

/// A subject for perflab to look into, and a load for servers.
#[derive(Debug, Parser)]
#[command(
    name = "perflab-kv",
    version,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true
)]
#[command(
    after_help = "Exit codes: 0 fine; 1 a reader saw freed memory, memory was not freed in the end or grew beyond its \
bound, or a stall was not reported; 2 usage; 3 the output cannot be written; 4 no number: the mechanism was not at \
work, a thread failed, or a server misbehaved or answered with errors; 5 unavailable here, as a server that cannot be \
reached; 77 `possible` or `barrier --possible` says no"
)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List, check, measure and stress the flavours of RCU.
    #[command(subcommand)]
    Rcu(rcu::RcuCommand),
    /// Load servers that speak Redis' protocol or memcached's, and measure them: rates, latencies, CPU time.
    Load(Box<load::LoadArguments>),
}

fn main() -> ExitCode {
    let ended = match asked_by_perflab() {
        Some(file) => output::keep().and_then(|()| load::take_turns(&file)),
        None => match CommandLine::try_parse() {
            Ok(CommandLine { command }) => output::keep().and_then(|()| command.execute()),
            Err(error) => explain(&error),
        },
    };
    match ended {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some(code)) => ExitCode::from(code as u8),
        Err(failure) => {
            output::say(&format!("error: {failure}"));
            ExitCode::from(failure.code as u8)
        }
    }
}

/// The file with which perflab has a program take turns: its only argument.
fn asked_by_perflab() -> Option<OsString> {
    let mut arguments = env::args_os().skip(1);
    let first = arguments.next()?;
    (load::is_order(&first) && arguments.next().is_none()).then_some(first)
}

impl Command {
    fn execute(&self) -> Result<Option<Code>, Failure> {
        match self {
            Self::Rcu(command) => rcu::rcu(command),
            Self::Load(arguments) => load::load(arguments),
        }
    }
}

/// Prints the help that was asked for, or the mistake of the command line.
fn explain(error: &clap::Error) -> Result<Option<Code>, Failure> {
    if error.use_stderr() {
        let _ = error.print();
        return Ok(Some(Code::Usage));
    }
    let printed = closed::was_open()
        .and_then(|()| error.print())
        .and_then(|()| io::stdout().flush());
    match printed {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(output::unwritten(error)),
        _ => Ok(None),
    }
}
