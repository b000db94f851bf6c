//! The table as programs use it, against a model, by several threads, and its steps in their interleavings.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]
#![expect(clippy::print_stdout, reason = "a failing test shows its seeds")]

mod hashes;
mod items;
mod locks;
mod map;
mod memory;
mod models;
mod samples;
mod scans;
mod threads;
