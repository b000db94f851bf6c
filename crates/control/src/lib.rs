//! Asks the agents of running processes: which probes there are, on and off.
//!
//! ```text
//! places      directories -> sockets of processes
//! agent       one of them: questions out, sites and results in
//! ```

mod agent;
mod places;

pub use agent::{Agent, ControlError, Site, Switched};
pub use places::{Traced, traced};
