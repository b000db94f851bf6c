//! An append-only file: blocks of bytes, appended by many threads, made durable by one of three policies, and replayed.
//!
//! A server appends each change of its data as a block before it applies it, and executes all blocks again when it
//! starts. A block holds what belongs together, and this crate does not look into it. The file can be read with `less`
//! if the payloads are text.
//!
//! ```
//! use perflab_aof::{Log, Policy};
//!
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("log.aof");
//! let (log, _) = Log::open(&path, Policy::Always, |_, _| Ok::<(), String>(()))?;
//! let ticket = log.append(b"SET color red\n")?;
//! log.wait(ticket)?;
//! log.close()?;
//!
//! let mut blocks = Vec::new();
//! let (_log, opened) = Log::open(&path, Policy::Always, |payload, _| {
//!     blocks.push(payload.to_vec());
//!     Ok::<(), String>(())
//! })?;
//! assert_eq!(blocks, [b"SET color red\n"]);
//! assert_eq!(opened.cut, None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ```text
//! open, cut          locks a log, replays it, and cuts off what is torn
//! log                appends, waits, and closes
//! rewrite, new_file  replaces the file by a shorter one
//! facts, failure     what a log says of itself, and why it takes no more blocks
//! policy             when a block is on the disk
//!
//! shared, ages       what all threads of a log share
//! turn, batch, sync  one thread at a time writes; one syncs
//! background         the threads of a log whose blocks nobody waits for
//!
//! replay             reads a whole log
//! blocks, search     looks at one place of it; whether a sound block is behind a damaged one
//! format             the bytes
//! source, window     bytes that can be read at any place, and the part of them that is in memory
//! medium, place      what a log is written to; the files beside it
//! ```
//!
//! # A file that is too large
//!
//! A write beyond the limit of file sizes (`RLIMIT_FSIZE`) ends a process with SIGXFSZ, unless it ignores or handles
//! that signal. Then the log fails as if the disk were full. A server should do so; this crate leaves signals alone.

mod ages;
mod background;
mod batch;
mod blocks;
mod cut;
mod facts;
mod failure;
mod format;
mod log;
mod medium;
mod new_file;
mod open;
mod open_error;
mod place;
mod policy;
mod replay;
mod rewrite;
mod search;
mod shared;
mod source;
mod sync;
#[cfg(test)]
mod tests;
mod turn;
mod window;

pub use blocks::Fault;
pub use cut::Cut;
pub use facts::Facts;
pub use failure::{AppendError, Failure};
pub use log::{Log, Ticket};
pub use open::Opened;
pub use open_error::OpenError;
pub use policy::{Policy, UnknownPolicy};
pub use replay::{Progress, ReplayError, Replayed, Torn, replay};
pub use rewrite::{Rewrite, RewriteError, Rewritten};
pub use source::Source;
