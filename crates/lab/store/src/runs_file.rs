//! `runs.jsonl`: one line for each finished run.

use std::collections::HashMap;
use std::num::NonZero;
use std::path::Path;
use std::thread;

use perflab_experiment::Plan;

use crate::atomic;
use crate::chain::{Chain, Continuity};
use crate::error::{LineProblem, StoreError};
use crate::expected_runs::ExpectedRuns;
use crate::line;
use crate::meta::MetaFile;
use crate::metrics::Metrics;
use crate::notice::Notice;
use crate::record::{RunRecord, Usage};
use crate::regular_file;
use crate::sample_files;

/// The file's name.
pub(crate) const FILE: &str = "runs.jsonl";

/// Lines that one processor reads faster than another one is asked.
const FEW: usize = 200;

/// Makes an empty file of records.
pub(crate) fn create(directory: &Path) -> Result<(), StoreError> {
    atomic::write(directory, FILE, b"")?;
    Ok(())
}

/// What the file holds.
#[derive(Debug)]
pub(crate) struct RunsFile {
    content: Vec<u8>,
    /// The records that are intact, in the order in which the runs ended.
    pub(crate) records: Vec<RunRecord>,
    /// Lines that are altered or missing, in order.
    pub(crate) problems: Vec<StoreError>,
}

impl RunsFile {
    /// Reads all lines. Without the other files of the result, fewer of the lines that are missing are noticed.
    pub(crate) fn read(
        directory: &Path,
        meta: Option<&MetaFile>,
        plan: Option<&Plan>,
    ) -> Result<Self, StoreError> {
        let expected = meta.map(|file| ExpectedRuns::gather(directory, &file.meta, plan));
        let path = directory.join(FILE);
        let content = regular_file::read_of(directory, FILE)?;
        let lines: Vec<&[u8]> = complete(&content)
            .split_inclusive(|byte| *byte == b'\n')
            .collect();
        let mut records: Vec<RunRecord> = Vec::new();
        let mut first_line: HashMap<u32, usize> = HashMap::new();
        let mut chain = Chain::begin(meta.is_some_and(|file| file.meta.chained));
        let mut problems: Vec<(usize, LineProblem)> = Vec::new();
        let meta_line = meta.map(|file| file.line.as_slice());
        for (line, (read, continuity)) in (1..).zip(parsed(directory, meta_line, &lines)) {
            let problem = match read {
                Ok(record) => match first_line.get(&record.run) {
                    Some(first) => LineProblem::Duplicate {
                        run: record.run,
                        first: *first,
                    },
                    None => {
                        first_line.insert(record.run, line);
                        records.push(record);
                        // A line after a wrong one cannot follow it: that one is reported.
                        let is_known = problems.last().is_some_and(|(last, _)| last + 1 == line);
                        match chain.take(continuity) {
                            Err(problem) if !is_known => problem,
                            _ => continue,
                        }
                    }
                },
                Err(problem) => problem,
            };
            problems.push((line, problem));
        }
        // Runs whose lines are wrong are missing for that.
        if problems.is_empty() {
            let is_recorded = |run| first_line.contains_key(&run);
            let missing = expected.and_then(|expected| expected.missing(is_recorded));
            problems.extend(missing.map(|problem| (lines.len() + 1, problem)));
        }
        let wrong = |(line, problem)| StoreError::Line {
            path: path.clone(),
            line,
            problem,
        };
        Ok(Self {
            records,
            problems: problems.into_iter().map(wrong).collect(),
            content,
        })
    }

    /// The same, unless a line is wrong. A last line that was cut off is no error.
    pub(crate) fn read_sound(
        directory: &Path,
        meta: &MetaFile,
        plan: &Plan,
    ) -> Result<Self, StoreError> {
        let mut file = Self::read(directory, Some(meta), Some(plan))?;
        match file.problems.is_empty() {
            true => Ok(file),
            false => Err(file.problems.swap_remove(0)),
        }
    }

    /// The lines that have an end.
    pub(crate) fn complete(&self) -> &[u8] {
        complete(&self.content)
    }

    /// What a reader should know of a last line that was cut off.
    pub(crate) fn notice(&self) -> Option<Notice> {
        let bytes = self.cut_line().len();
        (bytes > 0).then_some(Notice::CutLine {
            bytes,
            moved_to: None,
        })
    }

    /// What is there of a last line that was cut off.
    pub(crate) fn cut_line(&self) -> &[u8] {
        &self.content[self.complete().len()..]
    }
}

/// What lies before the last line feed, with it.
fn complete(content: &[u8]) -> &[u8] {
    let end = content
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |position| position + 1);
    &content[..end]
}

/// The record in a line, given without its line feed, with the samples that are in other files.
fn record(directory: &Path, line: &[u8]) -> Result<RunRecord, LineProblem> {
    let mut record = record_of_line(line)?;
    sample_files::load(directory, &mut record)?;
    Ok(record)
}

fn record_of_line(line: &[u8]) -> Result<RunRecord, LineProblem> {
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

/// A line: its record, and how it goes with the line before it.
type Parsed = (Result<RunRecord, LineProblem>, Continuity);

/// What lines say, in their order. Thousands of runs are long lines, so all processors read them.
fn parsed(directory: &Path, meta_line: Option<&[u8]>, lines: &[&[u8]]) -> Vec<Parsed> {
    let metrics = &Metrics::default();
    let before: Vec<Option<&[u8]>> = std::iter::once(meta_line)
        .chain(lines.iter().copied().map(Some))
        .collect();
    let pairs: Vec<(Option<&[u8]>, &[u8])> =
        before.into_iter().zip(lines.iter().copied()).collect();
    let parse = |pairs: &[(Option<&[u8]>, &[u8])]| -> Vec<Parsed> {
        let mut shared = Vec::new();
        let read = |(before, line): &(Option<&[u8]>, &[u8])| {
            let mut record = record(directory, line.strip_suffix(b"\n").unwrap_or(line));
            if let Ok(record) = &mut record {
                metrics.share(record, &mut shared);
            }
            (record, Continuity::between(*before, line))
        };
        pairs.iter().map(read).collect()
    };
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    let share = lines.len().div_ceil(workers).max(FEW);
    if lines.len() <= share {
        return parse(&pairs);
    }
    thread::scope(|scope| {
        let parts: Vec<_> = pairs
            .chunks(share)
            .map(|part| (part, scope.spawn(move || parse(part))))
            .collect();
        let each = parts
            .into_iter()
            .flat_map(|(part, worker)| worker.join().unwrap_or_else(|_| parse(part)));
        each.collect()
    })
}
