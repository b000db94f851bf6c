//! What a command needs to write.

use std::fmt;

use perflab_rcu::Retire;

/// The hand that writes for one command: where removed memory goes, the time, and the memory that was used.
pub struct Hand<'h> {
    /// Takes what readers may still use.
    pub retire: &'h mut dyn Retire,
    /// The time of the command, in milliseconds since 1970. It is read once for each command: all its keys expire by
    /// the same clock.
    pub now: u64,
    /// Bytes of the heap that the command took, less those that it retired. The server adds them to its own counter.
    pub memory: i64,
}

impl<'h> Hand<'h> {
    /// A hand for a command that begins at this time.
    pub fn new(retire: &'h mut dyn Retire, now: u64) -> Self {
        Self {
            retire,
            now,
            memory: 0,
        }
    }
}

impl fmt::Debug for Hand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hand")
            .field("now", &self.now)
            .field("memory", &self.memory)
            .finish_non_exhaustive()
    }
}
