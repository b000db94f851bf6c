//! What a connection may take of the server.

use std::time::Duration;

use rustix::process::{Resource, getrlimit};

/// File descriptors that are not for connections and the files they are answered with.
const RESERVED: u64 = 32;

/// Connections at once, however many descriptors there are.
const MOST: u64 = 512;

/// How many connections there may be, and how long they may wait.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Connections at once, 1 or more.
    pub connections: usize,
    /// Longest time from the connection, or from the end of the last answer, to the first byte of a request; and from
    /// there to the end of its header.
    pub request: Duration,
    /// Longest time in which a client takes nothing of an answer.
    pub stall: Duration,
}

impl Default for Limits {
    /// As many connections as the process has descriptors for, with a file for each.
    fn default() -> Self {
        let descriptors = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        let connections = (descriptors.saturating_sub(RESERVED) / 2).clamp(4, MOST);
        Self {
            connections: connections as usize,
            request: Duration::from_secs(10),
            stall: Duration::from_secs(30),
        }
    }
}
