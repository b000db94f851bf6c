//! Logs on real files: replayed, torn, damaged, shared, killed, without room, and rewritten.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod crash;
mod damaged;
mod disk_full;
mod fixture;
mod foreign;
mod limited;
mod locked;
mod rewritten;
mod threads;
mod torn;
