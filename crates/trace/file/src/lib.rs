//! Traces: from the rings of processes to a file, and from a file to events.
//!
//! ```text
//! varint    numbers in few bytes
//! event     the words of a ring -> bytes -> values
//!
//! batch     events of a thread -> a chunk
//! write     chunks -> a file
//!
//! source    a file, or memory -> bytes
//! read      bytes -> chunks
//! run       a chunk -> the events of a thread
//! trace     a file -> what it says, and its events
//! collect   the first pass: everything but events
//! contents  what it finds
//! horizon   up to which time all events were read
//! merge     the second pass: events in order
//! order     how sure that order is
//!
//! clock     ticks -> nanoseconds
//! times     both clocks of a trace
//! knots     snapshots, and where the clock broke between them
//! ```
//!
//! The file is described in `docs/trace-format.md`.

mod batch;
mod clock;
mod collect;
mod contents;
pub mod event;
#[cfg(test)]
mod event_tests;
mod horizon;
mod knots;
mod merge;
mod order;
mod read;
mod run;
mod source;
mod times;
mod trace;
mod varint;
mod write;

pub use perflab_abi::Clock;
pub use perflab_abi::recording::LONGEST_TEXT;

pub use batch::{EventBatch, FULL_BATCH};
pub use clock::ClockConversion;
pub use collect::{Problem, ProblemKind};
pub use contents::{Argument, Probe, Process, Thread, Totals};
pub use knots::{Discontinuity, DiscontinuityKind};
pub use merge::{Event, EventSelection, Events};
pub use order::Order;
pub use read::{Chunk, ChunkReader, Cut, CutReason, Gap};
pub use trace::{OpenError, Trace};
pub use write::TraceWriter;
