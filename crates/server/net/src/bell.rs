//! Waking a thread that waits, and stopping all of them.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{EventfdFlags, eventfd};
use rustix::io;

/// Wakes a thread that waits for events. It is registered edge-triggered, so that it need not be read.
#[derive(Debug)]
pub(crate) struct Bell(OwnedFd);

impl Bell {
    pub(crate) fn new() -> io::Result<Self> {
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        eventfd(0, flags).map(Self)
    }

    /// The thread wakes, or wakes again if it is awake.
    pub(crate) fn ring(&self) {
        // It fails only when it was rung 2^64 times, of which no thread lives to tell.
        let _ = io::write(&self.0, &1_u64.to_ne_bytes());
    }

    pub(crate) fn descriptor(&self) -> &OwnedFd {
        &self.0
    }
}

/// Stops a server. Clones stop the same one.
#[derive(Debug, Clone)]
pub struct Stop(Arc<Bells>);

#[derive(Debug)]
struct Bells {
    asked: AtomicBool,
    of_threads: Vec<Bell>,
}

impl Stop {
    pub(crate) fn new(threads: usize) -> io::Result<Self> {
        let of_threads = (0..threads)
            .map(|_| Bell::new())
            .collect::<Result<_, _>>()?;
        Ok(Self(Arc::new(Bells {
            asked: AtomicBool::new(false),
            of_threads,
        })))
    }

    /// Asks all threads to end, and returns at once. They accept and read no more, execute the complete requests that
    /// they have read, and send the answers for as long as [`Options::stop_within`](crate::Options::stop_within). Then
    /// [`Server::run`](crate::Server::run) returns.
    ///
    /// It allocates nothing and takes no lock.
    pub fn stop(&self) {
        self.0.asked.store(true, Ordering::Release);
        self.ring_all();
    }

    /// Whether somebody asked, or a thread ended by itself.
    pub fn is_asked(&self) -> bool {
        self.0.asked.load(Ordering::Acquire)
    }

    pub(crate) fn bell(&self, thread: usize) -> &Bell {
        &self.0.of_threads[thread]
    }

    pub(crate) fn ring_all(&self) {
        self.0.of_threads.iter().for_each(Bell::ring);
    }
}

/// Stops the server when it is dropped: no thread goes on when another has ended.
#[derive(Debug)]
pub(crate) struct StopsAll(pub(crate) Stop);

impl Drop for StopsAll {
    fn drop(&mut self) {
        if !self.0.is_asked() {
            self.0.stop();
        }
    }
}
