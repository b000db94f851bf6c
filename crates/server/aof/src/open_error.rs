//! Why a log cannot be opened.

use std::io;
use std::path::PathBuf;

use crate::replay::ReplayError;

/// Why a log cannot be opened. Nothing was changed then, unless writing itself failed.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process has it open, or another part of this one.
    #[error(
        "{} is in use by another server, which has locked it; stop that one, or give this one a file of its own",
        .0.display()
    )]
    InUse(PathBuf),
    /// It is a directory, a device or the like.
    #[error("expected a file, found something else at {}; name another path", .0.display())]
    NotAFile(PathBuf),
    /// What it holds cannot be replayed.
    #[error("{} was not opened, and nothing was changed: {source}", path.display())]
    Replay {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        source: ReplayError,
    },
    /// The system refuses something.
    #[error("cannot {action} {}: {source}; check the path, its permissions and the disk", path.display())]
    System {
        /// What was tried, as `create`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}
