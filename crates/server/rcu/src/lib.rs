//! Flavours of RCU (read-copy-update) behind one trait: liburcu's, three own domains, and a lock to compare with.
//!
//! Readers enter sections, which cost little or nothing, and follow pointers in them. A writer replaces what a pointer
//! leads to. It frees what was there after a grace period: when every section has ended that could have seen it.
//!
//! ```text
//! reader, guarded        what programs use: scopes, sections, pointers
//! limbo, batch, limits   retired objects, freed in batches, bounded by bytes
//! pinned                 sections and limbos for code that is compiled once for all flavours
//! stalled                why too much waits to be freed
//! synchronize            waits for a grace period
//! grace, tickets         a thread for each flavour that waits for those who retire
//! watch, threads         names the thread that holds a grace period up
//!
//! flavour     what a flavour is; choose finds one by its name
//! urcu        liburcu's flavours: loaded, looked at, and proven
//! own         own domains: quiescent states, or membarrier
//! lock        a read-write lock
//!
//! readers     the list of readers, and the rest of a domain that is ours
//! counts, evidence    what ran, told from what was asked
//! alive       tells a fork from its parent
//! unavailable why not
//! ```
//!
//! Load all flavours that a program will use before its threads start: [`Flavour::load`]. See `docs/rcu.md`.

mod alive;
mod batch;
mod choose;
mod counts;
mod evidence;
mod flavour;
mod grace;
mod guarded;
mod limbo;
mod limits;
mod lock;
mod own;
mod pinned;
mod reader;
mod readers;
mod stalled;
mod synchronize;
mod threads;
mod tickets;
mod unavailable;
pub mod urcu;
mod watch;

pub use choose::{Choice, NAMES};
pub use counts::Counts;
pub use evidence::*;
pub use flavour::Flavour;
pub use guarded::{Guarded, Retired};
pub use limbo::*;
pub use limits::Limits;
pub use lock::Lock;
pub use own::membarrier;
pub use own::{Own, OwnMembarrier, OwnMembarrierGlobal, OwnQsbr};
pub use perflab_histogram::Durations;
pub use pinned::{Pinned, Retire};
pub use reader::{Reader, Section, as_reader};
pub use readers::{DomainState, Holder, PLACE_BYTES};
pub use stalled::*;
pub use synchronize::{synchronize, synchronize_unwatched};
pub use unavailable::{NotAtWork, Refused, Unavailable};
pub use watch::*;
