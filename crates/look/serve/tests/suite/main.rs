//! The server, asked over a socket as by whoever wants to see what it should not show.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "../../../pages/tests/suite/made.rs"]
mod made;

mod changing;
mod limits;
mod paths;
mod requests;
mod support;
