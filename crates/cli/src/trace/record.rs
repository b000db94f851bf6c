//! `perflab trace record`: events of processes into a file, while they run.

use perflab_control::Traced;

use super::awaited::wait;
use super::choice::NONE;
use super::file::{create, with_rest};
use super::judged::accepts_none;
use super::outcome::Outcome;
use super::recover::snapshot;
use super::session::{RecordArguments, Session, are_meant};
use super::summary::text;
use crate::failure::{Code, Failure};
use crate::terminal;

/// Executes `record`.
pub fn record(arguments: &RecordArguments) -> Result<Option<Code>, Failure> {
    if arguments.processes.pid.is_empty() && !arguments.all && arguments.command.is_empty() {
        return Err(Failure::usage(
            "which process? Expected --pid PID, --all, or a command behind -- (perflab trace list \
             shows those that can be traced)",
        ));
    }
    let (processes, mut outcome) = if arguments.command.is_empty() {
        arguments.processes.find()?
    } else {
        (Vec::new(), Outcome::new(true))
    };
    if processes.is_empty() && arguments.command.is_empty() {
        outcome.nothing(NONE);
        return Ok(outcome.code());
    }
    let written = write(arguments, &processes, &mut outcome);
    Ok(outcome.end(written))
}

/// Writes the trace of these processes, or of the command.
fn write(
    arguments: &RecordArguments,
    processes: &[Traced],
    outcome: &mut Outcome,
) -> Result<(), Failure> {
    // Before anything is asked of anybody.
    arguments.memory.wish(true, 0)?;
    let output = &arguments.output;
    let file = create(output)?;
    let written = match arguments.last {
        Some(last) => {
            let until = arguments.until.as_ref();
            match until.map_or(Ok(true), |event| wait(processes, event, outcome)) {
                Ok(true) => snapshot(processes, file, last, outcome),
                Ok(false) => Ok(None),
                Err(failure) => {
                    let _ = std::fs::remove_file(output);
                    return Err(failure);
                }
            }
        }
        None => match Session::begin(arguments, processes, file, outcome) {
            Ok(session) => session.run(outcome),
            Err(failure) => {
                let _ = std::fs::remove_file(output);
                return Err(failure);
            }
        },
    };
    let summary = match written {
        Ok(Some(summary)) => summary,
        // Nothing was recorded: an empty trace would say that there was nothing.
        Ok(None) => {
            let _ = std::fs::remove_file(output);
            return Ok(());
        }
        Err(failure) => return Err(with_rest(&failure, output)),
    };
    if summary.refused > summary.agentless {
        // It was said why there is nothing of them.
    } else if !arguments.command.is_empty() && summary.processes == 0 {
        outcome.fail(&Failure::no_data(
            "no process of the command had an agent, so nothing was recorded: a program that is linked statically has to \
             start one itself, and one that ends at once, or before its agent has begun, may have none; see docs/probes.md",
        ));
    } else if !arguments.command.is_empty() {
        let is_known = |asked: &str| {
            let recorded = summary.probes.iter();
            let recorded = recorded.map(|probe| (probe.provider.as_str(), probe.name.as_str()));
            // The filter may accept no event of a probe.
            let filtered = summary.filtered.iter();
            let filtered = filtered.filter_map(|of| of.probe.split_once(':'));
            let mut known = recorded.chain(filtered);
            known.any(|(provider, name)| are_meant(asked, provider, name))
        };
        for asked in arguments.asked().filter(|asked| !is_known(asked)) {
            outcome.fail(&Failure::no_data(format!(
                "no probe is called {asked:?} in the programs that were read: one that became another by exec at once \
                 may have had some; `perflab trace list` shows those of a running program"
            )));
        }
    }
    if arguments.start_when.is_some() && summary.progress.events == 0 {
        terminal::say("no event came that --start-when waits for, so nothing was recorded");
    }
    if accepts_none(&summary.filtered) {
        outcome.fail(&Failure::no_data(
            "no event was accepted: none of the probes has all arguments that the filter names, with the types that it \
             needs",
        ));
    }
    terminal::print(&text(&summary, output))
}
