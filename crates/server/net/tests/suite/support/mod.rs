//! A server of lines that runs in this process, and clients of it.

mod clients;
mod lines;
mod running;

pub use clients::{ask, fill, is_at_end, read_line};
pub use lines::{Client, Lines, Watched};
pub use running::{Running, eventually, options, visit};

/// Nothing here takes so long unless it never happens.
pub const LONG: std::time::Duration = std::time::Duration::from_secs(30);
