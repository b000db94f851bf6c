//! `runs.jsonl`: one line for each finished run.

use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::atomic;
use crate::chain::{Chain, Continuity, Link};
use crate::error::{LineProblem, StoreError};
use crate::expected::Expected;
use crate::file;
use crate::frozen::Frozen;
use crate::line;
use crate::metrics::Metrics;
use crate::notice::Notice;
use crate::record::{RunRecord, Usage};

/// The file's name.
pub(crate) const FILE: &str = "runs.jsonl";

/// Makes an empty file of records.
pub(crate) fn create(directory: &Path) -> Result<(), StoreError> {
    atomic::write(directory, FILE, b"")?;
    Ok(())
}

/// All records. A last line that was cut off is left out; anything else that is wrong is an error.
pub(crate) fn read(directory: &Path, frozen: &Frozen) -> Result<Vec<RunRecord>, StoreError> {
    let (content, expected) = content(directory, frozen)?;
    parse(directory, frozen, &content, &expected)
}

/// The bytes of the file, and the runs that must be in it.
fn content(directory: &Path, frozen: &Frozen) -> Result<(Vec<u8>, Expected), StoreError> {
    let expected = Expected::gather(directory, &frozen.meta, Some(&frozen.plan));
    let content = file::read(&directory.join(FILE));
    let content = content.map_err(|source| missing_or("read", directory, source))?;
    Ok((content, expected))
}

/// What lies before the last line feed, with it.
pub(crate) fn complete(content: &[u8]) -> &[u8] {
    let end = content
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |position| position + 1);
    &content[..end]
}

fn parse(
    directory: &Path,
    frozen: &Frozen,
    content: &[u8],
    expected: &Expected,
) -> Result<Vec<RunRecord>, StoreError> {
    let wrong = |line, problem| StoreError::Line {
        path: directory.join(FILE),
        line,
        problem,
    };
    let whole = complete(content);
    let mut records: Vec<RunRecord> = Vec::new();
    let mut first_line: HashMap<u32, usize> = HashMap::new();
    let (metrics, mut shared) = (Metrics::default(), Vec::new());
    let mut chain = Chain::begin(frozen.meta.chained);
    let mut before = frozen.meta_line.as_slice();
    for (line, text) in (1..).zip(whole.split_inclusive(|byte| *byte == b'\n')) {
        let wrong = |problem| wrong(line, problem);
        let mut record = record(text.strip_suffix(b"\n").unwrap_or(text)).map_err(wrong)?;
        metrics.share(&mut record, &mut shared);
        if let Some(first) = first_line.insert(record.run, line) {
            return Err(wrong(LineProblem::Duplicate {
                run: record.run,
                first,
            }));
        }
        chain
            .take(Continuity::between(Some(before), text))
            .map_err(wrong)?;
        before = text;
        records.push(record);
    }
    match expected.missing(|run| first_line.contains_key(&run)) {
        Some(problem) => Err(wrong(records.len() + 1, problem)),
        None => Ok(records),
    }
}

/// The record in a line, given without its line feed.
pub(crate) fn record(line: &[u8]) -> Result<RunRecord, LineProblem> {
    /// What can be said of a line of any format.
    #[derive(serde::Deserialize)]
    struct Schema {
        schema: u32,
    }
    let record = line::unseal::<RunRecord>(line);
    let found = match &record {
        Ok(record) => record.schema,
        Err(LineProblem::Malformed(_)) => {
            line::unseal(line).map_or(RunRecord::SCHEMA, |Schema { schema }| schema)
        }
        Err(_) => RunRecord::SCHEMA,
    };
    match found {
        RunRecord::SCHEMA => record,
        RunRecord::OLDEST => {
            let mut record = record?;
            // One that was imported, or whose workload was not started, had zeros.
            let has_ended = record.exit_code.or(record.signal).is_some();
            if has_ended && record.source.is_none() {
                record.usage = Some(line::unseal::<Usage>(line)?);
            }
            Ok(record)
        }
        _ => Err(LineProblem::Schema {
            expected: RunRecord::SCHEMA,
            found,
        }),
    }
}

/// Whether the last line was cut off.
pub(crate) fn cut_line(directory: &Path) -> Result<Option<Notice>, StoreError> {
    let failed = |source| missing_or("read", directory, source);
    let mut file = file::open(&directory.join(FILE)).map_err(failed)?;
    let bytes = unfinished(&mut file).map_err(failed)?;
    Ok((bytes > 0).then_some(Notice::CutLine {
        bytes,
        moved_to: None,
    }))
}

/// Number of bytes behind the last line feed, found from the end without reading all records.
fn unfinished(file: &mut File) -> io::Result<usize> {
    const STEP: u64 = 1 << 16;
    let length = file.seek(SeekFrom::End(0))?;
    let mut start = length;
    while start > 0 {
        let end = start;
        start = end.saturating_sub(STEP);
        file.seek(SeekFrom::Start(start))?;
        let mut part = Vec::new();
        Read::by_ref(file)
            .take(end - start)
            .read_to_end(&mut part)?;
        if let Some(position) = part.iter().rposition(|byte| *byte == b'\n') {
            return Ok((length - start) as usize - position - 1);
        }
    }
    Ok(length as usize)
}

pub(crate) fn missing_or(action: &'static str, directory: &Path, source: io::Error) -> StoreError {
    match source.kind() {
        ErrorKind::NotFound => StoreError::Missing {
            directory: directory.to_owned(),
            file: FILE,
        },
        _ => StoreError::io(action, &directory.join(FILE), source),
    }
}

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
    pub(crate) fn begin(directory: &Path, frozen: &Frozen) -> Result<Self, StoreError> {
        Self::at_end(directory, frozen, b"", HashSet::new())
    }

    /// Opens the file behind complete lines, which hold these runs.
    fn at_end(
        directory: &Path,
        frozen: &Frozen,
        complete: &[u8],
        recorded: HashSet<u32>,
    ) -> Result<Self, StoreError> {
        let path = directory.join(FILE);
        let file = OpenOptions::new()
            .append(true)
            .open(&path)
            .map_err(|source| missing_or("open", directory, source))?;
        let last = complete.split_inclusive(|byte| *byte == b'\n').next_back();
        Ok(Self {
            path,
            file,
            length: complete.len() as u64,
            recorded,
            last: Link::of(last.unwrap_or(&frozen.meta_line)),
            half_written: false,
        })
    }

    /// Opens the file and moves what is left of a cut-off last line into a file of its own.
    ///
    /// All complete lines are checked first: nothing is changed if one of them cannot be trusted.
    pub(crate) fn open(
        directory: &Path,
        frozen: &Frozen,
    ) -> Result<(Self, Option<Notice>), StoreError> {
        let (content, expected) = content(directory, frozen)?;
        let complete = complete(&content);
        let recorded = parse(directory, frozen, &content, &expected)?
            .into_iter()
            .map(|record| record.run)
            .collect();
        let mut appender = Self::at_end(directory, frozen, complete, recorded)?;
        let cut = &content[complete.len()..];
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
            let line = line::seal_after(record, Some(added.last));
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
