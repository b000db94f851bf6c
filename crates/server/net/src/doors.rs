//! The listeners of a server, and the accepting of connections.

use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use rustix::event::epoll::{self, EventFlags};
use rustix::io::Errno;
use rustix::net::SendFlags;

use crate::about::{About, Peer};
use crate::driver::{data, door};
use crate::listen::Listener;
use crate::service::Service;
use crate::shared::Message;
use crate::turns::Turns;

/// So many connections are accepted before those that are open have their turn.
const ACCEPTS: usize = 64;

/// How long accepting pauses when there are no file descriptors. Without a pause the thread would not sleep, since the
/// connection that cannot be accepted keeps the listener ready.
const PAUSE: Duration = Duration::from_millis(100);

/// The listeners of a server. Only its first thread has some.
#[derive(Debug, Default)]
pub(crate) struct Doors {
    pub(crate) listeners: Vec<Listener>,
    /// Nothing is accepted before.
    pub(crate) paused_until: Option<Instant>,
    last_id: u64,
}

impl Doors {
    pub(crate) fn new(listeners: Vec<Listener>) -> Self {
        Self {
            listeners,
            paused_until: None,
            last_id: 0,
        }
    }

    /// Listens no more: clients that wait are refused, and the files of sockets are removed.
    pub(crate) fn close(&mut self) {
        self.listeners.clear();
        self.paused_until = None;
    }

    /// Asks for events of the listeners, or for none.
    fn arm(&self, epoll: &OwnedFd, events: EventFlags) {
        for (place, listener) in self.listeners.iter().enumerate() {
            // A listener that is registered can be changed without memory.
            let _ = epoll::modify(epoll, &listener.socket, data(door(place)), events);
        }
    }
}

impl<S: Service> Turns<'_, S> {
    /// Accepts connections that wait at a listener.
    pub(crate) fn accept(&mut self, place: usize) {
        for _ in 0..ACCEPTS {
            let Some(listener) = self.doors.listeners.get(place) else {
                return;
            };
            match listener.accept() {
                Ok((socket, peer)) => self.admit(socket, peer, place),
                Err(Errno::AGAIN) => return,
                // The client is gone already, or its network had an error. The next one may be fine.
                Err(
                    Errno::INTR
                    | Errno::CONNABORTED
                    | Errno::PROTO
                    | Errno::PERM
                    | Errno::NETDOWN
                    | Errno::NETUNREACH
                    | Errno::HOSTUNREACH
                    | Errno::HOSTDOWN
                    | Errno::NOPROTOOPT
                    | Errno::OPNOTSUPP,
                ) => {}
                // There are no descriptors or no memory, or it is something unknown.
                Err(_) => {
                    self.counted().pauses.add(1);
                    self.doors.arm(&self.epoll, EventFlags::empty());
                    self.doors.paused_until = Some(self.now + PAUSE);
                    return;
                }
            }
        }
    }

    /// Gives a connection to the thread with the fewest, or refuses it.
    fn admit(&mut self, socket: OwnedFd, peer: Peer, listener: usize) {
        self.counted().accepted.add(1);
        if self.shared.clients.load(Relaxed) >= self.shared.limits.max_clients.load(Relaxed) {
            self.counted().refused.add(1);
            // A socket that was just accepted has room. Who is gone needs no answer.
            let _ = rustix::net::send(&socket, self.service.too_many(), SendFlags::NOSIGNAL);
            return;
        }
        self.doors.last_id += 1;
        let thread = self.shared.emptiest();
        self.shared.count_in(thread);
        let about = About {
            id: self.doors.last_id,
            peer,
            listener,
            thread,
            descriptor: socket.as_raw_fd(),
            opened: self.now,
        };
        if thread == self.number {
            self.insert(socket, about);
        } else {
            self.shared.send(thread, Message::New(socket, about));
        }
    }

    /// Accepts again once a pause is over.
    pub(crate) fn accept_again(&mut self) {
        if self
            .doors
            .paused_until
            .is_some_and(|until| until <= self.now)
        {
            self.doors.paused_until = None;
            self.doors.arm(&self.epoll, EventFlags::IN);
        }
    }
}
