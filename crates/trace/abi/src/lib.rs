//! The contract between a program with probe sites, the agent in its process, and a reader.
//!
//! A program with sites contains, and nothing else:
//!
//! | section | content | written by |
//! |---|---|---|
//! | `perflab_sites` | one [`Site`] for each copy of a site's code | nobody |
//! | `perflab_text` | what a site is called and what its arguments are, see [`Description`] | nobody |
//! | data | one [`Point`] for each place in the source | the agent |
//! | data | one [`Object`] for each executable or shared object | the agent, and the object's end |
//! | `.note.perflab` | a [`Note`] that leads to all of these | nobody |
//! | `.probes` | a 16-bit count for each probe, which bpftrace, perf and gdb raise | the kernel |
//!
//! All references are relative to the place where they stand, so that the read-only sections need
//! no relocation, can be read from the file as well as from memory, and stay read-only.
//!
//! Every structure that a program contains begins with its version and its size in bytes. Fields are only ever added at the
//! end. A reader accepts a structure that is larger than what it knows and refuses one that is
//! smaller, or that bears another version: [`VERSION`] changes when an old reader would be wrong.
#![no_std]

mod chunk;
mod content;
mod description;
mod fields;
mod filter;
mod filtered;
mod message;
mod object;
mod pattern;
pub mod recording;
mod site;
mod trigger;
mod value;
pub mod variable;

pub use chunk::{CHUNK_HEAD, CHUNK_MAGIC, ChunkError, ChunkHead, ChunkKind, LONGEST_CHUNK};
pub use content::{
    Clock, ClockSnapshotContent, CostContent, EventsContent, LossesContent, OrderContent,
    ProbeContent, ProcessContent, ThreadContent, WatermarkContent,
};
pub use description::{
    Argument, ArgumentType, Description, DescriptionError, FEW_ARGUMENTS, MOST_ARGUMENTS,
};
pub use fields::{LONGEST_MESSAGE, MessageError, PROTOCOL, Reader, Writer};
pub use filter::{
    Actions, Alternative, Alternatives, FilterImport, FilterWish, Imports, LONGEST_FILTER, Then,
};
pub use filtered::{FilterMode, Filtered, LONGEST_SHOWN, SiteFilter};
pub use message::{HEADER_SIZE, Header, Kind, MAGIC, RecordWish, SiteState};
pub use object::{Agent, GONE, NOTE_NAME, NOTE_TYPE, Note, Object};
pub use pattern::{PatternError, matches, patterns};
pub use site::{Backend, Handler, NOP5, Point, RecordHandler, SITE_HEAD, SITE_LENGTH, Site};
pub use trigger::{Effect, Trigger};
pub use value::{LONGEST_COUNTED, Value, ValueHits};

/// Version of the structures in a program.
pub const VERSION: u16 = 1;
