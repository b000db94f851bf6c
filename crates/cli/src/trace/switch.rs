//! `perflab trace on` and `off`.

use std::ffi::OsString;

use clap::Args;
use perflab_control::{Agent, ControlError, EncodedFilter, RecordWish, Traced, variable};
use perflab_experiment::counted;

use super::choice::{NONE, Processes, probes};
use super::judged::exceptions;
use super::memory::Memory;
use super::outcome::Outcome;
use super::start::start;
use super::trigger::Pace;
use super::when::{Purpose, When};
use crate::failure::{Code, Failure};
use crate::terminal;

// Arguments of `on`.
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
    when: When,

    #[command(flatten)]
    pace: Pace,

    #[command(flatten)]
    memory: Memory,

    /// A command to start with the probes on.
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "pid")]
    command: Vec<OsString>,
}

// Arguments of `off`.
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

/// Executes `on`.
pub fn on(arguments: &OnArguments) -> Result<Option<Code>, Failure> {
    let wish = arguments.memory.wish(false, 0);
    let purpose = Purpose {
        probes: &arguments.probes,
        actions: arguments.pace.actions(),
        ..Purpose::default()
    };
    if !arguments.command.is_empty() {
        let variable = if arguments.record {
            variable::RECORD
        } else {
            variable::PROBES
        };
        let when = &arguments.when;
        return start(variable, wish?, when, purpose, &arguments.command);
    }
    let what = if arguments.record {
        Switch::Record(wish?)
    } else {
        Switch::On
    };
    let OnArguments {
        processes,
        all,
        when,
        ..
    } = arguments;
    switch(processes, *all, what, Some(when), purpose)
}

/// Executes `off`.
pub fn off(arguments: &OffArguments) -> Result<Option<Code>, Failure> {
    let OffArguments {
        processes,
        all,
        probes,
    } = arguments;
    let purpose = Purpose {
        probes,
        ..Purpose::default()
    };
    switch(processes, *all, Switch::Off, None, purpose)
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
    what: Switch,
    when: Option<&When>,
    purpose: Purpose<'_>,
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
    let filter = match when {
        Some(when) => when.for_processes(&processes, purpose)?,
        None => None,
    };
    let (filter, probes) = (filter.as_ref(), purpose.probes);
    let switched = switch_each(&processes, all, probes, what, filter, &mut outcome);
    Ok(outcome.end(switched))
}

fn switch_each(
    processes: &[Traced],
    all: bool,
    probes: &str,
    what: Switch,
    filter: Option<&EncodedFilter>,
    outcome: &mut Outcome,
) -> Result<(), Failure> {
    let mut matched = None;
    for process in processes {
        let agent = Agent::at(&process.socket);
        let answer = match (what, filter) {
            (Switch::On, None) => agent.switch(probes, true),
            (Switch::On, Some(filter)) => agent.on_when(probes, filter),
            (Switch::Off, _) => agent.switch(probes, false),
            (Switch::Record(wish), None) => agent.record(probes, wish).map(|all| all.switched),
            (Switch::Record(wish), Some(filter)) => {
                let recorded = agent.record_when(probes, wish, filter);
                recorded.map(|all| all.switched)
            }
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
        let way = match what {
            Switch::Off => "off",
            Switch::On | Switch::Record(_) => "on",
        };
        let (name, sites) = (
            terminal::escape(&process.name),
            counted(switched.matched, "site"),
        );
        let (pid, changed) = (process.pid, switched.changed);
        let mut line = format!("{pid} {name}: {changed} of {sites} switched {way}");
        if switched.changed > 0 {
            line += &format!(" in {:.0} us", switched.took.as_secs_f64() * 1e6);
        }
        if !switched.how.is_empty() {
            line += &format!(" ({})", switched.how);
        }
        line.push('\n');
        for exception in exceptions(&switched.filtered) {
            line += &format!("  {exception}\n");
        }
        terminal::print(&line)?;
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
