//! Changes the code of sites while other threads execute it.
//!
//! ```text
//! patcher    changes of sites -> edits, all or none
//! plan       which protocol can be used here, how code is written, and how threads forget the old
//! protocol   edits -> code, in numbered steps
//! pun        places for jumps, where the first byte alone can change
//! stop       signals of threads that come to a site under change, with the table of these sites
//! sync       every thread forgets the old code
//! text       reads and writes code
//! seccomp    filters of system calls
//! ```

mod atomic;
mod change;
mod patcher;
mod plan;
mod protocol;
mod pun;
mod seccomp;
mod stop;
mod sync;
mod table;
mod text;

pub use change::Change;
pub use patcher::Patcher;
pub use seccomp::Tried;
