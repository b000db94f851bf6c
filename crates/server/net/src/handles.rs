//! What other threads may ask of a server while it runs.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use crate::bell::Stop;
use crate::connections::Connections;
use crate::counters::Counters;
use crate::descriptors;
use crate::shared::{Message, Shared};

/// What any thread may ask of a server while it runs. `C` is the service's state of a connection. Clones are of the
/// same server.
pub struct Handles<C>(pub(crate) Arc<Shared<C>>);

impl<C> Clone for Handles<C> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<C> Handles<C> {
    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.0.threads.len()
    }

    /// Calls `job` in a thread, between requests. It must not block. Jobs of one sender for one thread
    /// are called in order.
    ///
    /// A thread that asks others and needs their answers does not wait for them: it puts the connection on hold
    /// ([`Then::Hold`](crate::Then::Hold)), and lets the last job run another one in its own thread that resumes it.
    ///
    /// Returns false if the thread has ended. A job that it did not come to is dropped then.
    ///
    /// # Panics
    /// If there is no thread with this number.
    pub fn run(
        &self,
        thread: usize,
        job: impl FnOnce(&mut Connections<C>) + Send + 'static,
    ) -> bool {
        self.0.send(thread, Message::Run(Box::new(job)))
    }

    /// Ends the connection with this id, if there is one, without sending what waits.
    pub fn kill(&self, id: u64) {
        // Only the thread that has the connection knows its id.
        for thread in 0..self.threads() {
            self.0.send(thread, Message::Kill(id));
        }
    }

    /// The number of connections of each thread, those included that it is given right now.
    pub fn connections(&self) -> Vec<usize> {
        let connections = self.0.threads.iter();
        connections
            .map(|thread| thread.connections.load(Relaxed))
            .collect()
    }

    /// The number of connections of all threads.
    pub fn clients(&self) -> usize {
        self.0.clients.load(Relaxed)
    }

    /// What each thread has done until now.
    pub fn counters(&self) -> Vec<Counters> {
        let threads = self.0.threads.iter();
        threads.map(|thread| thread.counted.snapshot()).collect()
    }

    /// The number of connections from which on further ones are refused.
    pub fn max_clients(&self) -> usize {
        self.0.limits.max_clients.load(Relaxed)
    }

    /// Changes that number, as far as this process may have file descriptors. Returns the number it has become. Clients
    /// that are connected stay, also if they are more.
    pub fn set_max_clients(&self, asked: usize) -> usize {
        let limits = &self.0.limits;
        let granted = descriptors::make_room(asked, limits.other_descriptors);
        limits.max_clients.store(granted, Relaxed);
        granted
    }

    /// Ends connections from and to which nothing went for so long; `None`: they may be idle for ever. It is exact to a
    /// quarter of the timeout or to a second, whichever is less.
    pub fn set_idle_timeout(&self, timeout: Option<Duration>) {
        self.0.limits.set_idle_timeout(timeout);
        self.0.stop.ring_all();
    }

    /// Changes the most bytes of answers that may wait for one peer. It holds for the next answer of each connection.
    pub fn set_output_limit(&self, bytes: usize) {
        self.0.limits.output_limit.store(bytes, Relaxed);
    }

    /// Stops the server.
    pub fn stop(&self) -> Stop {
        self.0.stop.clone()
    }
}
