//! A server that runs in threads of this process.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::num::NonZeroUsize;
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use perflab_net::{Connections, Ended, Handles, Listen, Options, Server};

use super::{Client, LONG, Lines, Watched};

/// A server of lines. It is stopped at the end of its scope.
pub struct Running {
    pub handles: Handles<Client>,
    pub watched: Arc<Watched>,
    at: Vec<Listen>,
    serves: Option<JoinHandle<io::Result<Vec<io::Result<()>>>>>,
}

/// The default options with so many threads.
pub fn options(threads: usize) -> Options {
    Options {
        threads: NonZeroUsize::new(threads).unwrap(),
        ..Options::default()
    }
}

impl Running {
    /// A server at a port of this machine.
    pub fn start(options: &Options) -> Self {
        Self::serve(Server::open(&[Listen::loopback(0)], options).unwrap(), None)
    }

    /// Lets a server run.
    pub fn serve(server: Server<Client>, ticks: Option<Duration>) -> Self {
        let watched = Arc::new(Watched::default());
        let for_threads = Arc::clone(&watched);
        Self {
            handles: server.handles(),
            watched,
            at: server.listens_at().to_vec(),
            serves: Some(thread::spawn(move || {
                server.run(|number, driver| {
                    driver.run(&mut Lines::new(number, Arc::clone(&for_threads), ticks))
                })
            })),
        }
    }

    /// The address of its first listener.
    pub fn address(&self) -> SocketAddr {
        match &self.at[0] {
            Listen::Tcp(address) => *address,
            Listen::Unix { .. } => panic!("its first listener is none of TCP"),
        }
    }

    /// A client. Its reads fail after some time, so that no test waits for ever.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address()).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream.set_write_timeout(Some(LONG)).unwrap();
        stream.set_nodelay(true).unwrap();
        stream
    }

    /// Waits until this connection has ended, and says why.
    pub fn end_of(&self, id: u64) -> Ended {
        let why = || {
            let ended = self.watched.ended.lock().unwrap();
            ended.iter().find(|end| end.0 == id).map(|end| end.1)
        };
        eventually(|| why().is_some());
        why().unwrap()
    }

    /// Stops it, and waits until its threads have ended. Panics if one of them did.
    pub fn stop(mut self) {
        self.handles.stop().stop();
        self.wait();
    }

    /// Waits until its threads have ended. Panics if one of them did.
    pub fn wait(&mut self) {
        if let Some(serves) = self.serves.take() {
            match serves.join() {
                Ok(results) => results.unwrap().into_iter().for_each(Result::unwrap),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.handles.stop().stop();
        if let Some(serves) = self.serves.take() {
            // A test that has failed already says more than this.
            let _ = serves.join();
        }
    }
}

/// Calls something in a thread of the server, and returns what it returns.
pub fn visit<R: Send + 'static>(
    running: &Running,
    thread: usize,
    look: impl FnOnce(&mut Connections<Client>) -> R + Send + 'static,
) -> R {
    let (sender, receiver) = mpsc::channel();
    assert!(running.handles.run(thread, move |connections| {
        // Nobody receives if the test has failed meanwhile.
        let _ = sender.send(look(connections));
    }));
    receiver.recv_timeout(LONG).unwrap()
}

/// Waits until it holds.
pub fn eventually(holds: impl Fn() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < LONG, "it never came to hold");
        thread::sleep(Duration::from_millis(1));
    }
}
