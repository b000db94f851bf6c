//! The agent's place in the process: its start, its thread, and what becomes of it in a fork.
//!
//! ```text
//! start          checks, hooks of the C library, the thread, and the end
//! fork           what a fork waits for, and the agent of the child
//! cancellation   keeps these hooks from being cancelled
//! thread         begins, then answers for as long as the process lives
//! environment    what is asked for from the start
//! open_files     a table of files of the agent's own
//! first_thread   a program whose first thread ends before the others
//! messages       what is written to standard error
//! ```

mod cancellation;
mod environment;
mod first_thread;
mod fork;
mod messages;
mod open_files;
mod start;
mod thread;

pub use start::{start, start_before_the_program};
pub use thread::StartError;
