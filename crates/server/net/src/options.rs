//! How a server is to be.

use std::num::NonZeroUsize;
use std::time::Duration;

/// How a server is to be. The default is that of Redis, with one thread.
#[derive(Debug, Clone)]
pub struct Options {
    /// Threads that serve connections. The first one also accepts them.
    pub threads: NonZeroUsize,
    /// Connections at the same time; further ones are refused. Lowered if there are too few file descriptors.
    pub max_clients: usize,
    /// File descriptors to leave for other uses of this process than this server.
    pub other_descriptors: usize,
    /// Ends connections that are idle for so long; `None`: never.
    pub idle_timeout: Option<Duration>,
    /// The most bytes of answers that may wait for one peer; a connection with more is ended.
    pub output_limit: usize,
    /// Ends TCP connections whose peer has been silent and unreachable for about twice as long; `None`: never. From one
    /// second to nine hours.
    pub keepalive: Option<Duration>,
    /// How long peers may take to read their answers when the server stops.
    pub stop_within: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            threads: NonZeroUsize::MIN,
            max_clients: 10_000,
            other_descriptors: 32,
            idle_timeout: None,
            output_limit: 1 << 30,
            keepalive: Some(Duration::from_secs(300)),
            stop_within: Duration::from_secs(1),
        }
    }
}
