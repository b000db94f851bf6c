//! The processes of a recording, with connections to their agents.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufWriter, ErrorKind, Read};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use perflab_control::{FilterMode, Filtered, Process, Recorded, State};
use perflab_trace_file::TraceWriter;

use crate::error::RecordError;
use crate::live::connection::{Connection, LAST, is_closed};
use crate::live::problem::Problem;
use crate::manner::{Manner, Since};
use crate::process_dir::ProcessDir;
use crate::recording::Recording;

/// How long an agent may take to end a recording.
const GOODBYE: Duration = Duration::from_secs(5);

/// How often a process is looked at meanwhile: whether it is stopped.
const LOOK: Duration = Duration::from_millis(50);

/// A recording, and what says that its processes go on.
#[derive(Debug)]
pub struct Attached {
    /// The recording.
    pub recording: Recording<BufWriter<File>>,
    connections: Vec<Connection>,
    /// Numbers of processes in the trace whose directory was removed while they went on.
    removed: BTreeSet<u32>,
    /// What became of a filter, by probe, mode and reason, in all processes together.
    filtered: BTreeMap<(String, FilterMode, String), Filtered>,
    /// When the first process had its memory for events.
    begun: Option<Instant>,
}

impl Attached {
    /// To a trace that has begun, without a process.
    pub fn new(trace: TraceWriter<BufWriter<File>>, since: Since) -> Self {
        Self {
            recording: Recording::new(trace, Manner { keep: true, since }),
            connections: Vec::new(),
            removed: BTreeSet::new(),
            filtered: BTreeMap::new(),
            begun: None,
        }
    }

    /// When the recording began: when the first process had its memory for events, else at the first call.
    pub fn begun(&mut self) -> Instant {
        *self.begun.get_or_insert_with(Instant::now)
    }

    /// Numbers of processes whose directory was removed while they went on.
    pub fn removed(&self) -> &BTreeSet<u32> {
        &self.removed
    }

    /// What became of a filter for each probe, with the sites of all processes.
    pub fn filtered(&self) -> impl Iterator<Item = &Filtered> {
        self.filtered.values()
    }

    fn add_filtered(&mut self, filtered: Vec<Filtered>) {
        for of in filtered {
            let key = (of.probe.clone(), of.mode, of.reason.clone());
            match self.filtered.entry(key) {
                Entry::Vacant(new) => {
                    new.insert(of);
                }
                Entry::Occupied(mut known) => {
                    let known = known.get_mut();
                    known.sites = known.sites.saturating_add(of.sites);
                }
            }
        }
    }

    /// Adds a process whose agent has answered.
    pub fn add(&mut self, recorded: Recorded, tell: &mut impl FnMut(Problem)) {
        self.add_filtered(recorded.switched.filtered);
        let is_first = self.recording.processes().is_empty();
        match self.recording.add(&recorded.directory) {
            Ok(number) => {
                if is_first {
                    self.begun = Some(Instant::now());
                }
                // One that has become another program since it answered may have brought that one's directory.
                self.connections.retain(|other| other.number != number);
                let connection = Connection::new(number, recorded.connection);
                self.connections.push(connection);
            }
            // It has become another program, or has ended, since it answered.
            Err(error) if error.is_not_found() && is_closed(&recorded.connection) => {}
            Err(error) => tell(Problem::Directory(error)),
        }
    }

    /// Adds a process that keeps its events and may have ended before it could be asked.
    pub fn add_kept(&mut self, directory: &Path, tell: &mut impl FnMut(Problem)) {
        // It may become another program just now, which is found the next time.
        if let Err(error) = self.recording.add(directory)
            && !error.is_not_found()
        {
            tell(Problem::Directory(error));
        }
    }

    /// Whether the program that a process is now has answered.
    pub fn is_connected(&self, pid: u32) -> bool {
        let processes = self.recording.processes();
        self.connections.iter().any(|connection| {
            let process = processes.get(connection.number as usize - 1);
            process.is_some_and(|of| of.process().pid == pid) && !is_closed(&connection.stream)
        })
    }

    /// File names of the programs of a process that have kept events, in their order.
    pub fn programs(&self, process: Process) -> Vec<&str> {
        let processes = self.recording.processes().iter();
        let programs = processes.filter(|other| other.process() == process);
        programs.map(ProcessDir::program).collect()
    }

    /// Expects nothing more from processes that have become other programs.
    pub fn end_replaced(&mut self) {
        for connection in &mut self.connections {
            if connection.is_of_another_program() {
                self.recording.end(connection.number);
            }
        }
    }

    /// Tells which processes' events can no longer be read, though their programs have gone on for so long since.
    pub fn tell_removed(&mut self, for_so_long: Duration, tell: &mut impl FnMut(Problem)) {
        for connection in &mut self.connections {
            let process = &self.recording.processes()[connection.number as usize - 1];
            if connection.was_removed_for(for_so_long, process)
                && self.removed.insert(connection.number)
            {
                tell(Problem::Removed {
                    pid: process.process().pid,
                    path: process.path().to_owned(),
                });
            }
        }
    }

    /// Tells which processes have become programs that nobody asked to record.
    pub fn tell_replaced(&self, tell: &mut impl FnMut(Problem)) {
        for process in self.recording.processes() {
            let is_alive = process.process().state() != State::Ended;
            if process.is_finished() && is_alive && !self.removed.contains(&process.number()) {
                tell(Problem::Replaced(process.process().pid));
            }
        }
    }

    /// Drops the connections of processes that are finished, and removes what they left.
    pub fn drop_finished(&mut self) -> Result<(), RecordError> {
        let processes = self.recording.processes();
        self.connections.retain(|connection| {
            let process = &processes[connection.number as usize - 1];
            !process.is_finished() || connection.is_of_a_removed(process)
        });
        self.recording.remove_finished()
    }

    /// Lets all processes go, and waits until their agents have ended their recordings.
    pub fn disconnect(&mut self, tell: &mut impl FnMut(Problem)) {
        for connection in &self.connections {
            let _ = connection.stream.shutdown(Shutdown::Write);
        }
        let end = Instant::now() + GOODBYE;
        for Connection { number, stream, .. } in &mut self.connections {
            let process = &self.recording.processes()[*number as usize - 1];
            match ended(stream, process, end) {
                Some(Ended::LetGo) => {}
                Some(Ended::Gone) => self.recording.end(*number),
                None => tell(Problem::Unended(process.process().pid)),
            }
        }
    }
}

/// How the recording of a process has ended.
enum Ended {
    /// Its agent has let the recorder go.
    LetGo,
    /// The agent has gone: the process has ended, or is another program.
    Gone,
}

/// Waits until the agent of `process` ends the `stream`, and says how; at most until `end`.
///
/// A process that is stopped is not waited for: it hits nothing meanwhile. It may become so while it is waited for, as
/// a stop arrives only when the process is next scheduled.
fn ended(stream: &mut UnixStream, process: &ProcessDir, end: Instant) -> Option<Ended> {
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let wait = left.clamp(Duration::from_millis(1), LOOK);
        let _ = stream.set_read_timeout(Some(wait));
        let nothing = [
            ErrorKind::WouldBlock,
            ErrorKind::TimedOut,
            ErrorKind::Interrupted,
        ];
        match stream.read(&mut [0; 16]) {
            Err(error) if nothing.contains(&error.kind()) => {}
            _ => return Some(how_ended(process)),
        }
        if left.is_zero() || process.process().state() == State::Stopped {
            return None;
        }
    }
}

/// How it has ended with the end of the connection: a program may close what is its agent's, which lets the recorder go
/// then, a moment later.
fn how_ended(process: &ProcessDir) -> Ended {
    let end = Instant::now() + LAST;
    while Instant::now() < end {
        if process.is_let_go() {
            return Ended::LetGo;
        }
        if process.process().state() == State::Ended || process.is_gone() {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Ended::Gone
}
