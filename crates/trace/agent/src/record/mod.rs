//! Records the events of sites, so that they outlive the process.
//!
//! ```text
//! recorder      which probes are recorded, since when, and by which clock
//!
//! handlers      what a site calls; short: the same with short texts; long: with many arguments
//! texts         a site's words, some of which are texts -> its record
//! text          looks at a text, and copies it; nofault: one that may not be there
//! forms         how the arguments of a probe are passed; long_forms: many arguments
//! cost          what an event costs here
//!
//! chain         a thread -> its rings
//! words         where a thread has what it needs of them
//! slots         rings -> threads that take them
//! ready         what says that rings are there, and whether one thread alone records
//! losses        counts events that have no ring
//! before        numbers when a recording begins -> what is none of its losses
//!
//! rings         which there are
//! size          how much memory they may take
//! thread        what the kernel says of the thread of one
//! ring_file     a ring -> a file, for readers in other processes
//! no_file       why a file cannot be made
//! directory     probes, clock snapshots -> a file; where all files of the process are
//! total         how much all recordings of a user take
//! total_file    the numbers by which its processes know that
//! recordings    those that are there, and whose they are
//!
//! clock         which clock is right, and how it stands to others
//! ```

mod before;
mod chain;
mod clock;
mod cost;
mod directory;
mod forms;
mod handlers;
mod long;
mod long_forms;
mod losses;
mod no_file;
pub mod nofault;
mod ready;
mod recorder;
mod recordings;
mod ring_file;
mod rings;
mod short;
mod size;
mod slots;
mod text;
mod texts;
mod thread;
mod total;
mod total_file;
mod words;

pub use before::Begin;
pub use chain::{forget_parent, is_left};
pub use forms::MOST_WORDS;
pub use losses::{count_nowhere, limited, lose, trigger};
pub use recorder::{Heritage, Recorder, forget};
pub use size::Size;
pub use words::{SAMPLERS, THREAD_MARK, THREAD_NUMBER, ThreadWord, ThreadWords};
