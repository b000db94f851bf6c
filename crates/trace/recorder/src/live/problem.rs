//! Why events are missing from a recording that nobody has counted.

use std::path::PathBuf;

use perflab_control::{ControlError, Traced};

use crate::error::RecordError;
use crate::live::refusals::Refusal;

/// What goes wrong with a process, while others are recorded.
#[derive(Debug)]
pub enum Problem {
    /// It cannot be recorded, as it says itself.
    Refused(Refusal),
    /// It has probes and no agent, as a program has that is linked statically or was started with another environment.
    Agentless {
        /// Its number, as the kernel has it.
        pid: u32,
        /// Its name.
        name: String,
    },
    /// So many more processes refused or had no agent. Only the first ones are named.
    Unnamed(usize),
    /// Its agent did not answer as it should.
    Unanswered(Traced, ControlError),
    /// Its directory cannot be used.
    Directory(RecordError),
    /// Its directory was removed while its program went on: later events are not in the trace.
    Removed {
        /// Its number, as the kernel has it.
        pid: u32,
        /// The directory.
        path: PathBuf,
    },
    /// The agent of the process with this number has not ended its recording, as of one that is stopped.
    Unended(u32),
    /// The process with this number has become another program, which nobody asked to record.
    Replaced(u32),
}
