//! Servers and clients through real sockets: of TCP on this machine, and of Unix in temporary directories.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod counted;
mod descriptors;
mod ends;
mod fair;
mod holds;
mod large;
mod limits;
mod many;
mod readers;
mod slow;
mod stops;
mod support;
mod talks;
mod threads;
mod times;
mod unix;
