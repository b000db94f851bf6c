//! One time line for all events: from the ticks of processes to nanoseconds, by the snapshots.
//!
//! Between two clock snapshots the conversion is linear, so its error is at most the larger of theirs: the other
//! clocks were read at some time between `before` and `after`, at most half of that from the middle. Before
//! the first and after the last it goes on with the slope of the whole, as far as no discontinuity comes between.

use perflab_abi::{Clock, ClockSnapshotContent};

use crate::knots::{Discontinuity, DiscontinuityKind, Knot, discontinuities, knots};

/// So many nanoseconds in so many ticks.
#[derive(Debug, Clone, Copy)]
struct Rate {
    nanoseconds: u64,
    ticks: u64,
}

impl Rate {
    const ONE: Self = Self {
        nanoseconds: 1,
        ticks: 1,
    };

    fn between(from: &Knot, to: &Knot) -> Option<Self> {
        Some(Self {
            nanoseconds: to.monotonic.checked_sub(from.monotonic)?,
            ticks: to
                .ticks
                .checked_sub(from.ticks)
                .filter(|ticks| *ticks > 0)?,
        })
    }

    /// Rounded down. Both factors have 64 bits, so the product has 128.
    fn convert(self, ticks: u64) -> u64 {
        scale(ticks, self.nanoseconds, self.ticks)
    }
}

fn scale(value: u64, by: u64, of: u64) -> u64 {
    let scaled = u128::from(value) * u128::from(by) / u128::from(of.max(1));
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

/// Converts the raw times of one clock, the same for all processes of a machine that use it.
#[derive(Debug, Clone)]
pub struct ClockConversion {
    clock: Clock,
    /// In order: ticks strictly, nanoseconds not falling.
    knots: Vec<Knot>,
    discontinuities: Vec<Discontinuity>,
    /// Ticks of discontinuities in which events cannot be put in order, both ends included, in order, apart.
    doubtful: Vec<(u64, u64)>,
    before: Rate,
    behind: Rate,
}

impl ClockConversion {
    /// From the clock snapshots of all processes that use the clock, in any order. Of those that are closer than 10 ms
    /// the one that was read fastest is taken.
    pub fn new(clock: Clock, snapshots: &[ClockSnapshotContent]) -> Self {
        let all = knots(snapshots);
        let mut discontinuities = discontinuities(clock, &all);
        let mut knots: Vec<Knot> = Vec::new();
        for knot in all {
            if knots.last().is_none_or(|last| last.ticks < knot.ticks) {
                knots.push(knot);
            }
        }
        if clock == Clock::TimeStampCounter && knots.len() < 2 {
            let at = knots.first().map_or(0, |knot| knot.monotonic);
            discontinuities.push(Discontinuity {
                kind: DiscontinuityKind::UnknownRate,
                from: at,
                to: at,
                ticks: (0, u64::MAX),
            });
        }
        let (before, behind) = end_rates(&knots, &discontinuities);
        Self {
            clock,
            // Nanoseconds are what they are, though the clock snapshots tell of sleep.
            doubtful: match clock {
                Clock::TimeStampCounter => joined(&discontinuities),
                Clock::Monotonic => Vec::new(),
            },
            knots,
            discontinuities,
            before,
            behind,
        }
    }

    /// Nanoseconds of `CLOCK_MONOTONIC` at a raw time, rounded down. Of two raw times the later one never
    /// has the smaller result.
    pub fn nanoseconds(&self, ticks: u64) -> u64 {
        if self.clock == Clock::Monotonic {
            return ticks;
        }
        match self.around(ticks) {
            (Some(from), Some(to)) => {
                let rate = Rate::between(from, to).unwrap_or(Rate::ONE);
                let more = rate.convert(ticks.saturating_sub(from.ticks));
                from.monotonic.saturating_add(more)
            }
            (Some(last), None) => {
                let more = self.behind.convert(ticks.saturating_sub(last.ticks));
                last.monotonic.saturating_add(more)
            }
            (None, Some(first)) => {
                let less = self.before.convert(first.ticks.saturating_sub(ticks));
                first.monotonic.saturating_sub(less)
            }
            (None, None) => ticks,
        }
    }

    /// Nanoseconds since 1970 at a raw time, as `CLOCK_REALTIME` then told; nothing without a clock snapshot.
    pub fn realtime(&self, ticks: u64) -> Option<u64> {
        match self.around(ticks) {
            (Some(from), Some(to)) => {
                let since = ticks.saturating_sub(from.ticks);
                let of = to.ticks.saturating_sub(from.ticks);
                let change = scale(since, to.realtime.abs_diff(from.realtime), of);
                Some(if to.realtime < from.realtime {
                    from.realtime.saturating_sub(change)
                } else {
                    from.realtime.saturating_add(change)
                })
            }
            (Some(end), None) | (None, Some(end)) => {
                // For ticks that are nanoseconds, the clock snapshot's reading of them is the middle of its bracket.
                let here = self.nanoseconds(ticks);
                let there = self.nanoseconds(end.ticks);
                Some(if here < there {
                    end.realtime.saturating_sub(there - here)
                } else {
                    end.realtime.saturating_add(here - there)
                })
            }
            (None, None) => None,
        }
    }

    /// How far [`ClockConversion::nanoseconds`] may be from the truth, as far as no discontinuity is near: half of what the
    /// reading of the clock snapshots around took; beyond the ends it grows with the distance.
    pub fn error(&self, ticks: u64) -> u64 {
        if self.clock == Clock::Monotonic {
            return 0;
        }
        let of = |knot: &Knot| self.behind.convert(knot.error).saturating_add(1);
        match self.around(ticks) {
            (Some(from), Some(to)) => of(from).max(of(to)),
            (Some(end), None) | (None, Some(end)) => {
                let ends = self.knots.first().zip(self.knots.last());
                let (first, last) = ends.unwrap_or((end, end));
                let both = of(first).saturating_add(of(last));
                let length = last.ticks.saturating_sub(first.ticks);
                let beyond = scale(ticks.abs_diff(end.ticks), both, length);
                of(end).saturating_add(beyond)
            }
            (None, None) => u64::MAX,
        }
    }

    /// A duration in ticks, in nanoseconds by the rate of the whole.
    pub fn duration(&self, ticks: u64) -> u64 {
        if self.clock == Clock::Monotonic {
            return ticks;
        }
        self.behind.convert(ticks)
    }

    /// So many nanoseconds in ticks, by the rate of the whole, rounded up.
    pub fn ticks(&self, nanoseconds: u64) -> u64 {
        if self.clock == Clock::Monotonic {
            return nanoseconds;
        }
        let Rate {
            nanoseconds: of,
            ticks,
        } = self.behind;
        scale(nanoseconds, ticks, of).saturating_add(1)
    }

    /// Whether an event of this raw time may have happened during a discontinuity, so that it cannot be put in order
    /// with events of other threads.
    pub fn is_doubtful(&self, ticks: u64) -> bool {
        let next = self.doubtful.partition_point(|(_, last)| *last < ticks);
        let range = self.doubtful.get(next);
        range.is_some_and(|(first, _)| *first <= ticks)
    }

    /// Where the clocks are not to be trusted, in order of the snapshots.
    pub fn discontinuities(&self) -> &[Discontinuity] {
        &self.discontinuities
    }

    /// The clock snapshots before (or at) and behind a raw time.
    fn around(&self, ticks: u64) -> (Option<&Knot>, Option<&Knot>) {
        let next = self.knots.partition_point(|knot| knot.ticks <= ticks);
        let before = next.checked_sub(1).and_then(|last| self.knots.get(last));
        (before, self.knots.get(next))
    }
}

/// The rates before the first and behind the last clock snapshot: of all clock snapshots up to a discontinuity, or of all if there
/// are not two.
fn end_rates(knots: &[Knot], discontinuities: &[Discontinuity]) -> (Rate, Rate) {
    let (Some(first), Some(last)) = (knots.first(), knots.last()) else {
        return (Rate::ONE, Rate::ONE);
    };
    let whole = Rate::between(first, last).unwrap_or(Rate::ONE);
    let mut steps = discontinuities
        .iter()
        .filter(|each| each.kind.is_unorderable());
    let first_break = steps.clone().map(|each| each.from).min();
    let last_break = steps.by_ref().map(|each| each.to).max();
    let before = first_break.and_then(|at| {
        let end = knots.iter().take_while(|knot| knot.monotonic <= at).last();
        Rate::between(first, end?)
    });
    let behind = last_break.and_then(|at| {
        let start = knots.iter().find(|knot| knot.monotonic >= at);
        Rate::between(start?, last)
    });
    (before.unwrap_or(whole), behind.unwrap_or(whole))
}

/// The ticks of discontinuities in which events cannot be put in order, joined where they meet.
fn joined(discontinuities: &[Discontinuity]) -> Vec<(u64, u64)> {
    let unorderable = discontinuities
        .iter()
        .filter(|each| each.kind.is_unorderable());
    let mut ranges: Vec<(u64, u64)> = unorderable.map(|each| each.ticks).collect();
    ranges.sort_unstable();
    let mut joined: Vec<(u64, u64)> = Vec::new();
    for (first, last) in ranges {
        match joined.last_mut() {
            Some((_, end)) if first <= *end => *end = last.max(*end),
            _ => joined.push((first, last)),
        }
    }
    joined
}
