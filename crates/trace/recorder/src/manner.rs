//! How processes are recorded, and from when on.

use std::time::{Duration, Instant};

use crate::mapping::Access;

/// From when on events are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// All that are still there.
    Oldest,
    /// Those that are not older than this when the first round begins.
    Last(Duration),
    /// Those of this moment and after it, however long it takes until the first round begins.
    Moment(Instant),
}

/// How a process is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manner {
    /// Whether blocks are given back that were read, and threads that ended are marked as read. Else nothing in
    /// the process's files is changed.
    pub keep: bool,
    /// From when on.
    pub since: Since,
}

impl Manner {
    /// What is done with rings.
    pub(crate) fn access(self) -> Access {
        match self.keep {
            true => Access::Write,
            false => Access::Read,
        }
    }
}
