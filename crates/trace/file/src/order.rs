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
    /// Its time is before that of an event that came before it: of another thread, or of its own, whose clock went back.
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

/// The events that the next one may have happened before: of each thread the newest at most, as it comes after all others
/// of its thread. One that is sure to come before another of them is left out, as what comes after that other one comes
/// after it, too. So there are as many as threads that record at the same time.
#[derive(Debug, Default)]
pub(crate) struct Shown(Vec<(usize, When)>);

impl Shown {
    /// Shows an event of a thread.
    pub fn show(&mut self, times: &Times, thread: usize, when: When) -> Order {
        let is_doubtful = times.of(when.clock).is_doubtful(when.ticks);
        let (mut order, mut is_back) = (Order::Sure, false);
        self.0.retain(|(other, before)| {
            let found = compare(times, *before, when);
            if *other == thread {
                is_back = found == Order::Late;
                return is_back;
            }
            order = order.max(found);
            found != Order::Sure || is_doubtful
        });
        // Where the thread's clock went back, its earlier event stays, by which others are late as well.
        if is_back {
            order = Order::Late;
        } else {
            self.0.push((thread, when));
        }
        if is_doubtful {
            order.max(Order::Doubtful)
        } else {
            order
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
