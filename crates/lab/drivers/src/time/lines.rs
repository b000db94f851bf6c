//! What both kinds of blocks say, and errors about their lines.

use perflab_experiment::Better;

use crate::error::{Place, ReadError, Stream};
use crate::metric::Row;

pub(super) const WALL: Row = ("wall", "s", Better::Lower);
pub(super) const USER: Row = ("user", "s", Better::Lower);
pub(super) const SYSTEM: Row = ("system", "s", Better::Lower);
pub(super) const MAX_RSS: Row = ("max_rss", "bytes", Better::Lower);
pub(super) const MAJOR: Row = ("major_faults", "", Better::Lower);
pub(super) const MINOR: Row = ("minor_faults", "", Better::Lower);
pub(super) const VOLUNTARY: Row = ("voluntary_switches", "", Better::Lower);
pub(super) const INVOLUNTARY: Row = ("involuntary_switches", "", Better::Lower);

/// An error about a line of standard error, counted from 1.
pub(super) fn at(line: usize, expected: &str, found: impl Into<String>) -> ReadError {
    ReadError::new(Place::Line(Stream::Stderr, line), expected, found)
}
