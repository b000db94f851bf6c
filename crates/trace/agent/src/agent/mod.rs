//! Which sites there are, which are wanted, and which are on.
//!
//! ```text
//! shared      the one agent of the process, behind a lock
//! recording   who wants events, and until when
//! child       the same in the child of a fork
//! switching   makes sites be as they are wanted
//! judging     what becomes of their filters
//! wishes      what is wanted of sites
//! sites       the sites of all objects, and which are on
//! ```

mod child;
mod judging;
mod recording;
pub mod shared;
mod sites;
mod switching;
mod wishes;

pub use shared::{agent, refreshed};
pub use switching::{Agent, Switched};
pub use wishes::Wish;
