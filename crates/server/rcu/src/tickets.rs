//! Which grace period a batch of retired objects waits for, by numbers.
//!
//! ```text
//! retires                                             waits for grace periods
//!  1 ticket = begun.fetch_add(0, AcqRel) + 1           3 new = begun.fetch_add(1, AcqRel) + 1
//!  2 wanted.fetch_max(ticket, Release)                 4 synchronize
//!  6 done.load(Acquire) >= ticket: free                5 done.store(new, Release)
//! ```
//!
//! Before 1 the objects were unlinked. 1 changes the word that 3 changes, though by nothing, so one of both comes
//! first.
//!
//! - If 1 does, 3 of the grace period `new` = `ticket` reads what 1 wrote, through additions that are one release
//!   sequence. So the unlinking happens before 4.
//! - If 3 does, the ticket is for the next grace period.
//!
//! So 6 frees after a whole grace period, which 5 and 6 order before it. On x86-64 a compiler makes a full fence and a
//! load of an addition of 0, which keeps this. A load alone would not: it needs that fence before it.

use super::own::atomic::{AtomicU64, Ordering};

/// Numbers of grace periods. One thread calls `begin` and `end`.
#[derive(Debug)]
pub struct Tickets {
    begun: AtomicU64,
    done: AtomicU64,
    wanted: AtomicU64,
}

impl Tickets {
    /// Before the first grace period: all three are 0. A model's words are not made by a constant function.
    pub const fn new(begun: AtomicU64, done: AtomicU64, wanted: AtomicU64) -> Self {
        Self {
            begun,
            done,
            wanted,
        }
    }

    /// Steps 1 and 2: a ticket for what the caller has unlinked.
    pub fn take(&self) -> u64 {
        let ticket = self.begun.fetch_add(0, Ordering::AcqRel) + 1;
        self.wanted.fetch_max(ticket, Ordering::Release);
        ticket
    }

    /// The latest ticket that somebody took.
    pub fn latest(&self) -> u64 {
        self.wanted.load(Ordering::Acquire)
    }

    /// Whether somebody holds a ticket for a grace period that has not ended.
    pub fn is_wanted(&self) -> bool {
        !self.is_over(self.latest())
    }

    /// Step 3. A grace period begins after it.
    pub fn begin(&self) -> u64 {
        self.begun.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// Step 5. The grace period has ended.
    pub fn end(&self, new: u64) {
        self.done.store(new, Ordering::Release);
    }

    /// Step 6: whether what has this ticket may be freed.
    pub fn is_over(&self, ticket: u64) -> bool {
        self.done.load(Ordering::Acquire) >= ticket
    }
}
