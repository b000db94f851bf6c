//! Asks the agents of running processes: which probes there are, on and off.
//!
//! ```text
//! places      directories -> sockets of processes
//! process     what the kernel says of a process
//! peer        whose socket it is, and who answers; until when
//! agent       one of them: questions out, answers in
//! answer      sites, and what it did
//! filter      filters that are sent to it, and what became of them
//! value       how often an argument had a value
//! awaited     an event that it tells of
//! error       why it is not believed, or did not answer
//! ```

mod agent;
mod answer;
mod awaited;
mod error;
mod filter;
mod peer;
mod places;
mod process;
mod value;

pub use agent::{Agent, Recorded};
pub use answer::{Site, Switched};
pub use awaited::{Awaited, News};
pub use error::{ControlError, LONGEST_ANSWER, Untrusted};
pub use filter::{EncodedFilter, FilterTooLong, Filtered, SiteFilter};
pub use peer::is_dead;
pub use perflab_abi::{
    Actions, Alternative, Effect, FilterImport, FilterMode, LONGEST_COUNTED, PatternError,
    RecordWish, Then, matches, patterns, variable,
};
pub use places::{Found, Ignored, Traced, directories, traced};
pub use process::{Process, State};
pub use value::{Value, ValueHits};
