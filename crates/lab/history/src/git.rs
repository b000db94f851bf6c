//! A git repository, read by the program `git`.
//!
//! Nothing here writes to the repository of the user: it is read, and everything else happens in a copy of it.

mod error;
mod log;
mod program;
mod tree;

pub use error::GitError;
pub use log::read_log;
pub(crate) use program::{QUIET, inherited};
pub use program::{Repository, local_path};
