//! Facts about a connection that stay the same for its life.

use std::fmt;
use std::net::SocketAddr;
use std::time::Instant;

/// The other end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    /// A client that came over TCP.
    Tcp(SocketAddr),
    /// A client of a Unix socket, which has no address.
    Unix,
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix => f.write_str("unix"),
        }
    }
}

/// Facts about a connection that stay the same for its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About {
    /// From 1, in the order of accepting. A server uses none twice.
    pub id: u64,
    /// The other end.
    pub peer: Peer,
    /// The listener that accepted it: a place in what [`Server::open`](crate::Server::open) got.
    pub listener: usize,
    /// The thread that serves it, from 0.
    pub thread: usize,
    /// The number of its file descriptor in this process. It is used again once the connection has ended.
    pub descriptor: i32,
    /// When it was accepted.
    pub opened: Instant,
}
