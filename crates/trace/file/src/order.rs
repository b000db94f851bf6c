//! Whether an event is sure to come after those of other threads that were shown before it.

use perflab_abi::Clock;

use crate::times::Times;

/// How sure the place of an event is among the events of other threads. Within a thread the order is always
/// that in which the thread recorded them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Order {
    /// It happened after all events of other threads that come before it.
    Sure,
    /// It may have happened before one of those: they are closer than the clocks are to each other, and than the
    /// counter may be read ahead of an event.
    Close,
    /// It may have happened at another time: the clock broke thereabouts, see
    /// [`DiscontinuityKind`](crate::DiscontinuityKind).
    Doubtful,
    /// It happened before an event of another thread that came before it.
    Late,
}

/// The time of an event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct When {
    pub clock: Clock,
    pub ticks: u64,
    pub nanoseconds: u64,
    /// How much later the event may have been: its clock was read so many ticks before it at most.
    pub ahead: u64,
}

impl When {
    /// The latest time that the event may have had, to compare with that of others.
    fn latest(&self, times: &Times) -> (u64, u64) {
        let ahead = times.of(self.clock).duration(self.ahead);
        (
            self.nanoseconds.saturating_add(ahead),
            self.ticks.saturating_add(self.ahead),
        )
    }
}

/// The latest events that were shown.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    /// The latest, with its thread.
    latest: Option<(usize, When)>,
    /// The latest of any other thread.
    other: Option<(usize, When)>,
}

impl Shown {
    /// Shows an event of a thread.
    pub fn show(&mut self, times: &Times, thread: usize, when: When) -> Order {
        let of_others = match (&self.latest, &self.other) {
            (Some((latest, time)), _) if *latest != thread => Some(*time),
            (_, other) => other.map(|(_, time)| time),
        };
        let order = of_others.map_or(Order::Sure, |before| compare(times, before, when));
        self.note(times, thread, when);
        let is_doubtful = times.of(when.clock).is_doubtful(when.ticks);
        if is_doubtful && order < Order::Doubtful {
            Order::Doubtful
        } else {
            order
        }
    }

    fn note(&mut self, times: &Times, thread: usize, when: When) {
        let is_later = |than: &Option<(usize, When)>| {
            than.is_none_or(|(_, time)| when.latest(times) >= time.latest(times))
        };
        let is_latest = self.latest.is_some_and(|(latest, _)| latest == thread);
        if is_later(&self.latest) {
            if !is_latest {
                self.other = self.latest;
            }
            self.latest = Some((thread, when));
        } else if !is_latest && is_later(&self.other) {
            self.other = Some((thread, when));
        }
    }
}

/// Whether the second is after the first.
fn compare(times: &Times, first: When, second: When) -> Order {
    let of = |when: When| times.of(when.clock);
    let (earlier, later, unsure, [ahead_of_first, ahead_of_second]) = if first.clock == second.clock
    {
        let ahead = [first, second].map(|when| when.ahead);
        (first.ticks, second.ticks, times.skew(first.clock), ahead)
    } else {
        let unsure = |when: When| {
            let skew = of(when).duration(times.skew(when.clock));
            of(when).error(when.ticks).saturating_add(skew)
        };
        let both = unsure(first).saturating_add(unsure(second));
        let ahead = [first, second].map(|when| of(when).duration(when.ahead));
        (first.nanoseconds, second.nanoseconds, both, ahead)
    };
    // An event was at its time or up to `ahead` later.
    if later
        > earlier
            .saturating_add(ahead_of_first)
            .saturating_add(unsure)
    {
        Order::Sure
    } else if earlier > later.saturating_add(ahead_of_second).saturating_add(unsure) {
        Order::Late
    } else {
        Order::Close
    }
}
