//! How much retired memory may wait for grace periods.

use std::time::Duration;

/// When batches are closed, and how much may wait.
///
/// What waits to be freed, of all threads together, is at most `most_bytes`, and for each thread that retires one batch
/// and what it retires between two calls of [`Limbo::relieve`](crate::Limbo::relieve).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// A batch with so many bytes is closed: it waits for a grace period. 64 KiB.
    pub batch_bytes: usize,
    /// A batch with so many objects is closed. 256.
    pub batch_objects: usize,
    /// `relieve` waits while more bytes than this wait, of all threads that use the flavour. 64 MiB.
    pub most_bytes: usize,
    /// How long `relieve` waits at most, before it returns
    /// [`NotRelieved::Stalled`](crate::NotRelieved::Stalled). 1 s.
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
