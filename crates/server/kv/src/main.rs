//! The binary `perflab-kv`: a subject for the laboratory. So far it has the flavours of RCU by themselves.

mod closed;
mod failure;
mod output;
mod rcu;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::{Code, Failure};

/// A subject for perflab to look into.
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
work, or a thread failed; 5 unavailable here; 77 `possible` or `barrier --possible` says no"
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
}

fn main() -> ExitCode {
    let ended = match CommandLine::try_parse() {
        Ok(CommandLine {
            command: Command::Rcu(command),
        }) => output::keep().and_then(|()| rcu::rcu(&command)),
        Err(error) => explain(&error),
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
