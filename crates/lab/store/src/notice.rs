//! What a person should know about a results directory, though it can be used.

use std::fmt;

use perflab_experiment::counted;

/// What was found, and put right if the directory was opened to be continued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The last line of `runs.jsonl` has no end: the laboratory died, or is writing now.
    CutLine {
        /// Number of bytes of the line that are there.
        bytes: usize,
        /// The file that they were moved to, if they were.
        moved_to: Option<String>,
    },
    /// Raw output of runs that did not finish, or were not recorded, was removed.
    RemovedRaw {
        /// The directories' names.
        directories: Vec<String>,
    },
    /// The copy of a file that results were read from is not there, or is not what it was.
    Evidence {
        /// The copy, below the results directory.
        file: String,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::CutLine {
                bytes,
                moved_to: None,
            } => {
                write!(
                    f,
                    "runs.jsonl ends within a line, which is not used: {}",
                    counted(bytes, "byte")
                )
            }
            Self::CutLine {
                bytes,
                moved_to: Some(file),
            } => write!(
                f,
                "runs.jsonl ended within a line, which was moved to {file}: {}; the run is measured again",
                counted(bytes, "byte")
            ),
            Self::RemovedRaw { directories } => {
                write!(
                    f,
                    "removed the output of runs that were not finished: {}",
                    directories.join(", ")
                )
            }
            Self::Evidence { file } => write!(
                f,
                "{file}, which runs were read from, is missing or altered; restore it from a copy"
            ),
        }
    }
}
