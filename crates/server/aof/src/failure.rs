//! Why a log that is open takes no more blocks.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a log takes no more blocks, for now or for good.
///
/// # After a sync that failed
///
/// This is final. The kernel marks pages as clean whose write failed, may drop them, and reports the error once: a
/// second fsync(2) can succeed although the data are lost. Reading the file would not tell, as it may come from memory.
/// So neither another sync nor writing again can keep the promise of those blocks that were not synced. See the section
/// on errors of fsync(2), `https://wiki.postgresql.org/wiki/Fsync_Errors`, and Rebello et al., "Can Applications
/// Recover from fsync Failures?", USENIX ATC 2020. A server that starts again reads what is on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    path: PathBuf,
    action: Action,
    said: String,
    kind: io::ErrorKind,
}

/// What failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// To add blocks. They are still in memory.
    Write,
    /// To make blocks outlast a power failure.
    Sync,
    /// To make the new name of the file outlast a power failure, after a rewrite.
    SyncDirectory,
}

impl Failure {
    pub(crate) fn new(path: &Path, action: Action, error: &io::Error) -> Self {
        Self {
            path: path.to_owned(),
            action,
            said: error.to_string(),
            kind: error.kind(),
        }
    }

    /// Whether nothing but a restart helps. If not, [`retry`](crate::Log::retry) may succeed later.
    pub fn is_final(&self) -> bool {
        self.action != Action::Write
    }

    /// The kind of error that the system reported, as [`io::ErrorKind::StorageFull`].
    pub fn kind(&self) -> io::ErrorKind {
        self.kind
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (path, said) = (self.path.display(), &self.said);
        match self.action {
            Action::Write => write!(
                f,
                "cannot write to {path}: {said}; no write is accepted until this succeeds: make room, or check the disk"
            ),
            Action::Sync => write!(
                f,
                "cannot sync {path}: {said}; the kernel may have dropped blocks that were written, so no more are \
                 accepted: check the disk, then restart the server"
            ),
            Action::SyncDirectory => write!(
                f,
                "cannot sync the directory of {path}: {said}; a power failure may bring back the file from before the \
                 rewrite, so no more blocks are accepted: check the disk, then restart the server"
            ),
        }
    }
}

impl std::error::Error for Failure {}

/// Why a block was not appended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    /// The payload does not fit into a block.
    #[error("a block may have {} bytes, this one has {}; split what it holds", u32::MAX, .0)]
    TooLong(usize),
    /// The log takes no blocks.
    #[error(transparent)]
    Failed(#[from] Failure),
}
