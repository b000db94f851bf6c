//! What goes wrong with git.

use std::io;
use std::path::PathBuf;

/// Why something could not be learnt from a repository.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// The program is not there, or cannot be started.
    #[error("cannot start `git`: {0}; install git")]
    Start(#[source] io::Error),
    /// There is nothing at the path of the repository.
    #[error("there is no directory {}; expected that of a git repository", .0.display())]
    Missing(PathBuf),
    /// It refused.
    #[error("`git {command}` failed in {}: {said}", .directory.display())]
    Failed {
        /// Its arguments.
        command: String,
        /// The repository.
        directory: PathBuf,
        /// What it printed, in one line.
        said: String,
    },
    /// It printed something that this version of perflab does not understand.
    #[error("`git {command}` printed something unexpected: {what}")]
    Unexpected {
        /// Its arguments.
        command: String,
        /// What is unexpected.
        what: String,
    },
    /// A name that is no revision.
    #[error(
        "`{name}` names no commit in {}: neither a branch, a tag, a hash nor a date as 2026-11-21{}",
        .directory.display(),
        .hint.as_deref().unwrap_or_default()
    )]
    NoCommit {
        /// The name.
        name: String,
        /// The repository.
        directory: PathBuf,
        /// Why it may be missing.
        hint: Option<String>,
    },
}
