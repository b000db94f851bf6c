//! The part of a server that knows what the bytes mean.

use std::time::Instant;

use crate::about::About;
use crate::connections::Connections;

/// While this many bytes of answers wait for their peer to read, a connection is not read. A service that has more
/// complete requests stops at about this length of `output`, and returns [`Then::More`].
pub const OUTPUT_PAUSE: usize = 1 << 20;

/// The part of a server that knows what the bytes mean. Each thread has one of its own, made in that thread. It may
/// borrow from scopes around [`Driver::run`](crate::Driver::run), such as a reader of RCU.
pub trait Service {
    /// What the service keeps for each connection. It stays in the thread that serves the connection.
    type Connection;

    /// Called for each new connection, before its first bytes.
    fn open(&mut self, about: &About) -> Self::Connection;

    /// Executes the complete requests at the beginning of `bytes`, and appends the answers to `output`.
    ///
    /// `bytes` are never empty. What is left over comes again at their beginning, with more behind it. `output` is
    /// empty when this is called, and is sent after it returned.
    fn input(
        &mut self,
        connection: &mut Self::Connection,
        bytes: &[u8],
        output: &mut Vec<u8>,
    ) -> Consumed;

    /// Called once for each connection that was opened, after its socket was closed.
    fn closed(&mut self, connection: Self::Connection, about: &About, why: Ended) {
        let _ = (connection, about, why);
    }

    /// The peer of a connection on hold ([`Then::Hold`]) sends no more: it may be gone, or may still read. Returns
    /// whether to end the connection.
    fn hung_up(&mut self, connection: &mut Self::Connection) -> bool {
        let _ = connection;
        true
    }

    /// Whether a connection may be idle for longer than the idle timeout. Those on hold may.
    fn may_idle(&self, connection: &Self::Connection) -> bool {
        let _ = connection;
        false
    }

    /// Calls `wait` once, which blocks until something happens. A reader of RCU is offline meanwhile.
    ///
    /// A wait that cannot block, since there is something to do, does not go through this.
    fn while_blocked<R>(&mut self, wait: impl FnOnce() -> R) -> R {
        wait()
    }

    /// Called after each wait, when everything that was ready has been looked at: the place for quiescent states,
    /// timers, and for effects on other connections of this thread.
    fn batch_done(&mut self, connections: &mut Connections<Self::Connection>) {
        let _ = connections;
    }

    /// When to call [`Service::batch_done`] at the latest, though nothing happens. Asked before each wait.
    fn wake_at(&self) -> Option<Instant> {
        None
    }

    /// The text that a client reads who comes when there are `max_clients` already.
    fn too_many(&self) -> &[u8] {
        b""
    }
}

/// The answer of [`Service::input`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Consumed {
    /// How many of the bytes are done with: at most as many as there were. More is a panic of the loop.
    pub used: usize,
    /// How many bytes there must be, from the first unused one on, before it is of use to call again. 0: unknown. The
    /// buffer grows by what arrives rather than by this, so a peer that announces a lot and sends nothing gets little.
    pub needs: usize,
    /// How the connection goes on.
    pub then: Then,
}

impl Consumed {
    /// These bytes are done with, and the connection goes on.
    #[must_use]
    pub fn go(used: usize) -> Self {
        Self {
            used,
            needs: 0,
            then: Then::Go,
        }
    }
}

/// How a connection goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// The rest is an incomplete request, or nothing.
    Go,
    /// The rest has complete requests: call again, after the others have had their turn and when the peer has read
    /// enough. To be returned only if something was used or answered, else this thread never sleeps.
    More,
    /// Read and execute nothing until [`Connections::resume`]. The rest comes again then, if there is any.
    Hold,
    /// End the connection as soon as the answers are sent. The rest is dropped.
    Close,
}

/// Why a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The peer sends no more, or closed the connection.
    Peer,
    /// The connection broke: a reset, a timeout of TCP, or a lack of memory in the kernel.
    Broken,
    /// The service closed it: [`Then::Close`] or [`Connections::finish`].
    Service,
    /// It was killed: [`Connections::kill`] or [`Handles::kill`](crate::Handles::kill).
    Killed,
    /// Nothing came or went for the idle timeout, or it was to be closed and its peer did not read the answers.
    Idle,
    /// More answers waited for the peer than the output limit allows.
    OutputLimit,
    /// The server stopped.
    Stopped,
}
