//! Trees as programs use them: readers of a flavour, a writer, and a limbo.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod items;
mod readers;
