//! `perflab trace recover`, and snapshots: what is in the rings of processes, dead or alive.

use std::fmt::{self, Display, Formatter};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use perflab_control::{Process, State, Traced, traced};
use perflab_experiment::counted;
use perflab_recorder::{
    Pass, Recorded, Removed, Summary, directories, recorded, recover, remove_orphaned, removed,
    snapshot as take,
};
use perflab_trace_file::TraceWriter;

use super::file::{create, not_written, with_rest};
use super::outcome::Outcome;
use super::summary::text;
use crate::failure::{Code, Failure};
use crate::terminal;

// Arguments of `recover`.
#[derive(Debug, Args)]
pub struct RecoverArguments {
    /// Numbers of processes that have ended; all that left something, if none is given. PID-START, as listed, is one of
    /// several that had the same number.
    #[arg(value_name = "PID", value_parser = ended)]
    pid: Vec<Ended>,

    /// The trace to write; there must be no such file yet. Without it, what is there is listed.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Remove what these processes left, once it is written; without --output, at once.
    #[arg(long)]
    remove: bool,

    /// With --remove and without a PID: what all processes left that have ended; root removes that of all users.
    #[arg(long, requires = "remove", conflicts_with = "pid")]
    all: bool,
}

/// A process that has ended, as the user calls it.
#[derive(Debug, Clone, Copy)]
enum Ended {
    /// Whoever had this number.
    Number(u32),
    /// Just this one.
    One(Process),
}

impl Ended {
    fn is(self, process: Process) -> bool {
        match self {
            Self::Number(pid) => process.pid == pid,
            Self::One(one) => process == one,
        }
    }
}

impl Display for Ended {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(pid) => write!(formatter, "{pid}"),
            Self::One(process) => write!(formatter, "{}-{}", process.pid, process.start),
        }
    }
}

fn ended(text: &str) -> Result<Ended, String> {
    if let Some(process) = Process::named(text) {
        return Ok(Ended::One(process));
    }
    let number = text.parse().map(Ended::Number);
    number.map_err(|_| "expected the number of a process, or PID-START as listed".to_owned())
}

/// Executes `recover`.
pub fn recovered(arguments: &RecoverArguments) -> Result<Option<Code>, Failure> {
    if arguments.remove && arguments.pid.is_empty() && !arguments.all {
        return Err(Failure::usage(
            "--remove needs process numbers or --all; `perflab trace recover` lists what there is",
        ));
    }
    let mut outcome = Outcome::new(!arguments.pid.is_empty());
    if arguments.remove {
        // A search removes the sockets that dead processes left. Where it fails, there are none to be found.
        let _ = traced();
    }
    let places = directories();
    let mut dead: Vec<Recorded> = recorded(&places);
    dead.retain(|recorded| !recorded.is_alive);
    for pid in &arguments.pid {
        if !dead.iter().any(|recorded| pid.is(recorded.process)) {
            outcome.fail(&Failure::no_data(format!(
                "process {pid} has left no events, or has not ended"
            )));
        }
    }
    if !arguments.pid.is_empty() {
        dead.retain(|recorded| arguments.pid.iter().any(|pid| pid.is(recorded.process)));
    }
    say_removed(removed(&places));
    if dead.is_empty() {
        outcome.nothing("no process that has ended left events");
        return Ok(outcome.code());
    }
    let paths: Vec<PathBuf> = dead
        .iter()
        .map(|recorded| recorded.directory.clone())
        .collect();
    let written = write(arguments, &paths, &mut outcome);
    Ok(outcome.end(written))
}

/// Writes or lists what is there, and removes it if that is asked for.
fn write(
    arguments: &RecoverArguments,
    paths: &[PathBuf],
    outcome: &mut Outcome,
) -> Result<(), Failure> {
    let mut kept: Vec<PathBuf> = Vec::new();
    if let Some(output) = &arguments.output {
        let pass = recover(paths, create(output)?).map_err(not_written);
        let pass = pass.map_err(|failure| with_rest(&failure, output))?;
        let damaged = pass.damaged.iter().map(|(path, _)| path);
        let refused = pass.refused.iter().map(|(path, _)| path);
        kept.extend(damaged.chain(refused).cloned());
        if !pass.damaged.is_empty() {
            terminal::say(
                "hint: files that are damaged stay; `perflab trace recover --remove PID` removes them",
            );
        }
        let summary = summary(pass, paths.len(), outcome);
        let summary = summary.map_err(|failure| with_rest(&failure, output))?;
        terminal::print(&text(&summary, output))?;
    } else {
        for path in paths {
            let path = terminal::escape(&path.to_string_lossy());
            terminal::print(&format!("{path}\n"))?;
        }
    }
    if arguments.remove {
        for path in paths.iter().filter(|path| !kept.contains(path)) {
            if let Err(error) = remove_orphaned(path) {
                outcome.fail(&Failure::environment(error));
            }
        }
    }
    Ok(())
}

/// Says what agents have removed, if they have.
fn say_removed(removed: Removed) {
    let Removed { processes, events } = removed;
    if processes > 0 {
        terminal::say(&format!(
            "gone: {} of {} that ended earlier, as later recordings needed their memory \
             (PERFLAB_RECORD_TOTAL gives more)",
            counted(events, "event"),
            counted(processes, "process")
        ));
    }
}

/// The last seconds of processes that record.
pub fn snapshot(
    processes: &[Traced],
    trace: TraceWriter<BufWriter<File>>,
    last: Duration,
    outcome: &mut Outcome,
) -> Result<Option<Summary>, Failure> {
    for process in processes {
        let name = process.socket.file_stem().unwrap_or_default();
        let identity = Process::named(&name.to_string_lossy());
        if identity.is_some_and(|identity| identity.state() == State::Ended) {
            let (pid, name) = (process.pid, terminal::escape(&process.name));
            outcome.fail(&Failure::no_data(format!(
                "process {pid} ({name}) has ended, so its last events are missing: `perflab trace recover {pid}` writes \
                 what it recorded"
            )));
        }
    }
    let mut found = recorded(&directories());
    found.retain(|recorded| {
        let mut processes = processes.iter();
        recorded.is_alive && processes.any(|process| process.pid == recorded.process.pid)
    });
    if found.is_empty() {
        outcome.nothing(
            "no process records: perflab trace on PROBES --record --pid PID lets one record, for \
             a look at its last events at any time",
        );
        return Ok(None);
    }
    let paths: Vec<PathBuf> = found
        .into_iter()
        .map(|recorded| recorded.directory)
        .collect();
    let pass = take(&paths, trace, Some(last)).map_err(not_written)?;
    summary(pass, paths.len(), outcome).map(Some)
}

/// What became of a recording with damaged files.
fn damaged(path: &Path, files: u64) -> String {
    let path = terminal::escape(&path.to_string_lossy());
    let are = if files == 1 { "is" } else { "are" };
    format!(
        "{} in {path} {are} damaged, so that events may be missing",
        counted(files, "file")
    )
}

fn summary(
    mut pass: Pass<BufWriter<File>>,
    processes: usize,
    outcome: &mut Outcome,
) -> Result<Summary, Failure> {
    for (_, error) in &pass.refused {
        outcome.fail(&Failure::environment(error));
    }
    for (path, files) in &pass.damaged {
        outcome.fail(&Failure::no_data(damaged(path, *files)));
    }
    pass.writer.flush().map_err(not_written)?;
    let bytes = pass
        .writer
        .get_ref()
        .metadata()
        .map_or(0, |about| about.len());
    Ok(Summary {
        progress: pass.progress,
        bytes,
        processes: processes - pass.refused.len(),
        unreached: pass.unreached,
        ..Summary::default()
    })
}
