//! Clock snapshots as the knots of a conversion, and where between them the clock broke.

use perflab_abi::{Clock, ClockSnapshotContent};

/// Clock snapshots that are closer count as one.
const SPACING: u64 = 10_000_000;

/// How far the rate between two clock snapshots may be from the usual one, as a share: as far as the kernel may slew
/// its clock.
const RATE_TOLERANCE: f64 = 500e-6;

/// A clock snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Knot {
    /// The process's clock in the middle of the reading.
    pub ticks: u64,
    /// Half of what the reading took, in ticks.
    pub error: u64,
    /// In nanoseconds, as the following.
    pub monotonic: u64,
    pub realtime: u64,
    pub boottime: u64,
}

impl Knot {
    fn of(snapshot: &ClockSnapshotContent) -> Option<Self> {
        let width = snapshot.after.checked_sub(snapshot.before)?;
        Some(Self {
            ticks: snapshot.before + width / 2,
            error: width.div_ceil(2),
            monotonic: snapshot.monotonic,
            realtime: snapshot.realtime,
            boottime: snapshot.boottime,
        })
    }
}

/// Where the clocks of a trace are not to be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Discontinuity {
    /// What happened.
    pub kind: DiscontinuityKind,
    /// The clock snapshot before, in nanoseconds of `CLOCK_MONOTONIC`.
    pub from: u64,
    /// The clock snapshot behind.
    pub to: u64,
    /// Events whose raw time is between these two, both included, may have happened then.
    pub ticks: (u64, u64),
}

/// What happened to a clock between two snapshots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiscontinuityKind {
    /// It stepped, or ran at another rate: by more than 500 ppm and what the reading of the clock snapshots explains.
    Step,
    /// The machine slept: `CLOCK_BOOTTIME` went on, `CLOCK_MONOTONIC` did not.
    Sleep,
    /// `CLOCK_REALTIME` was set. The order of events does not suffer.
    RealtimeStep,
    /// There are fewer than two snapshots, so nobody knows how long a tick is. It is taken for a nanosecond.
    UnknownRate,
}

impl DiscontinuityKind {
    /// Whether events of different threads cannot be put in order then.
    pub fn is_unorderable(self) -> bool {
        self != Self::RealtimeStep
    }
}

/// The snapshots in order of `CLOCK_MONOTONIC`, the best of those that are close together. Those that end before
/// they begin are left out.
pub fn knots(snapshots: &[ClockSnapshotContent]) -> Vec<Knot> {
    let mut all: Vec<Knot> = snapshots.iter().filter_map(Knot::of).collect();
    all.sort_by_key(|knot| (knot.monotonic, knot.ticks));
    let mut kept: Vec<Knot> = Vec::new();
    let mut group = 0;
    for knot in &all {
        match kept.last_mut() {
            Some(last) if knot.monotonic - group < SPACING => {
                if knot.error < last.error {
                    *last = *knot;
                }
            }
            _ => {
                group = knot.monotonic;
                kept.push(*knot);
            }
        }
    }
    // A trace that is shorter than the spacing has its two ends.
    match (all.first(), all.last(), kept.len()) {
        (Some(first), Some(last), 1) if first.ticks < last.ticks => vec![*first, *last],
        _ => kept,
    }
}

/// The discontinuities between knots.
pub fn discontinuities(clock: Clock, knots: &[Knot]) -> Vec<Discontinuity> {
    let slope = match clock {
        Clock::Monotonic => Some(1.0),
        Clock::TimeStampCounter => median_slope(knots),
    };
    let pairs = knots.windows(2).filter_map(|pair| match pair {
        [from, to] => Some((from, to)),
        _ => None,
    });
    pairs
        .flat_map(|(from, to)| {
            let found = found_between(clock, slope, from, to);
            found.into_iter().flatten().map(|kind| Discontinuity {
                kind,
                from: from.monotonic,
                to: to.monotonic,
                ticks: ticks_between(slope, from, to),
            })
        })
        .collect()
}

fn found_between(
    clock: Clock,
    slope: Option<f64>,
    from: &Knot,
    to: &Knot,
) -> [Option<DiscontinuityKind>; 3] {
    let ticks = difference(from.ticks, to.ticks);
    let time = difference(from.monotonic, to.monotonic);
    let unsure = (from.error as f64 + to.error as f64) * slope.unwrap_or(1.0);
    let tolerance = RATE_TOLERANCE * time + unsure;
    let stepped = match slope {
        _ if clock == Clock::Monotonic => false,
        Some(slope) => ticks <= 0.0 || (ticks * slope - time).abs() > tolerance,
        None => true,
    };
    // These two clocks are read at different times within the same bracket: twice as unsure, and a
    // microsecond where the bracket itself has no width.
    let unsure = 2.0 * unsure + 1000.0;
    let slept = difference(from.boottime, to.boottime) - time > unsure;
    let set =
        (difference(from.realtime, to.realtime) - time).abs() > RATE_TOLERANCE * time + unsure;
    [
        stepped.then_some(DiscontinuityKind::Step),
        slept.then_some(DiscontinuityKind::Sleep),
        set.then_some(DiscontinuityKind::RealtimeStep),
    ]
}

/// Which ticks the clock may have shown between two clock snapshots if it stepped once: those it would have come to
/// from the first on, and those it would have come from to the second.
fn ticks_between(slope: Option<f64>, from: &Knot, to: &Knot) -> (u64, u64) {
    let time = difference(from.monotonic, to.monotonic);
    // A cast of a number that is too large or none gives the nearest.
    let ticks = slope.map_or(u64::MAX, |slope| {
        (time / slope * (1.0 + RATE_TOLERANCE)).ceil() as u64
    });
    let first = from.ticks.min(to.ticks.saturating_sub(ticks));
    let last = to.ticks.max(from.ticks.saturating_add(ticks));
    (
        first.saturating_sub(from.error),
        last.saturating_add(to.error),
    )
}

/// Nanoseconds of a tick: half of the time had a slower clock, half a faster one.
fn median_slope(knots: &[Knot]) -> Option<f64> {
    let mut slopes: Vec<(f64, f64)> = Vec::new();
    for pair in knots.windows(2) {
        if let [from, to] = pair {
            let ticks = difference(from.ticks, to.ticks);
            let time = difference(from.monotonic, to.monotonic);
            if ticks > 0.0 && time > 0.0 {
                slopes.push((time / ticks, time));
            }
        }
    }
    slopes.sort_by(|left, right| left.0.total_cmp(&right.0));
    let half = slopes.iter().map(|(_, time)| time).sum::<f64>() / 2.0;
    let mut sum = 0.0;
    for (slope, time) in &slopes {
        sum += time;
        if sum >= half {
            return Some(*slope);
        }
    }
    None
}

/// From one to the other, in floating point: what is compared with it is thousands of times coarser.
fn difference(from: u64, to: u64) -> f64 {
    (i128::from(to) - i128::from(from)) as f64
}
