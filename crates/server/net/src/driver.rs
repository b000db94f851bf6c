//! The loop of a thread.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use rustix::event::epoll::EventData;

use crate::bell::StopsAll;
use crate::connections::Token;
use crate::doors::Doors;
use crate::service::Service;
use crate::shared::Shared;
use crate::signals::Signals;
use crate::turns::Turns;

/// What events of the thread's bell bear.
pub(crate) const BELL: Token = Token(u64::MAX);

/// What events of signals bear.
pub(crate) const SIGNAL: Token = Token(u64::MAX - 1);

/// What events of the first listener bear; those of the others bear less. No table has so many connections that one of
/// them has such a token.
const FIRST_DOOR: u64 = u64::MAX - 2;

/// What events of a listener bear.
pub(crate) fn door(place: usize) -> Token {
    Token(FIRST_DOOR - place as u64)
}

/// The listener with this token, of so many.
pub(crate) fn door_of(token: Token, doors: usize) -> Option<usize> {
    let place = usize::try_from(FIRST_DOOR.checked_sub(token.0)?).ok()?;
    (place < doors).then_some(place)
}

pub(crate) fn data(token: Token) -> EventData {
    EventData::new_u64(token.0)
}

/// Serves the connections of a thread: see [`Server::run`](crate::Server::run).
///
/// All threads of the server stop when it is dropped.
pub struct Driver<C> {
    pub(crate) number: usize,
    pub(crate) epoll: OwnedFd,
    pub(crate) shared: Arc<Shared<C>>,
    pub(crate) doors: Doors,
    pub(crate) signals: Option<Signals>,
    pub(crate) stop_within: Duration,
    pub(crate) stops_all: StopsAll,
}

impl<C> Driver<C> {
    /// Serves connections until the server is stopped. The connections of this thread are closed then.
    ///
    /// # Errors
    /// If the kernel refuses to wait for events. The other threads are stopped.
    pub fn run<S: Service<Connection = C>>(self, service: &mut S) -> io::Result<()> {
        // It stops the others if this thread ends by an error or a panic.
        let _stops_all = self.stops_all;
        let mut turns = Turns::new(
            service,
            self.number,
            self.epoll,
            self.shared,
            self.doors,
            self.signals,
            self.stop_within,
        );
        turns.run()
    }
}
