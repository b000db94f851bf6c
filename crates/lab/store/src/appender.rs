//! Adds records to `runs.jsonl`.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use perflab_experiment::Plan;

use crate::atomic;
use crate::error::StoreError;
use crate::line;
use crate::link::Link;
use crate::meta::MetaFile;
use crate::notice::Notice;
use crate::record::RunRecord;
use crate::runs_file::{FILE, RunsFile};
use crate::sample_files;

/// What a call adds, until all of it is on the disk.
struct Added {
    runs: Vec<u32>,
    length: u64,
    last: Link,
    has_written: bool,
}

/// The file of records, opened by the one laboratory that may add to it.
#[derive(Debug)]
pub(crate) struct Appender {
    directory: PathBuf,
    path: PathBuf,
    file: File,
    length: u64,
    recorded: HashSet<u32>,
    /// The last line, or that of `meta.json` if there is none.
    last: Link,
    half_written: bool,
}

impl Appender {
    /// Opens the empty file of a new result.
    pub(crate) fn begin(directory: &Path, meta: &MetaFile) -> Result<Self, StoreError> {
        Self::at_end(directory, meta, b"", HashSet::new())
    }

    /// Opens the file behind complete lines, which hold these runs.
    fn at_end(
        directory: &Path,
        meta: &MetaFile,
        complete: &[u8],
        recorded: HashSet<u32>,
    ) -> Result<Self, StoreError> {
        let path = directory.join(FILE);
        let file = OpenOptions::new()
            .append(true)
            .open(&path)
            .map_err(|source| StoreError::missing_or("open", directory, FILE, source))?;
        let last = complete.split_inclusive(|byte| *byte == b'\n').next_back();
        Ok(Self {
            directory: directory.to_owned(),
            path,
            file,
            length: complete.len() as u64,
            recorded,
            last: Link::of(last.unwrap_or(&meta.line)),
            half_written: false,
        })
    }

    /// Opens the file and moves what is left of a cut-off last line into a file of its own.
    ///
    /// All complete lines are checked first: nothing is changed if one of them cannot be trusted.
    pub(crate) fn open(
        directory: &Path,
        meta: &MetaFile,
        plan: &Plan,
    ) -> Result<(Self, Option<Notice>), StoreError> {
        let lines = RunsFile::read_sound(directory, meta, plan)?;
        let recorded = lines.records.iter().map(|record| record.run).collect();
        let mut appender = Self::at_end(directory, meta, lines.complete(), recorded)?;
        let cut = lines.cut_line();
        if cut.is_empty() {
            return Ok((appender, None));
        }
        let name = free_name(directory);
        atomic::write(directory, &name, cut)?;
        appender.take_back()?;
        Ok((
            appender,
            Some(Notice::CutLine {
                bytes: cut.len(),
                moved_to: Some(name),
            }),
        ))
    }

    pub(crate) fn has(&self, run: u32) -> bool {
        self.recorded.contains(&run)
    }

    /// Adds a record: one write of one line, then it is on the disk.
    pub(crate) fn append(&mut self, record: &RunRecord) -> Result<(), StoreError> {
        self.append_all([record])
    }

    /// Adds records: all of them are on the disk then, or none is in the file.
    pub(crate) fn append_all<'r>(
        &mut self,
        records: impl IntoIterator<Item = &'r RunRecord>,
    ) -> Result<(), StoreError> {
        if self.half_written {
            return Err(StoreError::HalfWritten(self.path.clone()));
        }
        let mut added = Added {
            runs: Vec::new(),
            length: self.length,
            last: self.last,
            has_written: false,
        };
        let written = self.write(records, &mut added);
        if written.is_err() {
            for run in &added.runs {
                self.recorded.remove(run);
            }
            self.half_written = added.has_written && self.take_back().is_err();
            return written;
        }
        self.length = added.length;
        self.last = added.last;
        Ok(())
    }

    /// Many lines go into one write, and one sync is for all of them.
    fn write<'r>(
        &mut self,
        records: impl IntoIterator<Item = &'r RunRecord>,
        added: &mut Added,
    ) -> Result<(), StoreError> {
        const PIECE: usize = 1 << 20;
        let failed = |source| StoreError::io("add a record to", &self.path, source);
        let mut lines = Vec::new();
        for record in records {
            record.check()?;
            if !self.recorded.insert(record.run) {
                return Err(StoreError::Recorded {
                    run: record.run,
                    path: self.path.clone(),
                });
            }
            added.runs.push(record.run);
            let written = sample_files::set_aside(&self.directory, record)?;
            let line = line::seal_after(&*written, Some(added.last));
            let line = line.map_err(|error| StoreError::Content {
                path: self.path.clone(),
                reason: error.to_string(),
            })?;
            added.length += line.len() as u64;
            added.last = Link::of(&line);
            lines.extend_from_slice(&line);
            if lines.len() > PIECE {
                added.has_written = true;
                self.file.write_all(&lines).map_err(failed)?;
                lines.clear();
            }
        }
        // write_all makes a single call unless the disk fills up within the lines; the next call then
        // says so.
        added.has_written = true;
        self.file
            .write_all(&lines)
            .and_then(|()| self.file.sync_data())
            .map_err(failed)
    }

    /// Cuts the file to the records that are complete.
    fn take_back(&mut self) -> Result<(), StoreError> {
        self.file
            .set_len(self.length)
            .and_then(|()| self.file.sync_data())
            .map_err(|source| StoreError::io("repair", &self.path, source))
    }
}

/// A name for the rest of a cut-off line that is not taken.
fn free_name(directory: &Path) -> String {
    let mut number = 1_u32;
    loop {
        let name = format!("{FILE}.cut-{number}");
        if directory.join(&name).symlink_metadata().is_err() {
            return name;
        }
        number += 1;
    }
}
