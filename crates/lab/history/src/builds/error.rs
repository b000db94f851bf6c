//! Why there is no build, and no fact about one either.

use std::io;
use std::path::{Path, PathBuf};

use perflab_experiment::TemplateError;
use perflab_store::StoreError;

use crate::git::GitError;
use crate::journal::JournalError;

/// What ends the work on a history; a revision that cannot be built is a fact instead.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// A repository cannot be read.
    #[error(transparent)]
    Git(#[from] GitError),
    /// Something that every build needs failed.
    #[error("{detail}; all of it is in {}", log.display())]
    Needed {
        /// What it said.
        detail: String,
        /// Where it said all of it.
        log: PathBuf,
    },
    /// A command of the history file has an unknown placeholder.
    #[error(
        "in a command of the history file: {0}; known are {{revision}}, {{name}}, {{date}}, {{tree}} and {{history}}"
    )]
    Template(#[from] TemplateError),
    /// A path that JSON and commands cannot hold.
    #[error("{} is not UTF-8; put the history elsewhere with --out", .0.display())]
    Path(PathBuf),
    /// A file or directory of the history cannot be written or read.
    #[error("cannot {what} {}: {source}", path.display())]
    Io {
        /// What was tried.
        what: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A file of facts cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl BuildError {
    pub(super) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { what, path, source }
    }
}
