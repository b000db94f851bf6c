//! A thread's part of a turn: requests go out and replies come in, until the turn is over and each request has its
//! reply. A turn so has all the work of its requests, and leaves none to the next one.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, epoll, poll};
use rustix::io::Errno;

use crate::connection::{Lost, MOST_REPLY, Pending};
use crate::problem::Problem;
use crate::schedule::Schedule;
use crate::tally::Tally;
use crate::worker::{Shared, Side};

/// Time between two looks for silent connections and for the end of the load, in ns.
const TICK_NS: u64 = 100_000_000;

/// A request that is sent so much later than it should have been counts as late, in ns.
const LATE_NS: u64 = 1_000_000;

/// What bounds a thread in a turn.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Requests on a connection that wait for replies.
    pub pipeline: usize,
    /// Requests that may still be made.
    pub budget: u64,
    /// No request is made from then on, in ns of the clock.
    pub deadline_ns: u64,
    /// A reply must not take longer.
    pub timeout_ns: u64,
}

/// A part of a turn.
pub struct Play<'w, 'p> {
    side: &'w mut Side<'p>,
    events: &'w mut Vec<epoll::Event>,
    shared: &'w Shared,
    replies: &'w AtomicU64,
    limits: Limits,
    /// The keys that are still to be set, if that is what the turn does.
    preload: Option<Range<u64>>,
    pub tally: Tally,
    /// Requests without replies.
    outstanding: u64,
    /// The last time that was looked at.
    now_ns: u64,
    /// When to look for silent connections next.
    look_ns: u64,
}

impl<'w, 'p> Play<'w, 'p> {
    pub fn new(
        side: &'w mut Side<'p>,
        events: &'w mut Vec<epoll::Event>,
        shared: &'w Shared,
        replies: &'w AtomicU64,
        limits: Limits,
        preload: Option<Range<u64>>,
        tally: Tally,
    ) -> Self {
        let now_ns = shared.clock.now();
        Self {
            side,
            events,
            shared,
            replies,
            limits,
            preload,
            tally,
            outstanding: 0,
            now_ns,
            look_ns: now_ns + TICK_NS,
        }
    }

    /// Sends a request for each reply. False if the load was stopped.
    ///
    /// # Errors
    /// If the server misbehaves.
    pub fn closed(&mut self) -> Result<bool, Problem> {
        for index in 0..self.side.connections.len() {
            self.fill(index)?;
        }
        while self.outstanding > 0 {
            if !self.wait(TICK_NS)? {
                return Ok(false);
            }
            for position in 0..self.events.len() {
                let (index, flags) = self.event(position);
                self.arrived(index, flags)?;
                self.fill(index)?;
            }
        }
        Ok(true)
    }

    /// Writes as many requests as a connection may have, and sends them.
    fn fill(&mut self, index: usize) -> Result<(), Problem> {
        if self.now_ns < self.limits.deadline_ns {
            let connection = &mut self.side.connections[index];
            let free = self.limits.pipeline - connection.pending.len().min(self.limits.pipeline);
            let free = (free as u64).min(self.limits.budget) as usize;
            if free > 0 {
                for _ in 0..free {
                    let command = match &mut self.preload {
                        None => self.side.requests.mixed(&mut connection.out),
                        Some(keys) => {
                            self.side.requests.preload(keys, &mut connection.out);
                            0
                        }
                    };
                    connection.pending.push_back(Pending {
                        command,
                        from_ns: 0,
                        sent_ns: 0,
                    });
                }
                // Writing them is not the server's time.
                let now_ns = self.shared.clock.now();
                for pending in connection.pending.iter_mut().rev().take(free) {
                    (pending.from_ns, pending.sent_ns) = (now_ns, now_ns);
                }
                self.outstanding += free as u64;
                self.limits.budget -= free as u64;
            }
        }
        self.flush(index)
    }

    /// Sends requests when they should be sent. False if the load was stopped.
    ///
    /// # Errors
    /// If the server misbehaves.
    pub fn open(&mut self, schedule: &mut Schedule, begin_ns: u64) -> Result<bool, Problem> {
        let connections = self.side.connections.len();
        let places = (0..self.limits.pipeline).flat_map(|_| 0..connections);
        // Places for requests: those that have waited longest come first, so connections take turns.
        let mut free: VecDeque<usize> = places.collect();
        let mut written: Vec<usize> = Vec::with_capacity(connections);
        let deadline_ns = self.limits.deadline_ns;
        let mut is_over = false;
        loop {
            self.now_ns = self.shared.clock.now();
            let mut due_ns = begin_ns.saturating_add(schedule.next_ns());
            while !is_over
                && self.limits.budget > 0
                && due_ns <= self.now_ns
                && due_ns < deadline_ns
            {
                let Some(index) = free.pop_front() else {
                    break;
                };
                self.ask(index, due_ns);
                written.push(index);
                schedule.advance(self.side.requests.random());
                due_ns = begin_ns.saturating_add(schedule.next_ns());
            }
            for index in written.drain(..) {
                self.flush(index)?;
            }
            // What was due and found no place when the time was over is not sent any more.
            is_over |= self.now_ns >= deadline_ns || self.limits.budget == 0;
            if is_over && self.outstanding == 0 {
                break;
            }
            let wait_ns = if is_over || free.is_empty() {
                TICK_NS
            } else {
                due_ns.saturating_sub(self.now_ns).min(TICK_NS)
            };
            // The time may be over while all connections are busy.
            let wait_ns = match is_over {
                true => wait_ns,
                false => wait_ns.min(deadline_ns - self.now_ns),
            };
            if !self.wait(wait_ns)? {
                return Ok(false);
            }
            for position in 0..self.events.len() {
                let (index, flags) = self.event(position);
                let replies = self.arrived(index, flags)?;
                free.extend(std::iter::repeat_n(index, replies));
                self.flush(index)?;
            }
        }
        while self.limits.budget > 0 && begin_ns.saturating_add(schedule.next_ns()) < deadline_ns {
            self.tally.unsent += 1;
            self.limits.budget -= 1;
            schedule.advance(self.side.requests.random());
        }
        Ok(true)
    }

    /// Writes a request that is due.
    fn ask(&mut self, index: usize, due_ns: u64) {
        let connection = &mut self.side.connections[index];
        let command = self.side.requests.mixed(&mut connection.out);
        connection.pending.push_back(Pending {
            command,
            from_ns: due_ns,
            sent_ns: self.now_ns,
        });
        self.outstanding += 1;
        self.limits.budget -= 1;
        if self.now_ns - due_ns > LATE_NS {
            self.tally.late += 1;
        }
    }

    /// Waits for events, for so many ns at most. False if the load was stopped.
    fn wait(&mut self, ns: u64) -> Result<bool, Problem> {
        let mut timeout = timespec(ns);
        // The kernel's own timeout here is in ms; the other call takes ns.
        if ns < TICK_NS && ns > 0 {
            let mut descriptors = [PollFd::new(&self.side.epoll, PollFlags::IN)];
            self.unless_interrupted(poll(&mut descriptors, Some(&timeout)))?;
            timeout = timespec(0);
        }
        self.events.clear();
        let waited = epoll::wait(
            &self.side.epoll,
            spare_capacity(self.events),
            Some(&timeout),
        );
        self.unless_interrupted(waited)?;
        if self.shared.is_stopped.load(Ordering::Relaxed) {
            return Ok(false);
        }
        if self.now_ns >= self.look_ns || (ns >= TICK_NS && self.events.is_empty()) {
            self.look_for_silence()?;
        }
        Ok(true)
    }

    fn unless_interrupted(&self, waited: Result<usize, Errno>) -> Result<(), Problem> {
        match waited {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(self.lost(Lost::Refused(error))),
        }
    }

    /// A connection and what happened there.
    fn event(&self, position: usize) -> (usize, epoll::EventFlags) {
        let event = self.events[position];
        (event.data.u64() as usize, event.flags)
    }

    /// Takes what has arrived on a connection. Returns how many replies.
    fn arrived(&mut self, index: usize, flags: epoll::EventFlags) -> Result<usize, Problem> {
        if flags == epoll::EventFlags::OUT {
            return Ok(0);
        }
        let received = self.side.connections[index].receive();
        let bytes = received.map_err(|lost| self.lost(lost))?;
        self.now_ns = self.shared.clock.now();
        let (now_ns, tally) = (self.now_ns, &mut self.tally);
        tally.bytes_received += bytes as u64;
        let replies = self.side.connections[index].replies(|pending, kind, reply| {
            let latency_ns = now_ns.saturating_sub(pending.from_ns);
            tally.add(pending.command, latency_ns, kind, reply);
        });
        let replies = replies.map_err(|lost| self.lost(lost))?;
        self.outstanding -= replies as u64;
        self.replies.fetch_add(replies as u64, Ordering::Relaxed);
        Ok(replies)
    }

    /// Gives the kernel what it takes, and asks to be told if it takes more later.
    fn flush(&mut self, index: usize) -> Result<(), Problem> {
        let connection = &mut self.side.connections[index];
        if !connection.has_more() {
            return Ok(());
        }
        let flushed = connection.flush();
        let bytes = flushed.map_err(|lost| self.lost(lost))?;
        self.tally.bytes_sent += bytes as u64;
        let connection = &mut self.side.connections[index];
        let waits = connection.has_more();
        if waits == connection.waits_for_room {
            return Ok(());
        }
        connection.waits_for_room = waits;
        let mut flags = epoll::EventFlags::IN;
        flags.set(epoll::EventFlags::OUT, waits);
        let data = epoll::EventData::new_u64(index as u64);
        let modified = epoll::modify(&self.side.epoll, connection.socket(), data, flags);
        modified.map_err(|error| self.lost(Lost::Refused(error)))
    }

    /// # Errors
    /// If a request has waited too long.
    fn look_for_silence(&mut self) -> Result<(), Problem> {
        self.now_ns = self.shared.clock.now();
        self.look_ns = self.now_ns + TICK_NS;
        let oldest = self.side.connections.iter();
        let oldest = oldest.filter_map(|connection| Some(connection.pending.front()?.sent_ns));
        match oldest.min() {
            Some(sent_ns) if self.now_ns - sent_ns > self.limits.timeout_ns => {
                let timeout_s = self.limits.timeout_ns as f64 / 1e9;
                Err(self.broken(&format!("no reply within {timeout_s} s")))
            }
            _ => Ok(()),
        }
    }

    fn lost(&self, lost: Lost) -> Problem {
        self.broken(&match lost {
            Lost::Closed { replies, pending } => format!(
                "the server closed a connection after {replies} replies, with {pending} requests unanswered"
            ),
            Lost::Malformed(what) => format!("the server sent no reply of its protocol: {what}"),
            Lost::Unasked => "the server sent a reply to no request".to_owned(),
            Lost::Endless => format!("a reply is longer than {} MiB", MOST_REPLY >> 20),
            Lost::Refused(error) => format!("the connection failed: {error}"),
        })
    }

    /// The server is to blame. It may have told why before.
    fn broken(&self, what: &str) -> Problem {
        let target = self.side.target;
        let said = self.tally.errors.first();
        let said = said.map(|text| format!("; it had answered `{text}`"));
        Problem::Broken(format!("{target}: {what}{}", said.unwrap_or_default()))
    }
}

fn timespec(ns: u64) -> Timespec {
    Timespec {
        tv_sec: (ns / 1_000_000_000) as i64,
        tv_nsec: (ns % 1_000_000_000) as i64,
    }
}
