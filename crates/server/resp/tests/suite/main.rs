//! Requests, replies and numbers: cases, oracles, and what the real Redis makes of the same bytes.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod allocations;
mod answers;
mod counted;
mod doubles;
mod errors;
mod inline;
mod integers;
mod naive;
mod oracle;
mod random;
mod redis;
mod replies;
mod requests;
mod values;
