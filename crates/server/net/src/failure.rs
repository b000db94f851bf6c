//! Why a server cannot begin.

use std::io;
use std::path::PathBuf;

/// Why a server cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The kernel refuses.
    #[error("cannot listen at {at}: {error}")]
    Listen {
        /// The address or file.
        at: String,
        /// Its reason.
        error: io::Error,
    },
    /// Another server is there.
    #[error("cannot listen at {}: another server listens there; stop it or choose another path", .0.display())]
    Alive(PathBuf),
    /// The file is something else.
    #[error("cannot listen at {}: a file is there that is no socket; remove it or choose another path", .0.display())]
    NoSocket(PathBuf),
    /// Another server starts there, or somebody keeps the directory locked.
    #[error("cannot listen at {}: another program locks its directory; try again", .0.display())]
    Locked(PathBuf),
    /// There is no room for a single client.
    #[error(
        "no file descriptor is left for clients, as {others} are kept for other uses: raise the limit (ulimit -n)"
    )]
    NoDescriptors {
        /// File descriptors for other uses.
        others: usize,
    },
    /// The kernel has no events for a thread, or no socket for signals.
    #[error("cannot make what threads wait for events with: {0}")]
    Events(#[from] io::Error),
}
