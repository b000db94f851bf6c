//! `perflab trace`: the probes of running processes.

mod list;
mod start;
mod top;

use clap::{Args, Subcommand};
use perflab_control::{Agent, ControlError, Traced, traced};

use crate::failure::{Code, Failure};
use crate::terminal::{self, Form};

/// What to do with probes.
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  perflab trace list\n\n\
A process can be traced if it was started by `perflab trace on ... -- COMMAND`, or with the agent: \
see docs/probes.md.")]
pub enum TraceCommand {
    /// List the probes of running processes: sites, hits, arguments.
    #[command(after_help = "Example:\n  perflab trace list 'redis:command*'")]
    List(ListArguments),
    /// Switch probes on, in running processes or in a command that is started.
    #[command(after_help = "Examples:\n  perflab trace on 'redis:*' --pid 1234\n  \
perflab trace on 'redis:*' -- redis-server --port 7777")]
    On(OnArguments),
    /// Switch probes off.
    #[command(after_help = "Example:\n  perflab trace off '*' --all")]
    Off(OffArguments),
    /// Show the hits per second of the probes that are on.
    #[command(after_help = "Example:\n  perflab trace top --count 1")]
    Top(top::TopArguments),
}

/// Arguments of `list`.
#[derive(Debug, Args)]
pub struct ListArguments {
    /// Which probes, as provider:name with *; several with commas.
    #[arg(value_name = "PROBES", default_value = "*")]
    probes: String,

    #[command(flatten)]
    processes: Processes,

    /// One line for each site, with its address, in place of one for each probe.
    #[arg(long)]
    sites: bool,

    /// Form of the output.
    #[arg(long, value_enum, default_value = "text")]
    format: Form,
}

/// Arguments of `on`.
#[derive(Debug, Args)]
pub struct OnArguments {
    /// Which probes, as provider:name with *; several with commas.
    #[arg(value_name = "PROBES")]
    probes: String,

    #[command(flatten)]
    processes: Processes,

    /// All processes that have an agent.
    #[arg(long, conflicts_with_all = ["pid", "command"])]
    all: bool,

    /// A command to start with the probes on.
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "pid")]
    command: Vec<std::ffi::OsString>,
}

/// Arguments of `off`.
#[derive(Debug, Args)]
pub struct OffArguments {
    /// Which probes, as provider:name with *; several with commas.
    #[arg(value_name = "PROBES")]
    probes: String,

    #[command(flatten)]
    processes: Processes,

    /// All processes that have an agent.
    #[arg(long, conflicts_with = "pid")]
    all: bool,
}

/// Which processes.
#[derive(Debug, Args)]
pub struct Processes {
    /// Number of a process (may be given again).
    #[arg(short, long, value_name = "PID")]
    pid: Vec<u32>,
}

impl Processes {
    /// Those that are asked for; all, if none is.
    fn find(&self) -> Result<Vec<Traced>, Failure> {
        let found = traced().map_err(|error| {
            Failure::environment(format!(
                "the sockets of agents cannot be looked at: {error}"
            ))
        })?;
        if self.pid.is_empty() {
            return Ok(found);
        }
        let mut chosen = Vec::new();
        for pid in &self.pid {
            let process = found.iter().find(|traced| traced.pid == *pid).cloned();
            chosen.push(process.ok_or_else(|| no_agent(*pid))?);
        }
        Ok(chosen)
    }
}

fn no_agent(pid: u32) -> Failure {
    if !std::path::Path::new(&format!("/proc/{pid}")).exists() {
        return Failure::no_data(format!("there is no process {pid}"));
    }
    Failure::environment(format!(
        "process {pid} has no agent that this user may ask: start it by \
         `perflab trace on PROBES -- COMMAND`, see docs/probes.md"
    ))
}

/// Executes `trace`.
pub fn trace(command: TraceCommand) -> Result<Option<Code>, Failure> {
    match command {
        TraceCommand::List(arguments) => list::list(&arguments),
        TraceCommand::On(arguments) if !arguments.command.is_empty() => {
            start::start(&arguments.probes, &arguments.command)
        }
        TraceCommand::On(arguments) => {
            switch(&arguments.processes, arguments.all, &arguments.probes, true)
        }
        TraceCommand::Off(arguments) => switch(
            &arguments.processes,
            arguments.all,
            &arguments.probes,
            false,
        ),
        TraceCommand::Top(arguments) => top::top(&arguments),
    }
}

fn switch(
    processes: &Processes,
    all: bool,
    probes: &str,
    on: bool,
) -> Result<Option<Code>, Failure> {
    if processes.pid.is_empty() && !all {
        return Err(Failure::usage(
            "which process? Expected --pid PID or --all (perflab trace list shows those that can be \
             traced)",
        ));
    }
    let processes = processes.find()?;
    if processes.is_empty() {
        return Err(Failure::no_data(
            "no running process of this user has an agent",
        ));
    }
    let mut matched = 0;
    for process in &processes {
        let switched = Agent::at(&process.socket)
            .switch(probes, on)
            .map_err(|error| refused(process, &error))?;
        matched += switched.matched;
        let mut line = format!(
            "{} {}: {} of {} sites switched {}",
            process.pid,
            terminal::escape(&process.name),
            switched.changed,
            switched.matched,
            if on { "on" } else { "off" },
        );
        if switched.changed > 0 {
            line += &format!(" in {:.0} us", switched.took.as_secs_f64() * 1e6);
        }
        if !switched.how.is_empty() {
            line += &format!(" ({})", switched.how);
        }
        terminal::print(&(line + "\n"))?;
    }
    if matched == 0 {
        return Err(Failure::no_data(format!(
            "no probe is called {probes:?} there now; it holds for objects that are loaded later"
        )));
    }
    Ok(None)
}

fn refused(process: &Traced, error: &ControlError) -> Failure {
    let name = terminal::escape(&process.name);
    Failure::environment(format!("process {} ({name}): {error}", process.pid))
}
