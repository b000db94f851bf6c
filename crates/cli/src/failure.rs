//! How a command of the laboratory fails: a message for people, a code for scripts.

use std::fmt;
use std::io::{self, ErrorKind};

use perflab_compare::AnalysisError;
use perflab_machine::LockFileError;
use perflab_machine::tune::TuneError;
use perflab_store::{LineProblem, StoreError};

/// Exit codes, as documented in `docs/command-line.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// A regression is proven.
    Regression = 1,
    /// The command line or a file that the user wrote is wrong.
    Usage = 2,
    /// Sameness was asked for and is not shown.
    NotSame = 3,
    /// There are no data, or they are incomplete.
    NoData = 4,
    /// The machine, its settings or what is installed does not allow it.
    Environment = 5,
    /// The time limit ran out.
    TimeLimit = 124,
    /// The user asked to stop.
    Interrupted = 130,
}

/// A failure to report and to end with.
#[derive(Debug)]
pub struct Failure {
    /// What the process ends with.
    pub code: Code,
    message: String,
}

impl Failure {
    /// With any code.
    pub fn new(code: Code, message: impl fmt::Display) -> Self {
        Self {
            code,
            message: message.to_string(),
        }
    }

    /// The user's input is wrong.
    pub fn usage(message: impl fmt::Display) -> Self {
        Self::new(Code::Usage, message)
    }

    /// There are no data to work with.
    pub fn no_data(message: impl fmt::Display) -> Self {
        Self::new(Code::NoData, message)
    }

    /// What was to be written has no room; whoever makes room can call the same again.
    pub fn disk_full(message: impl fmt::Display) -> Self {
        Self::no_data(format!(
            "the disk is full: {message}; make room and try again"
        ))
    }

    /// The surroundings do not allow it.
    pub fn environment(message: impl fmt::Display) -> Self {
        Self::new(Code::Environment, message)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

/// Whether the disk, or the user's share of it, is full.
pub fn is_disk_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded
    )
}

/// A failure of the store.
impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let code = match &error {
            StoreError::NotEmpty(_)
            | StoreError::NoDirectory(_)
            | StoreError::NotBegun(_)
            | StoreError::Uncreatable { .. }
            | StoreError::Line {
                problem: LineProblem::Closed { .. },
                ..
            } => Code::Usage,
            StoreError::Io { source, .. }
            | StoreError::Lock(LockFileError::Open { source, .. })
                if is_closed(source) =>
            {
                Code::Usage
            }
            StoreError::Lock(_) => Code::Environment,
            _ => Code::NoData,
        };
        Self::new(code, error)
    }
}

/// Whether files may not be opened or made: it is not their content that is wrong.
fn is_closed(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
    )
}

/// A failure about settings: always the surroundings'.
impl From<TuneError> for Failure {
    fn from(error: TuneError) -> Self {
        Self::environment(error)
    }
}

/// Why there is nothing to say about the runs.
impl From<AnalysisError> for Failure {
    fn from(error: AnalysisError) -> Self {
        let mut own = &error;
        while let AnalysisError::NoHits { error, .. } = own {
            own = error;
        }
        let code = match own {
            AnalysisError::NoBaseline { .. }
            | AnalysisError::NoParts { .. }
            | AnalysisError::Unknown { .. } => Code::Usage,
            _ => Code::NoData,
        };
        Self::new(code, error)
    }
}
