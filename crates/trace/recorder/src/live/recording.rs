//! A recording of processes while they run, for a caller that waits meanwhile.

use std::ffi::OsString;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use perflab_control::Recorded;
use perflab_trace_file::TraceWriter;
use rustix::process::{Resource, getrlimit, setrlimit};

use crate::error::RecordError;
use crate::live::agentless::Agentless;
use crate::live::attached::Attached;
use crate::live::connection::LAST;
use crate::live::problem::Problem;
use crate::live::started::{StartOptions, Started};
use crate::live::summary::Summary;
use crate::losses::Lack;
use crate::manner::Since;
use crate::places::remove_orphaned;
use crate::process_dir::ProcessDir;
use crate::progress::{ProbeProgress, Progress};

/// How often what was read is written to the file: it can be read then, and is there if the recorder is killed.
const FLUSH: Duration = Duration::from_millis(500);

/// Pause after a round in which little was read.
pub const PAUSE: Duration = Duration::from_millis(2);

/// How long the agent of a program that has just begun may take to begin too.
const BEGIN: Duration = Duration::from_millis(50);

/// Lets this process open as many files as it may: three for each process that is recorded. Programs that are started
/// afterwards have that limit too.
pub fn open_more_files() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // What it has may suffice.
    let _ = setrlimit(Resource::Nofile, limit);
}

/// A recording of processes while they run.
///
/// The caller starts programs with its [`environment`](Self::environment), and calls [`search`](Self::search) and
/// [`round`](Self::round) every 20 ms until it calls [`finish`](Self::finish). Rounds may come more often: events are
/// lost where a thread fills its memory between two of them. What goes wrong with one process is told, and the
/// recording of the others goes on.
#[derive(Debug)]
pub struct LiveRecording {
    attached: Attached,
    /// The processes that are started for it, if any are.
    started: Option<Started>,
    flushed: Instant,
}

impl LiveRecording {
    /// Of processes that run, which are added: their events of this moment and after it.
    pub fn of_running(trace: TraceWriter<BufWriter<File>>, since: Instant) -> Self {
        Self {
            attached: Attached::new(trace, Since::Moment(since)),
            started: None,
            flushed: Instant::now(),
        }
    }

    /// Of all processes that are started with its environment: all their events.
    pub fn of_started(trace: TraceWriter<BufWriter<File>>, options: StartOptions) -> Self {
        Self {
            attached: Attached::new(trace, Since::Oldest),
            started: Some(Started::new(options)),
            flushed: Instant::now(),
        }
    }

    /// The variables that a program must be started with so that its agent records from its first event on.
    pub fn environment(&self) -> Vec<(OsString, OsString)> {
        self.started
            .as_ref()
            .map_or_else(Vec::new, Started::environment)
    }

    /// Adds a process whose agent was asked to record and has answered.
    pub fn add(&mut self, recorded: Recorded, tell: &mut impl FnMut(Problem)) {
        self.attached.add(recorded, tell);
    }

    /// Looks for processes that have begun. `roots`: numbers of the processes that the caller has started and that
    /// still run, among whose descendants those without an agent are looked for.
    ///
    /// # Errors
    /// When the sockets of agents cannot be looked at, or the trace cannot be written.
    pub fn search(
        &mut self,
        roots: &[u32],
        tell: &mut impl FnMut(Problem),
    ) -> Result<(), RecordError> {
        self.attached.begun();
        if let Some(started) = &mut self.started {
            started.take_refusals(tell);
        }
        // By the end of the recording the process may have ended.
        self.attached.tell_removed(LAST, tell);
        match &mut self.started {
            Some(started) => started.search(&mut self.attached, roots, tell),
            None => Ok(()),
        }
    }

    /// Writes what is new to the trace. Returns the totals so far.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn round(&mut self) -> Result<Progress, RecordError> {
        self.attached.end_replaced();
        let progress = self.attached.recording.round()?;
        if self.flushed.elapsed() >= FLUSH {
            self.attached.recording.flush()?;
            self.flushed = Instant::now();
        }
        Ok(progress)
    }

    /// The processes, in the order of their numbers in the trace.
    pub fn processes(&self) -> &[ProcessDir] {
        self.attached.recording.processes()
    }

    /// Events of each probe so far.
    pub fn probes(&self) -> impl Iterator<Item = ProbeProgress> {
        self.attached.recording.probes()
    }

    /// Whether an event has come in any process that stops the recording, by the number that its filter names, which is
    /// not 0.
    pub fn was_triggered(&self, number: u64) -> bool {
        let mut processes = self.processes().iter();
        processes.any(|process| process.losses().was_triggered(number))
    }

    /// Whether all processes that were found have ended, and all that they left was read.
    pub fn is_finished(&self) -> bool {
        self.attached.recording.is_finished()
    }

    /// Time since the first process had its memory for events, or since the first search.
    pub fn elapsed(&mut self) -> Duration {
        self.attached.begun().elapsed()
    }

    /// Searches for the last time, lets the processes go, reads what is left and writes the end of the trace.
    ///
    /// # Errors
    /// As [`search`](Self::search) and [`round`](Self::round).
    pub fn finish(
        mut self,
        roots: &[u32],
        tell: &mut impl FnMut(Problem),
    ) -> Result<Summary, RecordError> {
        let searched = self.last_search(roots, tell);
        // The programs of processes are known once their files were read.
        let read = self.attached.recording.round();
        self.tell_unrecorded(tell);
        searched?;
        read?;
        if let Some(started) = &mut self.started {
            started.end();
        }
        self.attached.disconnect(tell);
        self.attached.recording.last_round()?;
        let mut summary = self.summary();
        let all_read = all_read(self.processes());
        if self.started.is_none() {
            self.attached.tell_replaced(tell);
        }
        let (progress, writer) = self.attached.recording.finish()?;
        summary.progress = progress;
        summary.bytes = writer.get_ref().metadata().map_or(0, |about| about.len());
        // All is in the trace.
        for directory in all_read {
            let _ = remove_orphaned(&directory);
        }
        Ok(summary)
    }

    /// Searches once more, and again if agents may be about to begin.
    fn last_search(
        &mut self,
        roots: &[u32],
        tell: &mut impl FnMut(Problem),
    ) -> Result<(), RecordError> {
        let agentless = self.started.as_mut().map(Started::agentless);
        agentless.into_iter().for_each(Agentless::look_at_once);
        self.search(roots, tell)?;
        let Some(agentless) = self.started.as_mut().map(Started::agentless) else {
            return Ok(());
        };
        if agentless.are_some_new() {
            agentless.look_at_once();
            std::thread::sleep(BEGIN);
            self.search(roots, tell)?;
        }
        Ok(())
    }

    /// Gives up after an error: the trace has no end, and what could not be recorded is told.
    pub fn give_up(mut self, tell: &mut impl FnMut(Problem)) {
        self.tell_unrecorded(tell);
    }

    /// Tells what is known only at the end.
    fn tell_unrecorded(&mut self, tell: &mut impl FnMut(Problem)) {
        if let Some(started) = &mut self.started {
            started.take_refusals(tell);
            started.take_agentless(&self.attached, tell);
        }
        self.attached.tell_removed(Duration::ZERO, tell);
    }

    fn summary(&mut self) -> Summary {
        let unrecorded = self.started.as_ref().map(Started::unrecorded);
        let [refused, agentless, hidden] = unrecorded.unwrap_or_default();
        let took = self.elapsed();
        let processes = self.processes();
        let children = processes.iter().flat_map(ProcessDir::unreached);
        let limited = processes.iter().map(|process| process.losses().limited());
        let unjudged = processes.iter().map(|process| process.losses().unjudged());
        Summary {
            processes: processes.len(),
            refused,
            agentless,
            hidden,
            removed: self.attached.removed().len(),
            probes: self.probes().collect(),
            unreached: children.copied().collect(),
            lack: lack(processes),
            filtered: self.attached.filtered().cloned().collect(),
            limited: limited.max().unwrap_or_default(),
            unjudged: unjudged.max().unwrap_or_default(),
            took: Some(took),
            ..Summary::default()
        }
    }
}

/// The directories of processes that have ended, of which all is in the trace. A program and the one that it became
/// have one place.
fn all_read(processes: &[ProcessDir]) -> Vec<PathBuf> {
    let is_wanted = |path: &Path| {
        let mut processes = processes.iter();
        processes.any(|process| process.path() == path && !process.is_all_read())
    };
    let paths = processes.iter().map(ProcessDir::path);
    let all_read = paths.filter(|path| !is_wanted(path));
    all_read.map(Path::to_owned).collect()
}

fn lack(processes: &[ProcessDir]) -> Option<(u32, Lack)> {
    let lacks = processes
        .iter()
        .filter_map(|process| Some((process.process().pid, process.losses().lack()?)));
    lacks.min_by_key(|(_, lack)| *lack != Lack::Rights)
}
