//! The result files of `hyperfine`: its JSON read and written, and its tables written.
//!
//! Checked byte for byte against 1.15 and 1.20. Where versions differ, see [`Entry`] and
//! [`Unit::automatic`].

mod asciidoc;
mod csv;
mod entry;
mod error;
mod json;
mod markdown;
mod orgmode;
mod relative;
mod runs;
mod table;
mod unit;

pub use asciidoc::write as write_asciidoc;
pub use csv::write as write_csv;
pub use entry::Entry;
pub use error::{ReadError, WriteError};
pub use json::{read as read_json, write as write_json};
pub use markdown::write as write_markdown;
pub use orgmode::write as write_orgmode;
pub use runs::{read_runs, write_runs};
pub use unit::Unit;
