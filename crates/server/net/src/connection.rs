//! A connection, as the thread that serves it sees it.

use std::os::fd::OwnedFd;
use std::time::Instant;

use rustix::event::epoll::EventFlags;

use crate::about::About;
use crate::pending::Pending;
use crate::service::{Consumed, Ended, OUTPUT_PAUSE, Then};

/// At least so much room is there for each call that receives.
pub(crate) const READ_BYTES: usize = 16 * 1024;

/// A buffer that holds a partial request grows by at most this, or by what it holds if that is more.
const GROWTH_BYTES: usize = 64 * 1024;

/// A connection, with the state `C` of the service.
#[derive(Debug)]
pub struct Connection<C> {
    pub(crate) about: About,
    pub(crate) socket: OwnedFd,
    pub(crate) state: C,
    pub(crate) active: Instant,
    /// Requests that were received and not executed. Empty, with no memory, most of the time.
    pub(crate) input: Vec<u8>,
    /// The service is not called before there are so many bytes of input.
    pub(crate) needs: usize,
    pub(crate) pending: Pending,
    /// The events that the kernel reports.
    pub(crate) armed: EventFlags,
    /// The input has complete requests.
    pub(crate) more: bool,
    /// It is in the queue of those that are served without being ready.
    pub(crate) queued: bool,
    /// The service waits for something else.
    pub(crate) held: bool,
    /// The peer sends no more, which the service knows, and the connection is on hold.
    pub(crate) hung_up: bool,
    /// Too many answers wait.
    pub(crate) paused: bool,
    /// It is in the list of those that the service changed.
    pub(crate) touched: bool,
    /// It ends once its answers are sent.
    pub(crate) ending: Option<Ended>,
    /// It ends as soon as it is looked at.
    pub(crate) ended: Option<Ended>,
}

impl<C> Connection<C> {
    pub(crate) fn new(socket: OwnedFd, about: About, state: C) -> Self {
        Self {
            socket,
            state,
            active: about.opened,
            about,
            input: Vec::new(),
            needs: 0,
            pending: Pending::default(),
            armed: EventFlags::IN,
            more: false,
            queued: false,
            held: false,
            hung_up: false,
            paused: false,
            touched: false,
            ending: None,
            ended: None,
        }
    }

    /// The facts that stay the same.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The state that the service keeps.
    pub fn state(&self) -> &C {
        &self.state
    }

    /// When something was received or sent last. It is as exact as the time at which a batch of events began.
    pub fn active(&self) -> Instant {
        self.active
    }

    /// Bytes that were received, and wait for the rest of their request or for [`Connections::resume`].
    ///
    /// [`Connections::resume`]: crate::Connections::resume
    pub fn input_bytes(&self) -> usize {
        self.input.len()
    }

    /// Bytes of answers that wait for the peer to read.
    pub fn output_bytes(&self) -> usize {
        self.pending.len()
    }

    /// Bytes of memory that its buffers have.
    pub fn buffer_bytes(&self) -> usize {
        self.input.capacity() + self.pending.capacity()
    }

    /// Whether it is on hold ([`Then::Hold`]).
    pub fn is_held(&self) -> bool {
        self.held
    }

    /// Whether to receive when there is something.
    pub(crate) fn reads(&self) -> bool {
        !self.more && !self.held && !self.paused && !self.is_over()
    }

    /// Whether it ends, now or once its answers are sent.
    pub(crate) fn is_over(&self) -> bool {
        self.ending.is_some() || self.ended.is_some()
    }

    /// The events to be told of.
    ///
    /// One with more requests stays armed for reading: it is served in the next turn, so that it would be disarmed and
    /// armed for nothing.
    pub(crate) fn wanted(&self) -> EventFlags {
        let mut wanted = EventFlags::empty();
        if !self.pending.is_empty() {
            wanted |= EventFlags::OUT;
        }
        if self.is_over() || self.paused {
            return wanted;
        }
        if !self.held {
            wanted |= EventFlags::IN;
        } else if !self.hung_up {
            wanted |= EventFlags::RDHUP;
        }
        wanted
    }

    /// Ends it once its answers are sent. The first reason counts.
    pub(crate) fn finish(&mut self, why: Ended) {
        self.ending.get_or_insert(why);
    }

    /// Ends it as soon as it is looked at. The first reason counts.
    pub(crate) fn end(&mut self, why: Ended) {
        self.ended.get_or_insert(why);
    }

    /// Makes room to receive behind a partial request.
    pub(crate) fn make_room(&mut self) {
        let held = self.input.len();
        let (least, room) = match self.needs.saturating_sub(held) {
            0 => (READ_BYTES, READ_BYTES),
            missing => (missing.min(READ_BYTES), missing.min(held.max(GROWTH_BYTES))),
        };
        if self.input.capacity() - held < least {
            self.input.reserve(room);
        }
    }

    /// Goes on as the service says, with what is left of the input in its place already.
    pub(crate) fn go_on(&mut self, consumed: Consumed) {
        self.needs = 0;
        self.more = false;
        match consumed.then {
            Then::Go => self.needs = consumed.needs,
            Then::More => self.more = !self.input.is_empty(),
            Then::Hold => self.held = true,
            Then::Close => {
                self.input = Vec::new();
                self.finish(Ended::Service);
            }
        }
    }

    /// Pauses while too many answers wait, until half of them are sent.
    pub(crate) fn pause_or_not(&mut self) {
        let waits = self.pending.len();
        if waits >= OUTPUT_PAUSE {
            self.paused = true;
        } else if waits <= OUTPUT_PAUSE / 2 {
            self.paused = false;
        }
    }
}
