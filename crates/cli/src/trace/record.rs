//! `perflab trace record`: events of processes into a file, while they run.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Read, Write};
use std::net::Shutdown;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use perflab_control::{Agent, ControlError, Recorded, State, Traced, is_dead, traced};
use perflab_machine::Fingerprint;
use perflab_recorder::{Manner, Recording, Since, directories, kept_for, remove_orphaned, sweep};
use perflab_runner::Interrupt;
use perflab_trace_file::TraceWriter;
use rustix::process::{Resource, getrlimit, setrlimit};

use super::agentless::Agentless;
use super::connection::{Connection, LAST, is_closed};
use super::memory::Memory;
use super::outcome::Outcome;
use super::refused::{Refusal, Refused};
use super::shown::Shown;
use super::summary::Summary;
use super::{NONE, Processes, start};
use crate::failure::{Code, Failure, is_disk_full};
use crate::terminal;

/// Pause after a look at the rings.
pub const PAUSE: Duration = Duration::from_millis(2);

/// How often what was read is written to the file: it can be read then, and is there if the recorder is killed.
const FLUSH: Duration = Duration::from_millis(500);

/// How often new processes of a command are looked for.
const SEARCH: Duration = Duration::from_millis(20);

/// How long an agent may take to end a recording.
const GOODBYE: Duration = Duration::from_secs(5);

/// Arguments of `record`.
#[derive(Debug, Args)]
pub struct RecordArguments {
    /// Which probes, as provider:name with *; several with commas.
    #[arg(value_name = "PROBES", default_value = "*", value_parser = super::probes)]
    probes: String,

    #[command(flatten)]
    processes: Processes,

    /// All processes that have an agent.
    #[arg(long, conflicts_with_all = ["pid", "command"])]
    all: bool,

    /// The trace to write; there must be no such file yet.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Stop after so many seconds of recording; else at Ctrl-C, or when all processes have ended.
    #[arg(short, long, value_name = "SECONDS", value_parser = super::top::seconds)]
    seconds: Option<Duration>,

    /// Take the last so many seconds of processes that record already (perflab trace on --record).
    #[arg(long, value_name = "SECONDS", value_parser = super::top::seconds,
        conflicts_with_all = ["seconds", "until", "command"])]
    last: Option<Duration>,

    /// Stop when one of these probes was hit.
    #[arg(long, value_name = "PROBES", value_parser = super::probes)]
    until: Option<String>,

    #[command(flatten)]
    memory: Memory,

    /// A command to start and record, with all processes that it starts.
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "pid")]
    command: Vec<OsString>,
}

/// KiB of a ring while a recorder reads it: it may be held up for some milliseconds.
const READ_RING: u32 = 4096;

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
        Some(last) => super::recover::snapshot(processes, file, last, outcome),
        None => match Session::begin(arguments, processes, file, outcome) {
            Ok(session) => session.run(arguments, outcome),
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
             start one itself, and one that ends at once may have none; see docs/probes.md",
        ));
    } else if !arguments.command.is_empty() && !summary.has_probes() {
        outcome.fail(&Failure::no_data(format!(
            "no probe is called {:?} in the command's processes; `perflab trace list` shows those of a running program",
            arguments.probes
        )));
    }
    terminal::print(&summary.text(output))
}

/// What dead processes left is kept for so long.
const ORPHANED_FOR: Duration = Duration::from_secs(24 * 3600);

/// A new file that nobody else may read: a trace has what the process worked on.
pub fn create(path: &Path) -> Result<TraceWriter<BufWriter<File>>, Failure> {
    sweep(&directories(), ORPHANED_FOR);
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .map_err(|error| {
            if is_disk_full(&error) {
                let text = format!("{} cannot be made: {error}", path.display());
                return Failure::disk_full(text);
            }
            let hint = if error.kind() == std::io::ErrorKind::AlreadyExists {
                ": nothing is written over; remove it, or choose another name with --output"
            } else {
                ""
            };
            Failure::usage(format!("{} cannot be made: {error}{hint}", path.display()))
        })?;
    let mut trace = TraceWriter::new(BufWriter::with_capacity(1 << 20, file));
    let machine = serde_json::to_string(&Fingerprint::take(Path::new("/")));
    let machine = machine.map_err(|error| Failure::environment(error.to_string()))?;
    // From now on it can be read.
    let begun = trace.machine(&machine).and_then(|()| trace.flush());
    begun.map_err(|error| {
        let _ = std::fs::remove_file(path);
        Failure::new(
            Code::NoData,
            format!("{} cannot be written: {error}", path.display()),
        )
    })?;
    Ok(trace)
}

/// That a trace could not be written to its end, with what there is of it.
pub fn with_rest(failure: &Failure, path: &Path) -> Failure {
    let path = terminal::escape(&path.to_string_lossy());
    Failure::new(
        failure.code,
        format!("{failure}; {path} has what was written before and can be read"),
    )
}

/// The trace cannot be written.
pub fn not_written(error: impl std::fmt::Display) -> Failure {
    Failure::new(Code::NoData, format!("the trace is not whole: {error}"))
}

/// Lets this process open as many files as it may: three for each process that is recorded.
fn open_more_files() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // What it has may suffice.
    let _ = setrlimit(Resource::Nofile, limit);
}

/// A recording that goes on.
struct Session {
    recording: Recording<BufWriter<File>>,
    connections: Vec<Connection>,
    child: Option<start::Watched>,
    /// Whether processes were looked for after all of the command had ended.
    is_last_search: bool,
    /// Processes of the command that could not be recorded.
    refused: Refused,
    /// Those that may turn out to be such.
    agentless: Agentless,
    /// How many of those that could not be recorded had no agent.
    agentless_processes: usize,
    /// Processes of the command that may have probes, as far as can be seen.
    hidden: usize,
    /// Numbers of processes in the trace whose directory was removed while they went on.
    removed: BTreeSet<u32>,
    interrupt: Interrupt,
    /// When the recording began: the first process had its memory for events by then. Until one has it, when the command
    /// was started.
    begun: Instant,
}

impl Session {
    /// Asks processes for all their events; nothing if none of them gives any.
    fn begin(
        arguments: &RecordArguments,
        processes: &[Traced],
        trace: TraceWriter<BufWriter<File>>,
        outcome: &mut Outcome,
    ) -> Result<Self, Failure> {
        // Before probes are on: whoever sees that may end the recording.
        let interrupt = Interrupt::install().and_then(|interrupt| {
            interrupt.also_at_hangup()?;
            Ok(interrupt)
        });
        let interrupt = interrupt
            .map_err(|error| Failure::environment(format!("cannot take signals: {error}")))?;
        let asked = Instant::now();
        let mut all = Vec::new();
        for process in processes {
            let wish = arguments.memory.wish(true, READ_RING)?;
            let answer = Agent::at(&process.socket).record(&arguments.probes, wish);
            let answer = outcome.take(process, answer);
            if answer.as_ref().is_some_and(|all| all.switched.matched == 0) {
                terminal::say(&format!(
                    "process {} has no probe that is called {:?} now; those of objects that are loaded \
                     later are recorded",
                    process.pid, arguments.probes
                ));
            }
            all.extend(answer);
        }
        let child = if arguments.command.is_empty() {
            None
        } else {
            let wish = arguments.memory.wish(true, 0)?;
            Some(start::watched(&arguments.probes, wish, &arguments.command)?)
        };
        // The command has begun with the limit that there was.
        open_more_files();
        let since = if child.is_some() {
            Since::Oldest
        } else {
            Since::Moment(asked)
        };
        let manner = Manner { keep: true, since };
        let mut session = Self {
            recording: Recording::new(trace, manner),
            connections: Vec::new(),
            child,
            is_last_search: false,
            refused: Refused::default(),
            agentless: Agentless::default(),
            agentless_processes: 0,
            hidden: 0,
            removed: BTreeSet::new(),
            interrupt,
            begun: Instant::now(),
        };
        for recorded in all {
            session.add(recorded, outcome);
        }
        Ok(session)
    }

    fn add(&mut self, recorded: Recorded, outcome: &mut Outcome) {
        let is_first = self.recording.processes().is_empty();
        match self.recording.add(&recorded.directory) {
            Ok(number) => {
                if is_first {
                    self.begun = Instant::now();
                }
                // One that has become another program since it answered may have brought that one's directory.
                self.connections.retain(|other| other.number != number);
                let connection = Connection::new(number, recorded.connection);
                self.connections.push(connection);
            }
            // It has become another program, or has ended, since it answered.
            Err(error) if error.is_not_found() && is_closed(&recorded.connection) => {}
            Err(error) => outcome.fail(&Failure::environment(error.to_string())),
        }
    }

    /// Records until it is to end; nothing if there was nothing to record.
    fn run(
        mut self,
        arguments: &RecordArguments,
        outcome: &mut Outcome,
    ) -> Result<Option<Summary>, Failure> {
        if self.child.is_none() && self.connections.is_empty() {
            outcome.nothing("nothing was recorded: no process answered that is still the program that was asked");
            return Ok(None);
        }
        let went_on = self.go_on(arguments, outcome);
        let child = self.child.take();
        let written = went_on.and_then(|()| self.finish(child.is_none()));
        if let Some(Err(failure)) = child.map(|child| child.end(outcome)) {
            outcome.fail(&failure);
        }
        written.map(Some)
    }

    /// Records until it is to end.
    fn go_on(&mut self, arguments: &RecordArguments, outcome: &mut Outcome) -> Result<(), Failure> {
        let mut shown = Shown::new();
        let gone_on = self.read_until_over(arguments, &mut shown, outcome);
        shown.end();
        self.look_at_refused(outcome);
        self.add_agentless(outcome);
        self.refused.end(outcome);
        self.name_removed(Duration::ZERO, outcome);
        gone_on
    }

    /// Reads what comes until it is to end.
    fn read_until_over(
        &mut self,
        arguments: &RecordArguments,
        shown: &mut Shown,
        outcome: &mut Outcome,
    ) -> Result<(), Failure> {
        let mut searched: Option<Instant> = None;
        let mut flushed = Instant::now();
        loop {
            if searched.is_none_or(|searched| searched.elapsed() >= SEARCH) {
                self.search(arguments, outcome)?;
                searched = Some(Instant::now());
            }
            for connection in &mut self.connections {
                if connection.is_of_another_program() {
                    self.recording.end(connection.number);
                }
            }
            let before = self.recording.progress().events;
            let progress = self.recording.round().map_err(not_written)?;
            shown.show(&progress);
            if flushed.elapsed() >= FLUSH {
                self.recording.flush().map_err(not_written)?;
                flushed = Instant::now();
            }
            let is_over = arguments
                .seconds
                .is_some_and(|limit| self.begun.elapsed() >= limit);
            if is_over
                || self.interrupt.asked()
                || self.was_hit(arguments)
                || self.has_ended(arguments, outcome)?
            {
                break;
            }
            if progress.events - before < 10_000 {
                self.interrupt.sleep(PAUSE);
            }
        }
        // What processes kept that have begun, and perhaps ended, since the last search.
        match self.is_last_search {
            true => Ok(()),
            false => self.search(arguments, outcome),
        }
    }

    /// Takes in which processes of the command have said that they cannot be recorded.
    fn look_at_refused(&mut self, outcome: &mut Outcome) {
        let said = self.child.as_mut().map(start::Watched::refusals);
        for refusal in said.into_iter().flatten() {
            self.refused.add(&refusal, outcome);
        }
    }

    /// Takes in which processes of the command had no agent.
    fn add_agentless(&mut self, outcome: &mut Outcome) {
        let processes = self.recording.processes();
        let has_kept = |process| processes.iter().any(|other| other.process() == process);
        let found = self.agentless.found(has_kept);
        self.hidden = found.hidden;
        let others = self.refused.count();
        for refusal in &found.refused {
            self.refused.add_agentless(refusal, outcome);
        }
        self.agentless_processes = self.refused.count() - others;
    }

    /// Says which processes' events can no longer be read, though their programs have gone on for so long since.
    fn name_removed(&mut self, for_so_long: Duration, outcome: &mut Outcome) {
        for connection in &mut self.connections {
            let process = &self.recording.processes()[connection.number as usize - 1];
            if connection.was_removed_for(for_so_long, process)
                && self.removed.insert(connection.number)
            {
                outcome.fail(&Failure::environment(format!(
                    "process {}: {} was removed, so that what its probes hit from then on is not in the trace",
                    process.process().pid,
                    terminal::escape(&process.path().to_string_lossy())
                )));
            }
        }
    }

    /// Looks for processes of the command that have begun.
    fn search(
        &mut self,
        arguments: &RecordArguments,
        outcome: &mut Outcome,
    ) -> Result<(), Failure> {
        self.look_at_refused(outcome);
        // By the end of the recording the process may have ended.
        self.name_removed(LAST, outcome);
        let Some(child) = &mut self.child else {
            return Ok(());
        };
        let found = traced().map_err(|error| Failure::environment(error.to_string()))?;
        // Some may have ended before they could be asked.
        let kept = kept_for(&directories(), child.mark());
        let come: Vec<Traced> = found
            .into_iter()
            .filter(|traced| child.is_new(traced, &kept))
            .collect();
        let mut again = Vec::new();
        for process in come {
            // Its socket took the place of its former program's when that was to be asked.
            if self.is_connected(process.pid) {
                continue;
            }
            let wish = arguments.memory.wish(true, 0)?;
            // The events of all others wait for this answer.
            let agent = Agent::at(&process.socket).at_once();
            let answer = agent.record(&arguments.probes, wish);
            // Another program by now, perhaps, which is found the next time. What this one kept is found below.
            if matches!(answer, Err(ControlError::Closed | ControlError::Gone)) {
                // Or its agent listens and had no patience.
                if !is_dead(&process.socket) {
                    again.push(process);
                }
                continue;
            }
            if let Err(ControlError::Refused(reason)) = answer {
                let refusal = Refusal {
                    process: process.pid,
                    name: process.name.clone(),
                    reason,
                };
                self.refused.add(&refusal, outcome);
                continue;
            }
            if let Some(recorded) = outcome.take(&process, answer) {
                self.add(recorded, outcome);
            }
        }
        let mut children = Vec::new();
        if let Some(child) = &mut self.child {
            again.iter().for_each(|process| child.forget(process));
            children.extend(child.children());
        }
        let mut agentless = std::mem::take(&mut self.agentless);
        agentless.look(children, |pid| self.is_connected(pid));
        self.agentless = agentless;
        for process in kept {
            let added = self.recording.add(&process.directory);
            // It may become another program just now, which is found the next time.
            if let Err(error) = added
                && !error.is_not_found()
            {
                outcome.fail(&Failure::environment(error.to_string()));
            }
        }
        let processes = self.recording.processes();
        self.connections.retain(|connection| {
            let process = &processes[connection.number as usize - 1];
            !process.is_finished() || connection.is_of_a_removed(process)
        });
        self.recording.remove_finished().map_err(not_written)
    }

    /// Whether the program that a process is now has answered.
    fn is_connected(&self, pid: u32) -> bool {
        let processes = self.recording.processes();
        self.connections.iter().any(|connection| {
            let process = processes.get(connection.number as usize - 1);
            process.is_some_and(|of| of.process().pid == pid) && !is_closed(&connection.stream)
        })
    }

    /// Whether all processes, the command's too, have ended and everything of them was read.
    fn has_ended(
        &mut self,
        arguments: &RecordArguments,
        outcome: &mut Outcome,
    ) -> Result<bool, Failure> {
        if let Some(child) = &mut self.child {
            if !child.have_all_ended()? {
                return Ok(false);
            }
            // All that they kept has its place by now.
            if !std::mem::replace(&mut self.is_last_search, true) {
                self.search(arguments, outcome)?;
                return Ok(false);
            }
        }
        Ok(self.recording.is_finished())
    }

    fn was_hit(&self, arguments: &RecordArguments) -> bool {
        let Some(until) = &arguments.until else {
            return false;
        };
        let Ok(patterns) = perflab_control::patterns(until) else {
            return false;
        };
        let patterns: Vec<(&str, &str)> = patterns.collect();
        let mut probes = self.recording.probes();
        probes.any(|probe| {
            let is_meant =
                |pattern| perflab_control::matches(pattern, &probe.provider, &probe.name);
            probe.events > 0 && patterns.iter().copied().any(is_meant)
        })
    }

    /// Says which processes have become programs that nobody asked to record.
    fn name_others(&self) {
        for process in self.recording.processes() {
            let is_alive = process.process().state() != State::Ended;
            if process.is_finished() && is_alive && !self.removed.contains(&process.number()) {
                terminal::say(&format!(
                    "process {} runs another program now, which is not recorded",
                    process.process().pid
                ));
            }
        }
    }

    /// Lets the processes go, then reads what is left.
    fn finish(mut self, are_others_named: bool) -> Result<Summary, Failure> {
        for connection in &self.connections {
            let _ = connection.stream.shutdown(Shutdown::Write);
        }
        let end = Instant::now() + GOODBYE;
        for Connection { stream, .. } in &mut self.connections {
            let left = end.saturating_duration_since(Instant::now());
            // An end of the stream says that no more events come; that it took too long is seen in what is lost.
            let _ = stream.set_read_timeout(Some(left.max(Duration::from_millis(1))));
            let _ = stream.read(&mut [0; 16]);
        }
        self.recording.round().map_err(not_written)?;
        let mut summary = Summary::of(&self.recording, self.begun.elapsed());
        summary.refused = self.refused.count();
        summary.agentless = self.agentless_processes;
        summary.hidden = self.hidden;
        summary.removed = self.removed.len();
        // A program and the one that it became have one place.
        let goes_on = |path: &Path| {
            let mut processes = self.recording.processes().iter();
            processes.any(|process| process.path() == path && !process.is_finished())
        };
        let finished: Vec<PathBuf> = self
            .recording
            .processes()
            .iter()
            .map(|process| process.path().to_owned())
            .filter(|path| !goes_on(path))
            .collect();
        if are_others_named {
            self.name_others();
        }
        let (progress, mut writer) = self.recording.finish().map_err(not_written)?;
        writer.flush().map_err(not_written)?;
        summary.progress = progress;
        summary.bytes = writer.get_ref().metadata().map_or(0, |about| about.len());
        // All is in the trace.
        for directory in finished {
            let _ = remove_orphaned(&directory);
        }
        Ok(summary)
    }
}
