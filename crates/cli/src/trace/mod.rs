//! `perflab trace`: the probes of running processes.

mod about;
mod accepted;
mod along;
mod asked;
mod awaited;
mod by;
mod choice;
mod command;
mod file;
mod interrupt;
mod judge;
mod judged;
mod list;
mod memory;
mod outcome;
mod places;
mod program;
mod record;
mod recover;
mod session;
mod shown;
mod start;
mod summary;
mod switch;
mod top;
mod trigger;
mod unmatched;
mod view;
mod watched;
mod when;

use clap::Subcommand;

pub use choice::{NONE, Processes, probes};
pub use file::create;
pub use judged::mode;
pub use outcome::{Outcome, problem_in_words};
pub use session::{FEW, SEARCH, are_meant};
pub use start::agent;

use crate::failure::{Code, Failure};

/// What to do with probes.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(after_help = "Example:\n  perflab trace list\n\n\
A process can be traced if it was started by `perflab trace on ... -- COMMAND`, or with the agent: \
see docs/probes.md.")]
pub enum TraceCommand {
    /// List the probes of running processes: sites, hits, arguments.
    #[command(after_help = "Example:\n  perflab trace list 'redis:command*'")]
    List(list::ListArguments),
    /// Switch probes on, in running processes or in a command that is started.
    #[command(after_help = "Examples:\n  perflab trace on 'redis:*' --pid 1234\n  \
perflab trace on 'redis:*' -- redis-server --port 7777")]
    On(switch::OnArguments),
    /// Switch probes off.
    #[command(after_help = "Example:\n  perflab trace off '*' --all")]
    Off(switch::OffArguments),
    /// Record events into a file, each with its time and its arguments.
    #[command(
        after_help = "Examples:\n  perflab trace record 'redis:*' --pid 1234 --seconds 5 -o get.trace\n  \
perflab trace record -o all.trace -- redis-server --port 7777\n  \
perflab trace record 'kv:command' --when 'name == \"SET\" && bytes > 512' --pid 1234 -o sets.trace\n  \
perflab trace record --pid 1234 --last 2 -o before.trace\n  \
perflab trace record --pid 1234 --last 2 --until 'kv:done when us > 5000' -o slow.trace"
    )]
    Record(session::RecordArguments),
    /// Write the events that processes had recorded when they ended, however they did.
    #[command(after_help = "Example:\n  perflab trace recover 1234 -o crash.trace")]
    Recover(recover::RecoverArguments),
    /// Show the events of a trace as text, in order of time.
    #[command(after_help = "Examples:\n  perflab trace view get.trace\n  \
perflab trace view get.trace 'redis:call*' --from 1.5 --limit 100\n  \
perflab trace view kv.trace --when 'name == \"SET\" && bytes > 512'")]
    View(asked::ViewArguments),
    /// Show the hits per second of the probes that are on, or of each value of an argument.
    #[command(after_help = "Examples:\n  perflab trace top --count 1\n  \
perflab trace top 'kv:command' --by name --pid 1234")]
    Top(top::TopArguments),
}

/// Executes `trace`.
pub fn trace(command: TraceCommand) -> Result<Option<Code>, Failure> {
    match command {
        TraceCommand::List(arguments) => list::list(&arguments),
        TraceCommand::On(arguments) => switch::on(&arguments),
        TraceCommand::Off(arguments) => switch::off(&arguments),
        TraceCommand::Record(arguments) => record::record(&arguments),
        TraceCommand::Recover(arguments) => recover::recovered(&arguments),
        TraceCommand::View(arguments) => view::view(&arguments),
        TraceCommand::Top(arguments) => top::top(&arguments),
    }
}
