//! Why something cannot be recorded.

use std::io;
use std::path::{Path, PathBuf};

/// Why something cannot be recorded.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// A file or directory cannot be used.
    #[error("{path}: {error}")]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A directory is another user's, or open to others.
    #[error("{0}: the directory must belong to this user, and nobody else may enter it")]
    NotOurs(PathBuf),
    /// A directory has another name.
    #[error("{0}: the directory of a recorded process is called PID-START.rings")]
    Name(PathBuf),
    /// A directory names a process of somebody else.
    #[error(
        "{path}: the directory belongs to user {owner}, who cannot speak for a process of user {user}"
    )]
    Claim {
        /// The directory.
        path: PathBuf,
        /// Whose it is.
        owner: u32,
        /// Whose rights the process has.
        user: u32,
    },
    /// The agent counts in another way than this recorder.
    #[error(
        "{0}: the agent of the process is of another version than this perflab; install both from the same build, and \
         start the process again; what it has recorded, `recover` of the perflab of its agent reads"
    )]
    Version(PathBuf),
    /// The process lives, so its buffers are not orphaned.
    #[error("{0}: the process still runs; a snapshot shows what it has recorded")]
    Lives(PathBuf),
    /// The sockets of agents cannot be looked at.
    #[error("{0}")]
    Agents(io::Error),
    /// The trace cannot be written.
    #[error("the trace cannot be written: {0}")]
    Write(#[from] io::Error),
}

impl RecordError {
    /// Whether a file or directory was not there.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::File { error, .. } if error.kind() == io::ErrorKind::NotFound)
    }

    /// Of a file.
    pub(crate) fn file(path: &Path, error: io::Error) -> Self {
        let path = path.to_owned();
        Self::File { path, error }
    }
}
