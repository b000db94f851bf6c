//! The fuzz targets as ordinary tests: each is given its seeds, changes of them, and its stored inputs.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod changes;
mod replay;
mod table;
