//! A server: what it needs before its threads begin, and their lives.

use std::fmt;
use std::io;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::thread;

use rustix::event::epoll::{self, CreateFlags, EventFlags};

use crate::bell::{Stop, StopsAll};
use crate::descriptors;
use crate::doors::Doors;
use crate::driver::{BELL, Driver, SIGNAL, data, door};
use crate::failure::OpenError;
use crate::handles::Handles;
use crate::listen::{Listen, Listener};
use crate::options::Options;
use crate::shared::{Limits, Shared, Thread};
use crate::signals::Signals;

/// File descriptors that a thread needs: its events, and its bell.
const OF_A_THREAD: usize = 2;

/// File descriptors that a server needs but for its threads and listeners: those for signals.
const OF_A_SERVER: usize = 4;

/// A server that listens and does not serve yet. `C` is what its service keeps for each connection.
pub struct Server<C> {
    drivers: Vec<Driver<C>>,
    shared: Arc<Shared<C>>,
    at: Vec<Listen>,
    lowered: Option<Lowered>,
}

impl<C> Server<C> {
    /// Listens. Clients may connect from now on, and wait until [`Server::run`] is called.
    ///
    /// # Errors
    /// If an address or a path cannot be listened at, or there are too few file descriptors.
    pub fn open(at: &[Listen], options: &Options) -> Result<Self, OpenError> {
        let threads = options.threads.get();
        let others = options.other_descriptors + OF_A_SERVER + OF_A_THREAD * threads + at.len();
        let granted = descriptors::make_room(options.max_clients, others);
        if granted == 0 && options.max_clients > 0 {
            return Err(OpenError::NoDescriptors { others });
        }
        let listeners = at
            .iter()
            .map(|at| Listener::open(at, options.keepalive))
            .collect::<Result<Vec<_>, _>>()?;
        let at = listeners
            .iter()
            .map(|listener| listener.at.clone())
            .collect();
        let limits = Limits::new(granted, options.output_limit, others);
        limits.set_idle_timeout(options.idle_timeout);
        let shared = Arc::new(Shared {
            stop: Stop::new(threads).map_err(io::Error::from)?,
            threads: (0..threads).map(|_| Thread::new()).collect(),
            limits,
            clients: AtomicUsize::new(0),
        });
        let mut server = Self {
            drivers: Vec::with_capacity(threads),
            shared,
            at,
            lowered: (granted < options.max_clients).then_some(Lowered {
                asked: options.max_clients,
                granted,
            }),
        };
        let mut doors = Doors::new(listeners);
        for number in 0..threads {
            let doors = std::mem::take(&mut doors);
            let driver = server.driver(number, doors, options);
            server.drivers.push(driver.map_err(io::Error::from)?);
        }
        Ok(server)
    }

    /// The driver of a thread, with the listeners that are its.
    fn driver(
        &self,
        number: usize,
        doors: Doors,
        options: &Options,
    ) -> rustix::io::Result<Driver<C>> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        let bell = self.shared.stop.bell(number).descriptor();
        epoll::add(&epoll, bell, data(BELL), EventFlags::IN | EventFlags::ET)?;
        for (place, listener) in doors.listeners.iter().enumerate() {
            epoll::add(&epoll, &listener.socket, data(door(place)), EventFlags::IN)?;
        }
        Ok(Driver {
            number,
            epoll,
            shared: Arc::clone(&self.shared),
            doors,
            signals: None,
            stop_within: options.stop_within,
            stops_all: StopsAll(self.shared.stop.clone()),
        })
    }

    /// Makes these signals stop the server, such as SIGINT and SIGTERM. They are ignored after it has stopped.
    ///
    /// # Errors
    /// If there is no room for another socket, or a signal is forbidden, such as SIGKILL.
    ///
    /// # Panics
    /// If a signal cannot be handled in principle, such as SIGSEGV.
    pub fn stop_on_signals(&mut self, signals: &[i32]) -> Result<(), OpenError> {
        let signals = Signals::new(signals)?;
        if let Some(first) = self.drivers.first_mut() {
            epoll::add(
                &first.epoll,
                signals.descriptor(),
                data(SIGNAL),
                EventFlags::IN | EventFlags::ET,
            )
            .map_err(io::Error::from)?;
            first.signals = Some(signals);
        }
        Ok(())
    }

    /// Where it listens, in the order of [`Server::open`], with the ports that the kernel chose.
    pub fn listens_at(&self) -> &[Listen] {
        &self.at
    }

    /// That fewer clients may connect than was asked for, if it is so.
    pub fn lowered(&self) -> Option<Lowered> {
        self.lowered
    }

    /// What other threads may ask of the server.
    pub fn handles(&self) -> Handles<C> {
        Handles(Arc::clone(&self.shared))
    }

    /// Serves until the server is stopped. Each thread calls `thread` with its number and its driver, and that calls
    /// [`Driver::run`] with a service. All threads stop when one returns or panics. Returns what they returned.
    ///
    /// # Errors
    /// If a thread cannot be started.
    ///
    /// # Panics
    /// If a thread panics, after the others have ended.
    pub fn run<R: Send>(self, thread: impl Fn(usize, Driver<C>) -> R + Sync) -> io::Result<Vec<R>> {
        let thread = &thread;
        thread::scope(|scope| {
            let started = self
                .drivers
                .into_iter()
                .enumerate()
                .map(|(number, driver)| {
                    // A driver that is dropped since its thread does not start stops the others.
                    thread::Builder::new()
                        .name(format!("net-{number}"))
                        .spawn_scoped(scope, move || thread(number, driver))
                })
                .collect::<Vec<_>>();
            let ended = started
                .into_iter()
                .map(|thread| thread.map(thread::ScopedJoinHandle::join))
                .collect::<Vec<_>>();
            self.shared.threads.iter().for_each(Thread::close_inbox);
            ended
                .into_iter()
                .map(|thread| {
                    thread.map(|ended| ended.unwrap_or_else(|panic| resume_unwind(panic)))
                })
                .collect()
        })
    }
}

/// Fewer clients may connect than was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lowered {
    /// How many were asked for.
    pub asked: usize,
    /// How many there is room for.
    pub granted: usize,
}

impl fmt::Display for Lowered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} clients may connect at the same time instead of {}, as this process may not open more files: raise the \
             limit (ulimit -n) or ask for fewer",
            self.granted, self.asked
        )
    }
}
