//! `perflab-kv rcu`: the flavours of RCU by themselves.

mod barrier;
mod chosen;
mod crew;
mod layout;
mod list;
mod loops;
mod measured;
mod nodes;
mod possible;
mod question;
mod run;
mod stress;

use clap::Subcommand;

use crate::cpus;
use crate::failure::{Code, Failure};

/// Commands on the flavours of RCU.
#[derive(Debug, Subcommand)]
pub enum RcuCommand {
    /// List the flavours: which this machine has, from which library, and why not the others.
    List(list::ListArguments),
    /// Answer whether a flavour can be measured here: exit code 0, or 77 with the reason as the last line.
    ///
    /// Loads the flavour in a process of its own, lets readers read, and makes one grace period. The flavour is possible
    /// if its mechanism was then at work: membarrier was called, signals were handled, as its name says.
    Possible(possible::PossibleArguments),
    /// Measure how often readers read and writers write, as liburcu's own benchmark does.
    ///
    /// docs/rcu.md describes each key of the output.
    Run(run::RunArguments),
    /// Measure how long a barrier takes its caller.
    ///
    /// docs/rcu.md describes each key of the output.
    Barrier(barrier::BarrierArguments),
    /// Look for readers that see freed memory: freed objects are overwritten before they are used again.
    Stress(stress::StressArguments),
}

/// Executes a command.
pub fn rcu(command: &RcuCommand) -> Result<Option<Code>, Failure> {
    match command {
        RcuCommand::List(arguments) => list::list(arguments),
        RcuCommand::Possible(arguments) => possible::possible(arguments),
        RcuCommand::Run(arguments) => run::run(arguments),
        RcuCommand::Barrier(arguments) => barrier::barrier(arguments),
        RcuCommand::Stress(arguments) => stress::stress(arguments),
    }
}
