//! Every order of the steps of writer and readers.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod readers;
mod steps;
