//! What can still be known of a results directory that cannot be trusted as a whole.

use std::collections::HashMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;

use perflab_machine::{Holder, LockFile};
use serde_json::Value;

use crate::chain::{Chain, Continuity};
use crate::error::{LineProblem, StoreError};
use crate::expected::Expected;
use crate::file;
use crate::frozen::{self, EXPERIMENT, FINGERPRINT, PLAN};
use crate::imported;
use crate::lock::LOCK;
use crate::meta::Meta;
use crate::metrics::Metrics;
use crate::notice::Notice;
use crate::raw_output;
use crate::record::RunRecord;
use crate::runs_file;
use crate::stopped::Stopped;

/// Lines that one processor reads faster than another one is asked.
const FEW: usize = 200;

/// The parts of a results directory that are as they were written, and what is wrong with the others.
///
/// [`crate::ResultDir`] refuses a directory of which anything was altered, as nothing should be claimed of it; this
/// is for people who want to look at it nevertheless.
#[derive(Debug)]
pub struct Salvage {
    /// The directory.
    pub path: PathBuf,
    /// Who wrote the results, when, and what with.
    pub meta: Option<Meta>,
    /// The experiment, word for word.
    pub experiment: Option<String>,
    /// The plan.
    pub plan: Option<Value>,
    /// The machine, when the experiment began.
    pub fingerprint: Option<Value>,
    /// The records that are intact, in the order in which the runs ended.
    pub records: Vec<RunRecord>,
    /// Why the experiment has ended, where its own results may end it.
    pub stopped: Option<Stopped>,
    /// What is missing or cannot be trusted. Empty for a directory that [`crate::ResultDir`] opens.
    pub problems: Vec<StoreError>,
    /// What a person should know, though nothing is wrong.
    pub notices: Vec<Notice>,
}

impl Salvage {
    /// Reads what there is. A directory that is none, or is empty, has only problems.
    pub fn read(directory: &Path) -> Self {
        let mut problems = Vec::new();
        let mut kept = |result: Result<Vec<u8>, StoreError>| match result {
            Ok(content) => Some(content),
            Err(error) => {
                problems.push(error);
                None
            }
        };
        let meta = Meta::read(directory);
        let [experiment, plan, fingerprint] = match &meta {
            Ok((meta, _)) => {
                let hashes = &meta.sha256;
                [
                    kept(frozen::verified(directory, EXPERIMENT, &hashes.experiment)),
                    kept(frozen::verified(directory, PLAN, &hashes.plan)),
                    kept(frozen::verified(
                        directory,
                        FINGERPRINT,
                        &hashes.fingerprint,
                    )),
                ]
            }
            // Nothing says what they were.
            Err(_) => [None, None, None],
        };
        let mut salvage = Self {
            path: directory.to_owned(),
            meta: None,
            experiment: experiment.map(|text| String::from_utf8_lossy(&text).into_owned()),
            plan: (plan.as_ref()).and_then(|plan| serde_json::from_slice(plan).ok()),
            fingerprint: fingerprint.and_then(|content| serde_json::from_slice(&content).ok()),
            records: Vec::new(),
            stopped: None,
            problems,
            notices: Vec::new(),
        };
        let mut expected = Expected::default();
        let mut meta_line = None;
        match meta {
            Ok((meta, line)) => {
                expected = Expected::gather(directory, &meta, plan.as_deref());
                meta_line = Some(line);
                if let Some(imported) = &meta.origin.imported {
                    salvage.notices.extend(imported::check(directory, imported));
                }
                salvage.meta = Some(meta);
            }
            Err(error) => salvage.problems.push(error),
        }
        salvage.read_records(meta_line.as_deref(), &expected);
        match Stopped::read(directory) {
            Ok(stopped) => salvage.stopped = stopped,
            Err(error) => salvage.problems.push(error),
        }
        salvage
    }

    /// Who writes to the directory now.
    pub fn writer(&self) -> Option<Holder> {
        writer(&self.path)
    }

    /// Where the raw output of a recorded run lies.
    pub fn run_dir(&self, run: u32) -> PathBuf {
        raw_output::recorded(&self.path, run)
    }

    fn read_records(&mut self, meta_line: Option<&[u8]>, expected: &Expected) {
        let path = self.path.join(runs_file::FILE);
        let content = match file::read(&path) {
            Ok(content) => content,
            Err(source) => {
                let error = runs_file::missing_or("read", &self.path, source);
                self.problems.push(error);
                return;
            }
        };
        let complete = runs_file::complete(&content);
        if complete.len() < content.len() {
            self.notices.push(Notice::CutLine {
                bytes: content.len() - complete.len(),
                moved_to: None,
            });
        }
        let mut first_line: HashMap<u32, usize> = HashMap::new();
        let lines: Vec<&[u8]> = complete.split_inclusive(|byte| *byte == b'\n').collect();
        let mut chain = Chain::begin(self.meta.as_ref().is_some_and(|meta| meta.chained));
        let mut found = Vec::new();
        for (line, (read, step)) in (1..).zip(parsed(meta_line, &lines)) {
            let problem = match read {
                Ok(record) => match first_line.get(&record.run) {
                    Some(first) => LineProblem::Duplicate {
                        run: record.run,
                        first: *first,
                    },
                    None => {
                        first_line.insert(record.run, line);
                        self.records.push(record);
                        // A line after a wrong one cannot follow it: that one is reported.
                        let is_known = found.last().is_some_and(|(last, _)| last + 1 == line);
                        match chain.take(step) {
                            Err(problem) if !is_known => problem,
                            _ => continue,
                        }
                    }
                },
                Err(problem) => problem,
            };
            found.push((line, problem));
        }
        // Runs whose lines are wrong are missing for that.
        if found.is_empty() {
            let missing = expected.missing(|run| first_line.contains_key(&run));
            found.extend(missing.map(|problem| (lines.len() + 1, problem)));
        }
        let wrong = |(line, problem)| StoreError::Line {
            path: path.clone(),
            line,
            problem,
        };
        self.problems.extend(found.into_iter().map(wrong));
    }
}

/// Who writes to a results directory now.
pub fn writer(directory: &Path) -> Option<Holder> {
    LockFile::holder(&directory.join(LOCK))
}

/// A line: its record, and how it goes with the line before it.
type Parsed = (Result<RunRecord, LineProblem>, Continuity);

/// What lines say, in their order. Thousands of runs are long lines, so all processors read them.
fn parsed(meta_line: Option<&[u8]>, lines: &[&[u8]]) -> Vec<Parsed> {
    let metrics = &Metrics::default();
    let before: Vec<Option<&[u8]>> = std::iter::once(meta_line)
        .chain(lines.iter().copied().map(Some))
        .collect();
    let pairs: Vec<(Option<&[u8]>, &[u8])> =
        before.into_iter().zip(lines.iter().copied()).collect();
    let parse = |pairs: &[(Option<&[u8]>, &[u8])]| -> Vec<Parsed> {
        let mut shared = Vec::new();
        let read = |(before, line): &(Option<&[u8]>, &[u8])| {
            let mut record = runs_file::record(line.strip_suffix(b"\n").unwrap_or(line));
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
