//! The binary `perflab-kv`: a subject for the laboratory. So far it has the flavours of RCU by themselves.

mod failure;
mod output;
mod rcu;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

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
    after_help = "Exit codes: 0 fine; 1 freed memory was read, memory was not freed in the end or grew beyond its \
bound, or a stall was not reported; 2 usage; 4 no number: the mechanism was not at work; 5 unavailable here; \
77 `possible` or `barrier --possible` says no"
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
    let Command::Rcu(command) = CommandLine::parse().command;
    match rcu::rcu(&command) {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some(code)) => ExitCode::from(code as u8),
        Err(failure) => {
            output::say(&format!("error: {failure}"));
            ExitCode::from(failure.code as u8)
        }
    }
}
