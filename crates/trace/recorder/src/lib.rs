//! From the rings that processes keep in files to a trace, while they run or after they ended.
//!
//! ```text
//! live          running processes and those that are started -> a trace, with problems and a summary
//! places        directories -> directories of processes; what the dead left
//! recording     processes -> a trace: for a while, once, or of the dead
//! process_dir   the directory of a process, from round to round
//! losses        events that had no ring
//! process_file  what its agent says: clock, probes
//! drain         the events of a thread, from round to round
//! account       what became of each of them; before: and of those before the recording
//! own           which of these the process has recorded on its own
//! round         what is the same for all its rings in a round
//! ring_file     the file that they are in
//! output        events -> batches of a trace
//! mapping       memory of a file that may be cut short at any moment
//! directory     files that are believed to be of one user
//! clock         the clocks of processes, read here
//! executable    the probes of a program, read from its file
//! names         of directories and files, and whose they are
//! manner        how it is recorded, and from when on
//! progress      what was recorded, and what was not
//! ```
//!
//! # Trust
//!
//! The recorded process may be hostile, as root records other users' processes. So its directory must be its
//! user's alone, no link is followed, every number in its files is checked before it is used, the work of a
//! round is bounded by the size of the files, and files may shrink at any moment.

mod account;
mod before;
mod clock;
mod directory;
mod drain;
mod error;
mod executable;
mod live;
mod losses;
mod manner;
mod mapping;
mod names;
mod output;
mod own;
mod places;
mod process_dir;
mod process_file;
mod progress;
mod recording;
mod ring_file;
mod round;

pub use error::RecordError;
pub use executable::{FileProbe, FileProbes, FileProbesError, file_probes};
pub use live::{
    AGENT, LiveRecording, PAUSE, Problem, Refusal, StartOptions, Summary, children,
    open_more_files, sizes,
};
pub use losses::Lack;
pub use manner::{Manner, Since};
pub use mapping::{Access, Mapping};
pub use places::{
    Recorded, Removed, directories, kept_for, recorded, remove_orphaned, removed, sweep,
};
pub use process_dir::ProcessDir;
pub use progress::{ProbeProgress, Progress};
pub use recording::{Pass, Recording, recover, snapshot};
