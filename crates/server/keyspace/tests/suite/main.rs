//! The keyspace as a server uses it: each type against a simple model, readers next to writers, expiry, eviction,
//! watching and memory.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod encodings;
mod eviction;
mod expiry;
mod hashes;
mod keys;
mod lists;
mod readers;
mod sets;
mod strings;
mod watching;
mod world;
mod zsets;
