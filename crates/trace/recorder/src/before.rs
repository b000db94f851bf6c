//! What became of a thread's events before the recording that is read, of which nothing is lost in that.

use crate::manner::{Manner, Since};
use crate::own::Own;
use crate::ring_file::RingFile;

/// What is done with events before the recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Old {
    /// They are left out, even if they are still there.
    Unwanted,
    /// Those that are still there are written.
    Wanted,
    /// As [`Old::Wanted`]. Those count as dropped before the recording, too, that were so before the first block that
    /// is still there, which was not read yet.
    WantedFromThere,
}

/// What became of a thread's events before the recording.
#[derive(Debug, Clone, Copy)]
pub struct Before {
    /// Events that had found a place.
    events: u64,
    /// Events that had found none.
    dropped: u64,
    /// Events that had found none when the recording ended, if it has.
    dropped_at_end: u64,
    /// Those of them that are a matter of the recording.
    own: Own,
    old: Old,
}

impl Before {
    /// Of a ring that is recorded so.
    pub fn of(ring: &RingFile, manner: Manner) -> Self {
        let (events, dropped) = ring.before_kept();
        match (manner.keep, manner.since) {
            // All that there was since the process began.
            (true, Since::Oldest) => Self {
                events: 0,
                dropped: 0,
                dropped_at_end: u64::MAX,
                own: Own::default(),
                old: Old::Wanted,
            },
            (true, _) => Self {
                events,
                dropped,
                dropped_at_end: u64::MAX,
                own: Own::default(),
                old: Old::Unwanted,
            },
            // Somebody else has read, or counts, all that is not there any more.
            (false, _) if ring.is_kept() => Self {
                events: u64::MAX,
                dropped,
                dropped_at_end: u64::MAX,
                own: Own::of(ring),
                old: Old::WantedFromThere,
            },
            // The newest take the place of the oldest, so that all find one; unless a recorder was expected that never
            // came, and no recording has begun since.
            (false, _) => Self {
                events: ring.before_last(),
                dropped: ring.dropped_of_others(),
                dropped_at_end: u64::MAX,
                own: Own::of(ring),
                old: Old::Wanted,
            },
        }
    }

    /// Events that had found a place.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Whether events are left out by their number. Else it is their time that counts.
    pub fn is_exact(&self) -> bool {
        self.old == Old::Unwanted
    }

    /// Whether the event with a number is left out for that.
    pub fn leaves_out(&self, index: u64) -> bool {
        self.is_exact() && index < self.events
    }

    /// A block is read before which so many events were dropped in all.
    pub fn enter(&mut self, dropped: u64) {
        if self.old == Old::WantedFromThere {
            self.old = Old::Wanted;
            self.dropped = self.dropped.max(dropped);
        }
    }

    /// So many events before a place, which is the first that is still there, are none that the recording lost.
    pub fn unwanted(&self, place: u64) -> u64 {
        place
            .min(self.events)
            .saturating_sub(self.own.before(place))
    }

    /// So many of the recording, of all that were dropped.
    pub fn own(&self, dropped: u64) -> u64 {
        dropped
            .min(self.dropped_at_end)
            .saturating_sub(self.dropped)
    }

    /// The recording has ended when so many were dropped.
    pub fn end_at(&mut self, dropped: u64) {
        self.dropped_at_end = dropped;
    }
}
