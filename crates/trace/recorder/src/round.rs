//! One look at a process, in which all that is new there is read.

use crate::output::Output;
use crate::process_file::ProcessFile;

/// What is the same for all rings of a process in a round.
#[derive(Debug)]
pub struct Round<'r, W> {
    /// Where events go.
    pub output: &'r mut Output<W>,
    /// What is known of the process.
    pub process_file: &'r mut ProcessFile,
    /// Number of the process in the trace.
    pub process: u32,
    /// Whether blocks are given back that were read.
    pub keep: bool,
    /// Whether the process has ended, or is treated so.
    pub is_over: bool,
    /// Whether an event that is being written is not waited for any more.
    pub is_last: bool,
    /// Events of each thread before the first that is not older than this are left out.
    pub since: u64,
}
