//! Changes settings of the machine for a while, and puts them back whatever happens.
//!
//! 1. A [`Session`] holds a lock in the state directory: one at a time.
//! 2. For each [`Wish`] the values that are there now are written to a journal, which is synced
//!    to disk, before anything is changed. The journal bears the name of the boot.
//! 3. The new values are written and read again: what did not take is reported.
//! 4. At the end the old values are written back, in reverse order, and the journal is removed.
//!
//! If the process dies in between, the lock is free and the journal is still there: [`recover`]
//! then does step 4. After a reboot the settings are the system's own again, so a journal of
//! another boot is only removed.

mod journal;
mod measuring;
mod offload;
mod session;
mod state;
mod target;
mod wish;

pub use journal::{Entry, Journal};
pub use measuring::for_measuring;
pub use offload::is_on as offload_is_on;
pub use session::{Outcome, Recovered, Result, Session, TuneError, pending, recover};
pub use state::{STATE_VARIABLE, state_directory};
pub use target::Target;
pub use wish::{Change, Unavailable, Wish};
