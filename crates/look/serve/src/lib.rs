//! All results of a directory in a browser: the list, the pages of each, two of them compared, and those that are
//! just being measured.
//!
//! It only reads. Addresses lead to results that were found below the directory and to pages that they have, never to
//! paths of the file system. What is sent asks the browser for nothing from elsewhere.

mod answer;
mod connections;
mod guard;
mod library;
mod routes;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

pub use connections::Limits;
use guard::Token;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// How long answers that are under way have when the server is asked to end.
const GRACE: Duration = Duration::from_secs(2);

/// What to serve, and where.
#[derive(Debug, Clone)]
pub struct Options {
    /// The directory with the results.
    pub root: PathBuf,
    /// Where to listen. Whoever can reach another place than this machine itself needs the token.
    pub address: SocketAddr,
    /// How many connections there may be, and how long they may wait.
    pub limits: Limits,
}

/// Why nothing can be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is taken, is none of this machine's, or may not be used.
    #[error(
        "cannot listen on {address}: {source}; choose another {}",
        other(source)
    )]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The system refused something else.
    #[error("cannot serve: {0}")]
    Io(#[from] io::Error),
}

/// The option that leads elsewhere.
fn other(refusal: &io::Error) -> &'static str {
    match refusal.kind() {
        io::ErrorKind::AddrNotAvailable => "--bind",
        _ => "--port",
    }
}

/// Serves until the process is asked to end (SIGINT or SIGTERM). Says the address of the first page as soon as it
/// can be asked for.
///
/// # Errors
/// If it cannot listen.
pub fn serve(options: &Options, ready: impl FnOnce(&str)) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .max_blocking_threads(2)
        .build()?;
    let ended = runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(options.address)
            .await
            .map_err(|source| ServeError::Listen {
                address: options.address,
                source,
            })?;
        let address = listener.local_addr()?;
        let token = (!is_own(address.ip())).then(Token::new);
        let first = match &token {
            Some(token) => format!("http://{address}/?token={token}"),
            None => format!("http://{address}/"),
        };
        let guard = guard::Guard::new(address, token);
        let router = routes::router(library::Library::new(options.root.clone()), guard);
        // Before anybody knows that this is a server, who may ask it to end.
        let mut signals = Signals::new()?;
        ready(&first);
        connections::answer(listener, router, options.limits, signals.next(), GRACE).await;
        Ok(())
    });
    // Nor are pages that are just being made.
    runtime.shutdown_background();
    ended
}

/// Whether only this machine can reach an address.
fn is_own(address: IpAddr) -> bool {
    address.is_loopback()
}

/// What asks a process to end.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) {
        std::future::poll_fn(|context| {
            let interrupted = self.interrupt.poll_recv(context).is_ready();
            let terminated = self.terminate.poll_recv(context).is_ready();
            if interrupted || terminated {
                std::task::Poll::Ready(())
            } else {
                std::task::Poll::Pending
            }
        })
        .await;
    }
}
