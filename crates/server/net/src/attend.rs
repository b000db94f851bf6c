//! One connection at a time: receive, execute, send.

use std::os::fd::OwnedFd;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, EventFlags};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};

use crate::about::About;
use crate::connection::Connection;
use crate::connections::Token;
use crate::driver::data;
use crate::service::{Ended, Service};
use crate::turns::Turns;

/// A buffer for answers that has grown beyond this is given back.
const KEPT_BYTES: usize = 1 << 20;

/// How long a connection that is to be closed may send nothing, though answers wait for its peer.
const LAST_ANSWERS: Duration = Duration::from_secs(60);

impl<S: Service> Turns<'_, S> {
    /// Looks at a connection of which the kernel has told something.
    pub(crate) fn attend(&mut self, token: Token, flags: EventFlags) {
        // The connection may have ended in this turn.
        let Some(connection) = self.connections.at(token) else {
            return;
        };
        if flags.intersects(EventFlags::ERR | EventFlags::HUP) && !flags.contains(EventFlags::IN) {
            // Nothing is to be read, or nobody wants to, and nothing can be sent.
            connection.end(Ended::Peer);
        } else if flags.contains(EventFlags::RDHUP) && connection.held && !connection.hung_up {
            connection.hung_up = true;
            if self.service.hung_up(&mut connection.state) {
                connection.end(Ended::Peer);
            }
        }
        if flags.contains(EventFlags::OUT) {
            self.flush(token);
        }
        if flags.contains(EventFlags::IN) {
            self.receive(token);
        }
        self.settle(token);
    }

    /// Receives once, and lets the service execute what has come. A connection that has more to be read is reported
    /// again by the next wait, after the others.
    fn receive(&mut self, token: Token) {
        let Some(connection) = self.connections.at(token) else {
            return;
        };
        if !connection.reads() {
            return;
        }
        let counted = &self.shared.threads[self.number].counted;
        counted.reads.add(1);
        let has_part = !connection.input.is_empty();
        let received = if has_part {
            connection.make_room();
            let room = spare_capacity(&mut connection.input);
            recv(&connection.socket, room, RecvFlags::empty())
        } else {
            recv(&connection.socket, &mut *self.scratch, RecvFlags::empty())
        };
        let count = match received {
            Ok((0, _)) => {
                connection.input = Vec::new();
                connection.finish(Ended::Peer);
                return;
            }
            Ok((count, _)) => count,
            Err(Errno::AGAIN | Errno::INTR) => return,
            Err(_) => {
                connection.end(Ended::Broken);
                return;
            }
        };
        counted.bytes_in.add(count);
        connection.active = self.now;
        if has_part {
            if connection.input.len() >= connection.needs {
                self.execute_kept(token);
            }
            return;
        }
        let bytes = &self.scratch[..count];
        let consumed = self
            .service
            .input(&mut connection.state, bytes, &mut self.output);
        connection.input.extend_from_slice(&bytes[consumed.used..]);
        connection.go_on(consumed);
        self.answer(token);
    }

    /// Lets the service execute what a connection has kept.
    fn execute_kept(&mut self, token: Token) {
        let Some(connection) = self.connections.at(token) else {
            return;
        };
        let consumed =
            self.service
                .input(&mut connection.state, &connection.input, &mut self.output);
        if consumed.used == connection.input.len() {
            // Most connections are idle most of the time, and need no buffer then.
            connection.input = Vec::new();
        } else {
            connection.input.drain(..consumed.used);
        }
        connection.go_on(consumed);
        self.answer(token);
    }

    /// Serves the first connection of the queue.
    pub(crate) fn serve_again(&mut self) {
        let Some(token) = self.again.pop_front() else {
            return;
        };
        let Some(connection) = self.connections.at(token) else {
            return;
        };
        connection.queued = false;
        if connection.more && !connection.paused && connection.ended.is_none() {
            self.execute_kept(token);
        }
        self.settle(token);
    }

    /// Sends the output, or keeps what cannot be sent yet.
    fn answer(&mut self, token: Token) {
        if self.output.is_empty() {
            return;
        }
        let Some(connection) = self.connections.at(token) else {
            return;
        };
        if connection.pending.is_empty() {
            let counted = &self.shared.threads[self.number].counted;
            counted.writes.add(1);
            match send(&connection.socket, &self.output, SendFlags::NOSIGNAL) {
                Ok(count) => {
                    counted.bytes_out.add(count);
                    connection.pending.take_over(&mut self.output, count);
                }
                Err(Errno::AGAIN | Errno::INTR) => {
                    connection.pending.take_over(&mut self.output, 0);
                }
                Err(_) => connection.end(Ended::Broken),
            }
        } else {
            connection.pending.take_over(&mut self.output, 0);
        }
        self.output.clear();
        if self.output.capacity() > KEPT_BYTES {
            self.output = Vec::new();
        }
    }

    /// Sends once what waits.
    pub(crate) fn flush(&mut self, token: Token) {
        let Some(connection) = self.connections.at(token) else {
            return;
        };
        if connection.pending.is_empty() || connection.ended.is_some() {
            return;
        }
        let counted = &self.shared.threads[self.number].counted;
        counted.writes.add(1);
        match send(
            &connection.socket,
            connection.pending.unsent(),
            SendFlags::NOSIGNAL,
        ) {
            Ok(count) => {
                counted.bytes_out.add(count);
                connection.active = self.now;
                connection.pending.advance(count);
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => connection.end(Ended::Broken),
        }
    }

    /// Brings a connection's standing in the loop up to date after anything happened to it: whether it has ended, is
    /// to be served again, and which events the kernel reports.
    pub(crate) fn settle(&mut self, token: Token) {
        let Some(connection) = self.connections.at(token) else {
            return;
        };
        if connection.pending.len() > self.shared.limits.output_limit.load(Relaxed) {
            connection.end(Ended::OutputLimit);
        }
        connection.pause_or_not();
        let waits = connection.more || !connection.pending.is_empty();
        let over = connection.ended.or(connection.ending.filter(|_| !waits));
        if let Some(why) = over {
            self.remove(token, why);
            return;
        }
        self.some_end |= connection.ending.is_some();
        if connection.more && !connection.paused && !connection.queued {
            connection.queued = true;
            self.again.push_back(token);
        }
        let wanted = connection.wanted();
        if wanted != connection.armed {
            connection.armed = wanted;
            let changed = epoll::modify(&self.epoll, &connection.socket, data(token), wanted);
            if changed.is_err() {
                self.remove(token, Ended::Broken);
            }
        }
    }

    /// Takes a new connection.
    pub(crate) fn insert(&mut self, socket: OwnedFd, about: About) {
        if self.stop_by.is_some() {
            self.shared.count_out(self.number);
            return;
        }
        let state = self.service.open(&about);
        let connection = Connection::new(socket, about, state);
        let token = self.connections.insert(connection);
        if let Some(connection) = self.connections.at(token) {
            let events = connection.armed;
            if epoll::add(&self.epoll, &connection.socket, data(token), events).is_err() {
                self.remove(token, Ended::Broken);
            }
        }
    }

    /// Closes a connection, and tells the service.
    pub(crate) fn remove(&mut self, token: Token, why: Ended) {
        let Some(connection) = self.connections.remove(token) else {
            return;
        };
        self.counted().closed.add(1);
        // First the count, so that a client that sees the end finds its place free.
        self.shared.count_out(self.number);
        drop(connection.socket);
        self.told_late = true;
        self.service
            .closed(connection.state, &connection.about, why);
    }

    /// Ends a connection that is idle for too long, or that waits too long for its peer to read the last answers.
    pub(crate) fn end_if_idle(&mut self, token: Token, timeout: Option<Duration>) {
        let Some(connection) = self.connections.at(token) else {
            return;
        };
        let idle = self.now.saturating_duration_since(connection.active);
        let is_idle = timeout.is_some_and(|timeout| idle >= timeout)
            && !connection.held
            && !self.service.may_idle(&connection.state);
        if is_idle || (connection.ending.is_some() && idle >= LAST_ANSWERS) {
            connection.end(Ended::Idle);
        }
        self.settle(token);
    }
}
