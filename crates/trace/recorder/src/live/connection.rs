//! Connections to the agents of recorded processes: whether a program still goes on, and its events can be read.

use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use perflab_control::State;
use rustix::io::Errno;
use rustix::net::RecvFlags;

use crate::process_dir::ProcessDir;

/// How long a process may go on without its agent before it counts as another program: while it becomes one, or is
/// killed, other threads may go on after that of its agent.
pub const LAST: Duration = Duration::from_secs(1);

/// A connection to an agent.
#[derive(Debug)]
pub struct Connection {
    /// Number of its process in the trace.
    pub number: u32,
    /// By which the agent has answered.
    pub stream: UnixStream,
    /// When it was seen to be closed.
    closed: Option<Instant>,
    /// When the directory of the process was seen to be removed, which goes on.
    removed: Option<Instant>,
}

impl Connection {
    /// To an agent that has answered.
    pub fn new(number: u32, stream: UnixStream) -> Self {
        Self {
            number,
            stream,
            closed: None,
            removed: None,
        }
    }

    /// Whether the agent has gone, and its process has not ended since: it has become another program.
    pub fn is_of_another_program(&mut self) -> bool {
        if self.closed.is_none() && is_closed(&self.stream) {
            self.closed = Some(Instant::now());
        }
        self.closed.is_some_and(|since| since.elapsed() >= LAST)
    }

    /// Whether no more can be read of its process, though its program goes on.
    pub fn is_of_a_removed(&self, process: &ProcessDir) -> bool {
        let is_over = process.process().state() == State::Ended || is_closed(&self.stream);
        process.is_finished() && !is_over
    }

    /// Whether that has been so for a time.
    pub fn was_removed_for(&mut self, time: Duration, process: &ProcessDir) -> bool {
        self.is_of_a_removed(process)
            && self.removed.get_or_insert_with(Instant::now).elapsed() >= time
    }
}

/// Whether an agent that has answered, and says nothing more, has gone.
pub fn is_closed(connection: &UnixStream) -> bool {
    let flags = RecvFlags::PEEK | RecvFlags::DONTWAIT;
    matches!(
        rustix::net::recv(connection, &mut [0; 1], flags),
        Ok((_, 0)) | Err(Errno::CONNRESET)
    )
}
