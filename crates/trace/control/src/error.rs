//! Why an agent is not believed, or did not answer as it was asked.

use std::io;
use std::time::Duration;

use perflab_abi::MessageError;

/// Most bytes of an answer: some 200 000 sites. What says more is no agent.
pub const LONGEST_ANSWER: u64 = 32 << 20;

/// Why an agent did not answer as it was asked.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// It cannot be reached, or stopped talking.
    #[error("the agent cannot be reached: {0}")]
    Io(#[from] io::Error),
    /// Its socket may be somebody else's.
    #[error("the socket is not believed: {0}")]
    Untrusted(#[from] Untrusted),
    /// The process has ended, or is about to.
    #[error("the process has gone")]
    Gone,
    /// Nobody listens, or the connection ended early, and the process goes on.
    #[error("the agent has gone; the process may be another program by now")]
    Closed,
    /// A signal stopped the process, and nothing was asked.
    #[error("the process is stopped: `kill -CONT {0}` lets it go on")]
    Stopped(u32),
    /// There was no whole answer in this time.
    #[error(
        "the agent did not answer in {:.1} s; what it was asked may still be done",
        .0.as_secs_f64()
    )]
    Late(Duration),
    /// It says more than [`LONGEST_ANSWER`].
    #[error("the agent's answer is longer than {} MiB", LONGEST_ANSWER >> 20)]
    TooLong,
    /// What it says cannot be understood.
    #[error("the agent's answer cannot be read: {0}")]
    Message(#[from] MessageError),
    /// It named a site in a way that cannot be understood.
    #[error("the agent's description of a site cannot be read: {0}")]
    Description(#[from] perflab_abi::DescriptionError),
    /// It gives a reason.
    #[error("{0}")]
    Refused(String),
    /// It does not know what it was asked.
    #[error(
        "its agent is of an earlier perflab and knows no filters: start the program again with this one; if it has linked \
         the agent, link it again first"
    )]
    TooOld,
    /// It says something that is no answer to what was asked.
    #[error("the agent's answer makes no sense")]
    Nonsense,
}

/// Why a socket is not believed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Untrusted {
    /// It claims nothing.
    #[error("an agent's socket is called PID-START.sock")]
    Name,
    /// Its directory is not that of the process's user.
    #[error(
        "its directory belongs to user {owner}, who cannot speak for process {pid} of user {user}"
    )]
    Directory {
        /// The process that is claimed.
        pid: u32,
        /// Whose rights it has.
        user: u32,
        /// Whose the directory is.
        owner: u32,
    },
    /// Another process listens, or one with other rights.
    #[error("process {found} of user {user} answers, instead of process {pid} of user {owner}")]
    Peer {
        /// The process that is claimed.
        pid: u32,
        /// Whose the directory is.
        owner: u32,
        /// The process that listens.
        found: u32,
        /// Whose rights it had when it began to.
        user: u32,
    },
}
