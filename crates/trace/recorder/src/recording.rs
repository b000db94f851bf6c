//! Several processes into one trace.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use perflab_trace_file::TraceWriter;

use crate::error::RecordError;
use crate::manner::{Manner, Since};
use crate::names::lives;
use crate::output::Output;
use crate::places::remove_orphaned;
use crate::process_dir::ProcessDir;
use crate::progress::{ProbeProgress, Progress};

/// A trace that is being recorded.
#[derive(Debug)]
pub struct Recording<W> {
    output: Output<W>,
    manner: Manner,
    processes: Vec<ProcessDir>,
    /// The last process of each directory, as an index of `processes`.
    newest: HashMap<PathBuf, usize>,
    /// Those that are not finished: a round must not take longer the more children a server has had.
    open: Vec<usize>,
    /// Those that are finished and whose directory may be there still.
    left: Vec<usize>,
    /// What was recorded of those that are finished.
    finished: Progress,
    /// Whether there was a last round.
    is_complete: bool,
}

impl<W: Write> Recording<W> {
    /// To a trace that has begun.
    pub fn new(trace: TraceWriter<W>, manner: Manner) -> Self {
        Self {
            output: Output::new(trace),
            manner,
            processes: Vec::new(),
            newest: HashMap::new(),
            open: Vec::new(),
            left: Vec::new(),
            finished: Progress::default(),
            is_complete: false,
        }
    }

    /// Adds the process whose directory this is. Returns its number in the trace. One that was added before has
    /// it already, unless it has become another program since.
    ///
    /// # Errors
    /// When the directory is not believed or has no file of the process: see [`ProcessDir::open`].
    pub fn add(&mut self, directory: &Path) -> Result<u32, RecordError> {
        if let Some(&index) = self.newest.get(directory)
            && !self.processes[index].is_gone()
        {
            return Ok(index as u32 + 1);
        }
        let index = self.processes.len();
        let number = index as u32 + 1;
        let process = ProcessDir::open(directory, number, self.manner)?;
        self.processes.push(process);
        self.newest.insert(directory.to_owned(), index);
        self.open.push(index);
        Ok(number)
    }

    /// Nothing more comes from the process with this number: it has become another program.
    pub fn end(&mut self, number: u32) {
        let index = (number as usize).checked_sub(1);
        if let Some(process) = index.and_then(|index| self.processes.get_mut(index)) {
            process.end();
        }
    }

    /// The processes, in the order of their numbers, from 1 on.
    pub fn processes(&self) -> &[ProcessDir] {
        &self.processes
    }

    /// Whether all processes have ended, and all that they left was read.
    pub fn is_finished(&self) -> bool {
        self.open.is_empty()
    }

    /// Writes what is new.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn round(&mut self) -> Result<Progress, RecordError> {
        for &index in &self.open {
            self.processes[index].round(&mut self.output)?;
        }
        self.close_finished();
        Ok(self.progress())
    }

    /// Removes what processes left that have ended, where all of it is in the trace: a server may have any number of
    /// children, one after the other. What cannot be removed stays.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn remove_finished(&mut self) -> Result<(), RecordError> {
        let mut is_flushed = false;
        for index in std::mem::take(&mut self.left) {
            let process = &self.processes[index];
            if lives(process.path()) {
                self.left.push(index);
                continue;
            }
            // What another program left that the process became is not read yet.
            if !process.is_gone() && process.is_all_read() {
                if !std::mem::replace(&mut is_flushed, true) {
                    self.output.trace.flush()?;
                }
                let _ = remove_orphaned(process.path());
            }
        }
        Ok(())
    }

    /// What was written so far is with the writer below, which keeps none of it back.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn flush(&mut self) -> Result<(), RecordError> {
        Ok(self.output.trace.flush()?)
    }

    /// What was recorded so far.
    pub fn progress(&self) -> Progress {
        let mut sum = self.finished;
        for &index in &self.open {
            sum += self.processes[index].progress();
        }
        sum.bytes = self.output.trace.written();
        sum
    }

    /// Events of each probe so far.
    pub fn probes(&self) -> impl Iterator<Item = ProbeProgress> {
        self.processes.iter().flat_map(ProcessDir::probes)
    }

    /// Writes what is new, if there was no last round yet, and ends the trace. Returns what was recorded, without the
    /// bytes of the end, and the writer below.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn finish(mut self) -> Result<(Progress, W), RecordError> {
        if !self.is_complete {
            self.last_round()?;
        }
        let progress = self.progress();
        Ok((progress, self.output.trace.finish()?))
    }

    /// Writes what is new, for the last time.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn last_round(&mut self) -> Result<(), RecordError> {
        self.is_complete = true;
        for process in &mut self.processes {
            process.last_round(&mut self.output)?;
        }
        self.close_finished();
        Ok(())
    }

    /// Takes those that are finished by now out of the open ones.
    fn close_finished(&mut self) {
        let (processes, left, finished) = (&self.processes, &mut self.left, &mut self.finished);
        self.open.retain(|&index| {
            let is_finished = processes[index].is_finished();
            if is_finished {
                *finished += processes[index].progress();
                left.push(index);
            }
            !is_finished
        });
    }
}

/// What one pass over some directories came to.
#[derive(Debug)]
pub struct Pass<W> {
    /// What was written.
    pub progress: Progress,
    /// Directories that were not believed, or had no file of the process.
    pub refused: Vec<(PathBuf, RecordError)>,
    /// Directories of which files are damaged, and how many.
    pub damaged: Vec<(PathBuf, u64)>,
    /// Child processes that could not be recorded, the first ones of each process.
    pub unreached: Vec<u32>,
    /// The writer below the trace.
    pub writer: W,
}

/// Writes what is in the rings of processes, alive or dead, and changes nothing there: of dead ones everything,
/// of others what was complete before now. `last`: only events of that time before now.
///
/// # Errors
/// When the trace cannot be written.
pub fn snapshot<W: Write>(
    directories: &[PathBuf],
    trace: TraceWriter<W>,
    last: Option<Duration>,
) -> Result<Pass<W>, RecordError> {
    let manner = Manner {
        keep: false,
        since: last.map_or(Since::Oldest, Since::Last),
    };
    let mut recording = Recording::new(trace, manner);
    let mut refused = Vec::new();
    for directory in directories {
        if let Err(error) = recording.add(directory) {
            refused.push((directory.clone(), error));
        }
    }
    recording.last_round()?;
    let children = recording.processes.iter().flat_map(ProcessDir::unreached);
    let unreached = children.copied().collect();
    let broken = recording.processes.iter().map(|process| {
        let files = process.progress().broken;
        (process.path().to_owned(), files)
    });
    let damaged = broken.filter(|(_, files)| *files > 0).collect();
    Ok(Pass {
        progress: recording.progress(),
        refused,
        damaged,
        unreached,
        writer: recording.output.trace.finish()?,
    })
}

/// Writes all that dead processes left, and changes nothing there. One that lives is refused.
///
/// # Errors
/// When the trace cannot be written.
pub fn recover<W: Write>(
    directories: &[PathBuf],
    trace: TraceWriter<W>,
) -> Result<Pass<W>, RecordError> {
    let is_alive = |directory: &&PathBuf| lives(directory);
    let (living, dead): (Vec<_>, Vec<_>) = directories.iter().partition(is_alive);
    let dead: Vec<PathBuf> = dead.into_iter().cloned().collect();
    let mut pass = snapshot(&dead, trace, None)?;
    let living = living.into_iter();
    pass.refused
        .extend(living.map(|path| (path.clone(), RecordError::Lives(path.clone()))));
    Ok(pass)
}
