//! The turns of a thread: it waits, and looks at everything that is ready.

use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::event::Timespec;
use rustix::event::epoll::{self, Event, EventFlags};
use rustix::io::Errno;

use crate::connection::READ_BYTES;
use crate::connections::{Connections, Token};
use crate::counters::Counted;
use crate::doors::Doors;
use crate::driver::{BELL, SIGNAL, door_of};
use crate::service::{Ended, Service};
use crate::shared::{Message, Shared};
use crate::signals::Signals;

/// Events of one wait. Others that are ready come with the next one, before those of this one.
const EVENTS: usize = 256;

/// The longest wait: the kernel counts milliseconds in 31 bits.
const LONGEST: Duration = Duration::from_secs(3600);

/// The loop of a thread.
pub(crate) struct Turns<'s, S: Service> {
    pub(crate) service: &'s mut S,
    pub(crate) number: usize,
    pub(crate) epoll: OwnedFd,
    pub(crate) shared: Arc<Shared<S::Connection>>,
    pub(crate) doors: Doors,
    signals: Option<Signals>,
    pub(crate) connections: Connections<S::Connection>,
    /// Connections to serve though nothing may be ready: they have requests left.
    pub(crate) again: VecDeque<Token>,
    /// Where to receive if a connection has no partial request.
    pub(crate) scratch: Box<[u8]>,
    /// The answers of one call of the service.
    pub(crate) output: Vec<u8>,
    /// When this turn began.
    pub(crate) now: Instant,
    /// The service was told of something after it had its say in this turn, so that it has another one before a wait.
    pub(crate) told_late: bool,
    /// A connection ends once its answers are sent.
    pub(crate) some_end: bool,
    sweep_at: Option<Instant>,
    stop_within: Duration,
    pub(crate) stop_by: Option<Instant>,
}

impl<'s, S: Service> Turns<'s, S> {
    pub(crate) fn new(
        service: &'s mut S,
        number: usize,
        epoll: OwnedFd,
        shared: Arc<Shared<S::Connection>>,
        doors: Doors,
        signals: Option<Signals>,
        stop_within: Duration,
    ) -> Self {
        Self {
            service,
            number,
            epoll,
            shared,
            doors,
            signals,
            connections: Connections::new(),
            again: VecDeque::new(),
            scratch: vec![0; READ_BYTES].into_boxed_slice(),
            output: Vec::with_capacity(READ_BYTES),
            now: Instant::now(),
            told_late: false,
            some_end: false,
            sweep_at: None,
            stop_within,
            stop_by: None,
        }
    }

    /// Serves until the server is stopped.
    pub(crate) fn run(&mut self) -> io::Result<()> {
        let mut events = Vec::with_capacity(EVENTS);
        loop {
            self.wait(&mut events)?;
            self.now = Instant::now();
            // Those that were queued before the events are served after them. Those that are queued from here on wait
            // for the next turn, so that each turn ends.
            let again = self.again.len();
            for event in events.drain(..) {
                self.look_at(Token({ event.data }.u64()), event.flags);
            }
            for _ in 0..again {
                self.serve_again();
            }
            self.accept_again();
            self.told_late = false;
            self.service.batch_done(&mut self.connections);
            self.settle_touched();
            // Last, so that whatever was begun in this turn is known when the next time is chosen.
            self.sweep();
            if self.is_stopped() {
                break;
            }
        }
        self.end_all();
        Ok(())
    }

    pub(crate) fn counted(&self) -> &Counted {
        &self.shared.threads[self.number].counted
    }

    /// Waits until something is ready, or it is time for something.
    fn wait(&mut self, events: &mut Vec<Event>) -> io::Result<()> {
        let epoll = &self.epoll;
        let waited = if self.told_late || !self.again.is_empty() {
            epoll::wait(epoll, spare_capacity(events), Some(&Timespec::default()))
        } else {
            let timeout = self.timeout();
            self.service
                .while_blocked(|| epoll::wait(epoll, spare_capacity(events), timeout.as_ref()))
        };
        self.counted().waits.add(1);
        match waited {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// How long to wait at most.
    fn timeout(&self) -> Option<Timespec> {
        let times = [
            self.service.wake_at(),
            self.sweep_at,
            self.doors.paused_until,
            self.stop_by,
        ];
        let first = times.into_iter().flatten().min()?;
        let left = first.saturating_duration_since(Instant::now()).min(LONGEST);
        // The kernel may cut off what is less than a millisecond: it would wake too early, again and again.
        let millis = left.as_nanos().div_ceil(1_000_000) as i64;
        Some(Timespec {
            tv_sec: millis / 1000,
            tv_nsec: millis % 1000 * 1_000_000,
        })
    }

    fn look_at(&mut self, token: Token, flags: EventFlags) {
        if token == BELL {
            self.read_messages();
        } else if token == SIGNAL {
            if self.signals.as_ref().is_some_and(Signals::came) {
                self.shared.stop.stop();
            }
        } else if let Some(place) = door_of(token, self.doors.listeners.len()) {
            self.accept(place);
        } else {
            self.attend(token, flags);
        }
    }

    fn read_messages(&mut self) {
        for message in self.shared.threads[self.number].take_messages() {
            match message {
                Message::New(socket, about) => self.insert(socket, about),
                Message::Kill(id) => {
                    self.connections.kill(id);
                }
                Message::Run(job) => job(&mut self.connections),
            }
        }
    }

    /// Looks at the connections that the service or a message has changed.
    fn settle_touched(&mut self) {
        for token in self.connections.take_touched() {
            if let Some(connection) = self.connections.at(token) {
                connection.touched = false;
                // One that waits for room is told of it.
                if !connection.armed.contains(EventFlags::OUT) {
                    self.flush(token);
                }
                self.settle(token);
            }
        }
    }

    /// Ends connections that are idle for too long.
    fn sweep(&mut self) {
        let idle = self.shared.limits.idle_timeout();
        let second = Duration::from_secs(1);
        let period = match idle {
            Some(idle) => (idle / 4).clamp(Duration::from_millis(10), second),
            None if self.some_end => second,
            None => {
                self.sweep_at = None;
                return;
            }
        };
        let due = self.sweep_at.is_some_and(|at| at <= self.now);
        let next = self.now + period;
        if !due {
            self.sweep_at = Some(self.sweep_at.map_or(next, |at| at.min(next)));
            return;
        }
        self.sweep_at = Some(next);
        self.some_end = false;
        for token in self.connections.tokens() {
            self.end_if_idle(token, idle);
        }
    }

    /// Whether the thread is to end. Begins to stop when the server is asked to.
    fn is_stopped(&mut self) -> bool {
        if self.stop_by.is_none() && self.shared.stop.is_asked() {
            self.doors.close();
            self.stop_by = Some(Instant::now() + self.stop_within);
            for token in self.connections.tokens() {
                if let Some(connection) = self.connections.at(token) {
                    if connection.held {
                        connection.end(Ended::Stopped);
                    }
                    connection.finish(Ended::Stopped);
                    self.settle(token);
                }
            }
        }
        self.stop_by
            .is_some_and(|by| self.connections.is_empty() || by <= self.now)
    }

    fn end_all(&mut self) {
        for token in self.connections.tokens() {
            self.remove(token, Ended::Stopped);
        }
        self.shared.threads[self.number].close_inbox();
    }
}
