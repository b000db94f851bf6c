//! RESP2 and RESP3, the protocols of Redis: bytes in, values out.
//!
//! A server reads requests and writes replies; a load generator, a test or a small tool reads replies. Nothing here
//! opens a socket: the caller has the bytes, and keeps those of a request or of a reply that is partly there.
//!
//! ```text
//! request     requests, read in pieces: where the arguments are; and written
//! limits      how large a request may be
//! error       what makes a server close a connection, in the words of Redis
//! reply       replies, written for either protocol
//! answer      replies, skipped as they arrive
//! value       replies, read as trees
//! integer     integers as Redis takes them
//! double      floating-point numbers as Redis takes and prints them
//! decimal     digits
//! ```
//!
//! The measure is Redis 7.0.15: requests that it takes are taken, with the same arguments, and those that it refuses
//! are refused with the same text.

mod answer;
mod decimal;
pub mod double;
mod error;
pub mod integer;
mod limits;
mod reply;
mod request;
mod value;

pub use answer::{Answer, Answers, Kind, Malformed};
pub use error::ProtocolError;
pub use limits::Limits;
pub use reply::{Protocol, Replies};
pub use request::{Arguments, Next, Requests, write_request};
pub use value::{Value, ValueLimits};
