//! How much retired memory may wait for grace periods.

use std::time::Duration;

/// When batches are closed, and how much may wait.
///
/// At most `most_bytes` of all threads together wait to be freed. Each thread that retires may add one batch, and what
/// it retires between two calls of [`Limbo::relieve`](crate::Limbo::relieve). That holds if each thread stops retiring
/// while `relieve` returns an error. Objects say how many bytes they have: [`Reclaim::bytes`](crate::Reclaim::bytes).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// A batch with this number of bytes is closed: it waits for a grace period. 64 KiB by default; 0 closes one with
    /// each object.
    pub batch_bytes: usize,
    /// A batch with this number of objects is closed. 256 by default; 0 closes one with each object.
    pub batch_objects: usize,
    /// `relieve` waits while more bytes than this wait, of all threads that use the flavour. 64 MiB by default; 0 makes
    /// each call wait for a grace period.
    pub most_bytes: usize,
    /// `relieve` waits as long as no grace period takes longer than this, and returns
    /// [`NotRelieved::Stalled`](crate::NotRelieved::Stalled) then. 1 s by default.
    pub patience: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            batch_bytes: 64 << 10,
            batch_objects: 256,
            most_bytes: 64 << 20,
            patience: Duration::from_secs(1),
        }
    }
}
