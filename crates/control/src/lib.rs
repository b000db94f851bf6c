//! Asks the agents of running processes: which probes there are, on and off.
//!
//! ```text
//! places      directories -> sockets of processes
//! connection  one agent: requests out, sites and results in
//! ```

mod connection;
mod places;

pub use connection::{Connection, ControlError, Site, Switched};
pub use places::{Traced, traced};
