//! Asks the agents of running processes: which probes there are, on and off.
//!
//! ```text
//! places      directories -> sockets of processes
//! process     what the kernel says of a process
//! peer        whose socket it is, and who answers; until when
//! agent       one of them: questions out, sites and results in
//! error       why it is not believed, or did not answer
//! ```

mod agent;
mod error;
mod peer;
mod places;
mod process;

pub use agent::{Agent, Recorded, Site, Switched};
pub use error::{ControlError, LONGEST_ANSWER, Untrusted};
pub use peer::is_dead;
pub use perflab_abi::{PatternError, RecordWish, matches, patterns, variable};
pub use places::{Found, Ignored, Traced, directories, traced};
pub use process::{Process, State};
