//! Sockets of a key-value server: listeners, connections, and one event loop per thread.
//!
//! A thread waits for events, receives once from each connection that is ready, executes all requests that have
//! arrived, and sends all answers with one call. It hands no request to another thread, and never spins. A request that
//! comes alone costs one wait, one call that receives and one that sends.
//!
//! ```text
//! service       what the bytes mean: the trait that a server implements
//! server        opens the listeners, and runs the threads
//! driver        what a thread gets to serve with
//! options       how a server is to be
//! handles       what other threads may ask: jobs, kills, limits, counters
//! bell          wakes threads, and stops them
//!
//! turns         the loop: waits, events, messages, times, stopping
//! attend        one connection: receive, execute, send, close
//! doors         accepts connections, and gives each to a thread
//! connections, connection, pending, about    a thread's table, and what is in it
//!
//! listen, unix  TCP addresses, and files of Unix sockets
//! signals       signals that stop a server
//! descriptors   how many clients there is room for
//! shared, counters    what the threads have in common
//! failure       why a server cannot begin
//! ```
//!
//! A service is made in its thread, so that it can borrow from a scope there:
//!
//! ```no_run
//! use perflab_net::{About, Consumed, Listen, Options, Server, Service};
//!
//! struct Echo;
//!
//! impl Service for Echo {
//!     type Connection = ();
//!
//!     fn open(&mut self, _: &About) {}
//!
//!     fn input(&mut self, (): &mut (), bytes: &[u8], output: &mut Vec<u8>) -> Consumed {
//!         output.extend_from_slice(bytes);
//!         Consumed::go(bytes.len())
//!     }
//! }
//!
//! let server = Server::open(&[Listen::loopback(7000)], &Options::default())?;
//! for result in server.run(|_, driver| driver.run(&mut Echo))? {
//!     result?;
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod about;
mod attend;
mod bell;
mod connection;
mod connections;
mod counters;
mod descriptors;
mod doors;
mod driver;
mod failure;
mod handles;
mod listen;
mod options;
mod pending;
mod server;
mod service;
mod shared;
mod signals;
mod turns;
mod unix;

pub use about::{About, Peer};
pub use bell::Stop;
pub use connection::Connection;
pub use connections::Connections;
pub use counters::Counters;
pub use driver::Driver;
pub use failure::OpenError;
pub use handles::Handles;
pub use listen::Listen;
pub use options::Options;
pub use server::{Lowered, Server};
pub use service::{Consumed, Ended, OUTPUT_PAUSE, Service, Then};
