//! What can go wrong with a results directory.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use perflab_machine::LockFileError;

/// What can go wrong with a results directory or the index.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Results never overwrite others.
    #[error("expected a new or empty directory for the results, found files in {}; choose another one, or continue with --resume", .0.display())]
    NotEmpty(PathBuf),
    /// The path is that of a file, or of nothing.
    #[error("expected a results directory, found none at {}", .0.display())]
    NoDirectory(PathBuf),
    /// No directory can be made at the path, as a file is in its way.
    #[error("cannot create the directory {}: {source}; choose another one", path.display())]
    Uncreatable {
        /// The results directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The laboratory was killed before the directory was set up.
    #[error("nothing was begun in {}, as the laboratory that set it up was killed; leave --resume out to begin there", .0.display())]
    NotBegun(PathBuf),
    /// A file is not there. `meta.json` is written last, so that its absence means an unfinished set-up.
    #[error("expected {file} in the results directory {}, found none; check the path, restore the directory from a copy, or remove it and measure again", directory.display())]
    Missing {
        /// The results directory.
        directory: PathBuf,
        /// The file's name.
        file: &'static str,
    },
    /// A file that never changes has changed.
    #[error("expected {} as it was written (SHA-256 {expected}), found it altered ({found}); restore it from a copy: results are only worth as much as what they were measured with", path.display())]
    Altered {
        /// The file.
        path: PathBuf,
        /// Its hash when it was written.
        expected: String,
        /// Its hash now.
        found: String,
    },
    /// A line of `runs.jsonl` or `meta.json` cannot be trusted.
    #[error("{}:{line}: {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: LineProblem,
    },
    /// A file is valid JSON no more, or not what was expected, though its hash is right.
    #[error("cannot understand {}: {reason}; read it with the version of perflab that wrote it", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What was expected and found.
        reason: String,
    },
    /// Another laboratory writes to the directory.
    #[error("cannot write to the results: {0}")]
    Lock(#[from] LockFileError),
    /// Somebody removed the directory, or what is essential in it, while runs were added.
    #[error("the result in {} was removed while the experiment ran, or parts of it were; measure into a new directory, which no workload removes", .0.display())]
    Removed(PathBuf),
    /// An earlier failure left a part of a line in `runs.jsonl` that could not be taken back.
    #[error("an earlier write to {} failed half way; continue with --resume, which repairs it", .0.display())]
    HalfWritten(PathBuf),
    /// Runs are recorded once.
    #[error("run {run} is already recorded in {}; a run is measured once, later ones need numbers of their own", path.display())]
    Recorded {
        /// The run's number.
        run: u32,
        /// The file of records.
        path: PathBuf,
    },
    /// The record is not of the format that is written.
    #[error(
        "expected a record of schema {expected}, found schema {found} in run {run}; build it with RunRecord::SCHEMA"
    )]
    RecordSchema {
        /// The run's number.
        run: u32,
        /// The schema that is written.
        expected: u32,
        /// The schema of the record.
        found: u32,
    },
    /// JSON knows neither infinity nor what is not a number.
    #[error(
        "expected a finite number for {what} of run {run}, found {value}; leave the value out and say so in the record's detail"
    )]
    NotFinite {
        /// The run's number.
        run: u32,
        /// The field.
        what: String,
        /// The value.
        value: f64,
    },
    /// The disk, or the user's share of it, is full. What was recorded before is intact.
    #[error("the disk is full: cannot {action} {}: {source}; make room and try again", path.display())]
    DiskFull {
        /// What was being done.
        action: &'static str,
        /// To which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was being done.
        action: &'static str,
        /// To which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The index cannot be used.
    #[error("cannot use the index {}: {source}", path.display())]
    Index {
        /// The index.
        path: PathBuf,
        /// What SQLite said.
        source: Box<rusqlite::Error>,
    },
    /// There is a database in the index's place.
    #[error("expected an index of perflab at {}, found another program's database; move it away", .0.display())]
    ForeignIndex(PathBuf),
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LineProblem {
    /// The checksum does not fit.
    #[error(
        "the line is not as it was written: its checksum does not fit; restore the file from a copy, or measure all runs again into a new directory"
    )]
    Altered,
    /// The checksum fits, but the line does not hold what it should.
    #[error(
        "expected a record, found something else ({0}); read it with the version of perflab that wrote it"
    )]
    Malformed(String),
    /// The line has another format.
    #[error(
        "expected schema {expected}, found schema {found}; read it with the version of perflab that wrote it"
    )]
    Schema {
        /// The schema that this version reads.
        expected: u32,
        /// The schema of the line.
        found: u32,
    },
    /// The run is there twice.
    #[error(
        "run {run} was already recorded in line {first}; restore the file from a copy, or measure all runs again into a new directory"
    )]
    Duplicate {
        /// The run's number.
        run: u32,
        /// The line that had it first.
        first: usize,
    },
    /// The line names another one than that before it.
    #[error(
        "the line does not follow the one before it: lines between them were removed, or lines were moved or rewritten; restore the file from a copy, or measure all runs again into a new directory"
    )]
    Gap,
    /// The line names no line before it, though it should.
    #[error(
        "the line does not name the one before it, as all lines of this file should: an older version of perflab or another program wrote it; restore the file from a copy, or measure all runs again into a new directory"
    )]
    Unchained,
    /// The lines end before that of a run that was recorded.
    #[error(
        "expected the record of run {run} ({why}), found the end of the file: lines were removed; restore the file from a copy, or measure all runs again into a new directory"
    )]
    Missing {
        /// The run's number.
        run: u32,
        /// How it is known that the run was recorded.
        why: String,
    },
    /// A file that holds samples of the run is not what it was.
    #[error(
        "expected samples of the run in {}, as they were written, found {found}; restore the file from a copy, or measure all runs again into a new directory", file.display()
    )]
    Samples {
        /// The file.
        file: PathBuf,
        /// What is there instead.
        found: String,
    },
    /// A file that holds samples of the run may not be opened.
    #[error("cannot open {}, which has samples of the run: {found}; check its permissions", file.display())]
    Closed {
        /// The file.
        file: PathBuf,
        /// What the system says.
        found: String,
    },
}

impl StoreError {
    /// Sorts an error of making the results directory.
    pub(crate) fn creation(path: &Path, source: io::Error) -> Self {
        match Self::io("create", path, source) {
            Self::Io { path, source, .. } => Self::Uncreatable { path, source },
            full => full,
        }
    }

    /// What is wrong with the line that is all of a file.
    pub(crate) fn first_line(directory: &Path, file: &str, problem: LineProblem) -> Self {
        Self::Line {
            path: directory.join(file),
            line: 1,
            problem,
        }
    }

    /// Sorts an error of using a file that every results directory has.
    pub(crate) fn missing_or(
        action: &'static str,
        directory: &Path,
        file: &'static str,
        source: io::Error,
    ) -> Self {
        match source.kind() {
            ErrorKind::NotFound => Self::Missing {
                directory: directory.to_owned(),
                file,
            },
            _ => Self::io(action, &directory.join(file), source),
        }
    }

    /// Sorts an error of the system: a full disk is something a person can do something about.
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::DiskFull {
                action,
                path,
                source,
            },
            _ => Self::Io {
                action,
                path,
                source,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_full_disk_is_told_from_other_failures() {
        let path = Path::new("/dev/full");
        let mut full = std::fs::OpenOptions::new().write(true).open(path).unwrap();
        let error = StoreError::io("write", path, full.write_all(b"x").unwrap_err());
        assert!(matches!(error, StoreError::DiskFull { .. }), "{error}");
        let quota = rustix::io::Errno::DQUOT.into();
        assert!(matches!(
            StoreError::io("write", path, quota),
            StoreError::DiskFull { .. }
        ));
        let other = rustix::io::Errno::IO.into();
        assert!(matches!(
            StoreError::io("write", path, other),
            StoreError::Io { .. }
        ));
    }
}
