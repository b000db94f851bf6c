//! `perflab trace`: the probes of running processes.

mod about;
mod agentless;
mod along;
mod connection;
mod list;
mod memory;
mod outcome;
mod places;
mod program;
mod record;
mod recover;
mod refused;
mod shown;
mod start;
mod summary;
mod top;
mod unmatched;
mod view;

use clap::{Args, Subcommand};
use outcome::Outcome;
use perflab_control::{Agent, ControlError, RecordWish, Traced, traced, variable};

use crate::failure::{Code, Failure};
use crate::terminal::{self, Form};

/// What is said where no process has an agent.
const NONE: &str = "no running process of this user has an agent";

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
    /// Record events into a file, each with its time and its arguments.
    #[command(
        after_help = "Examples:\n  perflab trace record 'redis:*' --pid 1234 --seconds 5 -o get.trace\n  \
perflab trace record -o all.trace -- redis-server --port 7777\n  \
perflab trace record --pid 1234 --last 2 -o before.trace"
    )]
    Record(record::RecordArguments),
    /// Write the events that processes had recorded when they ended, however they did.
    #[command(after_help = "Example:\n  perflab trace recover 1234 -o crash.trace")]
    Recover(recover::RecoverArguments),
    /// Show the events of a trace as text, in order of time.
    #[command(after_help = "Examples:\n  perflab trace view get.trace\n  \
perflab trace view get.trace 'redis:call*' --from 1.5 --limit 100")]
    View(view::ViewArguments),
    /// Show the hits per second of the probes that are on.
    #[command(after_help = "Example:\n  perflab trace top --count 1")]
    Top(top::TopArguments),
}

/// Arguments of `list`.
#[derive(Debug, Args)]
pub struct ListArguments {
    /// Which probes, as provider:name with *; several with commas.
    #[arg(value_name = "PROBES", default_value = "*", value_parser = probes)]
    probes: String,

    #[command(flatten)]
    processes: Processes,

    /// One line for each site, with its address, instead of one for each probe.
    #[arg(long)]
    sites: bool,

    /// Print the output in this form.
    #[arg(long, value_enum, default_value = "text")]
    format: Form,
}

/// Arguments of `on`.
#[derive(Debug, Args)]
pub struct OnArguments {
    /// Which probes, as provider:name with *; several with commas.
    #[arg(value_name = "PROBES", value_parser = probes)]
    probes: String,

    #[command(flatten)]
    processes: Processes,

    /// All processes that have an agent.
    #[arg(long, conflicts_with_all = ["pid", "command"])]
    all: bool,

    /// Record events instead of counting them, the newest over the oldest: `trace record --last` and
    /// `trace recover` write them into a file.
    #[arg(long)]
    record: bool,

    #[command(flatten)]
    memory: memory::Memory,

    /// A command to start with the probes on.
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "pid")]
    command: Vec<std::ffi::OsString>,
}

/// Arguments of `off`.
#[derive(Debug, Args)]
pub struct OffArguments {
    /// Which probes, as provider:name with *; several with commas.
    #[arg(value_name = "PROBES", value_parser = probes)]
    probes: String,

    #[command(flatten)]
    processes: Processes,

    /// All processes that have an agent.
    #[arg(long, conflicts_with = "pid")]
    all: bool,
}

/// PROBES as they were given, if an agent can understand them.
fn probes(text: &str) -> Result<String, String> {
    match perflab_control::patterns(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Which processes.
#[derive(Debug, Args)]
pub struct Processes {
    /// Number of a process (may be given again).
    #[arg(short, long, value_name = "PID")]
    pid: Vec<u32>,
}

impl Processes {
    /// Those that are asked for; all, if none is. What is wrong with others is said.
    fn find(&self) -> Result<(Vec<Traced>, Outcome), Failure> {
        let found = traced().map_err(|error| {
            Failure::environment(format!(
                "the sockets of agents cannot be looked at: {error}"
            ))
        })?;
        for place in &found.ignored {
            outcome::ignored(&place.path, &place.reason);
        }
        let mut outcome = Outcome::new(!self.pid.is_empty());
        if self.pid.is_empty() {
            return Ok((found.processes, outcome));
        }
        let mut chosen = Vec::new();
        for pid in &self.pid {
            match found.processes.iter().find(|traced| traced.pid == *pid) {
                Some(process) => chosen.push(process.clone()),
                None => outcome.fail(&no_agent(*pid)),
            }
        }
        Ok((chosen, outcome))
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
            let variable = if arguments.record {
                variable::RECORD
            } else {
                variable::PROBES
            };
            let wish = arguments.memory.wish(false, 0)?;
            start::start(variable, &arguments.probes, wish, &arguments.command)
        }
        TraceCommand::On(arguments) => {
            let what = if arguments.record {
                Switch::Record(arguments.memory.wish(false, 0)?)
            } else {
                Switch::On
            };
            switch(&arguments.processes, arguments.all, &arguments.probes, what)
        }
        TraceCommand::Off(arguments) => switch(
            &arguments.processes,
            arguments.all,
            &arguments.probes,
            Switch::Off,
        ),
        TraceCommand::Record(arguments) => record::record(&arguments),
        TraceCommand::Recover(arguments) => recover::recovered(&arguments),
        TraceCommand::View(arguments) => view::view(&arguments),
        TraceCommand::Top(arguments) => top::top(&arguments),
    }
}

/// What is done to sites.
#[derive(Debug, Clone, Copy)]
enum Switch {
    On,
    Off,
    Record(RecordWish),
}

fn switch(
    processes: &Processes,
    all: bool,
    probes: &str,
    what: Switch,
) -> Result<Option<Code>, Failure> {
    if processes.pid.is_empty() && !all {
        return Err(Failure::usage(
            "which process? Expected --pid PID or --all (perflab trace list shows those that can be \
             traced)",
        ));
    }
    let (processes, mut outcome) = processes.find()?;
    if processes.is_empty() {
        outcome.nothing(NONE);
    }
    let switched = switch_each(&processes, all, probes, what, &mut outcome);
    Ok(outcome.end(switched))
}

fn switch_each(
    processes: &[Traced],
    all: bool,
    probes: &str,
    what: Switch,
    outcome: &mut Outcome,
) -> Result<(), Failure> {
    let mut matched = None;
    for process in processes {
        let agent = Agent::at(&process.socket);
        let answer = match what {
            Switch::On => agent.switch(probes, true),
            Switch::Off => agent.switch(probes, false),
            Switch::Record(wish) => agent.record(probes, wish).map(|all| all.switched),
        };
        if !all && matches!(answer, Err(ControlError::Gone)) {
            outcome.fail(&Failure::no_data(format!(
                "process {} has gone",
                process.pid
            )));
            continue;
        }
        let Some(switched) = outcome.take(process, answer) else {
            continue;
        };
        matched = Some(matched.unwrap_or(0) + u64::from(switched.matched));
        let mut line = format!(
            "{} {}: {} of {} switched {}",
            process.pid,
            terminal::escape(&process.name),
            switched.changed,
            perflab_experiment::counted(switched.matched, "site"),
            if matches!(what, Switch::Off) {
                "off"
            } else {
                "on"
            },
        );
        if switched.changed > 0 {
            line += &format!(" in {:.0} us", switched.took.as_secs_f64() * 1e6);
        }
        if !switched.how.is_empty() {
            line += &format!(" ({})", switched.how);
        }
        terminal::print(&(line + "\n"))?;
    }
    match matched {
        None => outcome.nothing("no process has answered"),
        Some(0) => outcome.fail(&Failure::no_data(format!(
            "no probe is called {probes:?} there now; it holds for objects that are loaded later"
        ))),
        Some(_) => {}
    }
    Ok(())
}
