//! The clocks of processes, read here.
#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "the processor's counter has no safe wrapper")
)]

use perflab_abi::{Clock, ClockSnapshotContent};
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// What a clock shows now; nothing if this machine has none of that kind.
pub fn now(clock: Clock) -> Option<u64> {
    match clock {
        Clock::TimeStampCounter => counter(),
        Clock::Monotonic => nanoseconds(ClockId::Monotonic),
    }
}

/// How often the clocks are read for a clock snapshot.
const READINGS: usize = 10;

/// A process's clock and those of the system, read together: some times, of which the one that took least counts, as
/// the thread may be interrupted in others.
pub fn snapshot(clock: Clock, process: u32) -> Option<ClockSnapshotContent> {
    let once = || {
        let before = now(clock)?;
        let monotonic = nanoseconds(ClockId::Monotonic)?;
        let after = now(clock)?;
        // Not within the bracket: they are for people, and for the machine's sleep.
        let realtime = nanoseconds(ClockId::Realtime)?;
        let boottime = nanoseconds(ClockId::Boottime)?;
        let took = now(clock)?.wrapping_sub(before);
        let snapshot = ClockSnapshotContent {
            process,
            before,
            monotonic,
            realtime,
            boottime,
            after,
        };
        Some((took, snapshot))
    };
    let readings = (0..READINGS).map_while(|_| once());
    readings
        .min_by_key(|(took, _)| *took)
        .map(|(_, snapshot)| snapshot)
}

fn nanoseconds(clock: ClockId) -> Option<u64> {
    let time = clock_gettime(clock);
    let seconds = u64::try_from(time.tv_sec).ok()?;
    let rest = u64::try_from(time.tv_nsec).ok()?;
    seconds.checked_mul(1_000_000_000)?.checked_add(rest)
}

#[cfg(target_arch = "x86_64")]
fn counter() -> Option<u64> {
    // SAFETY: every processor of this architecture has the instruction, and Linux lets programs use it.
    Some(unsafe { core::arch::x86_64::_rdtsc() })
}

#[cfg(not(target_arch = "x86_64"))]
fn counter() -> Option<u64> {
    None
}

/// Units of a clock in a time, by clocks that were read together twice; nothing if they were read too close to each
/// other to tell, or contradict each other.
pub fn units(
    first: &ClockSnapshotContent,
    last: &ClockSnapshotContent,
    time: Duration,
) -> Option<u64> {
    let nanoseconds = last.monotonic.checked_sub(first.monotonic)?;
    let units = last.before.checked_sub(first.before)?;
    if nanoseconds == 0 || units == 0 {
        return None;
    }
    let units = time.as_nanos().checked_mul(u128::from(units))? / u128::from(nanoseconds);
    u64::try_from(units).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_goes_on() {
        for clock in [Clock::Monotonic, Clock::TimeStampCounter] {
            let Some(before) = now(clock) else {
                continue;
            };
            std::thread::sleep(Duration::from_millis(2));
            assert!(now(clock).unwrap() > before);
        }
    }

    #[test]
    fn a_clock_of_three_units_in_a_nanosecond() {
        let at = |before, monotonic| ClockSnapshotContent {
            process: 0,
            before,
            after: before,
            monotonic,
            realtime: 0,
            boottime: 0,
        };
        let second = Duration::from_secs(1);
        let (first, last) = (at(100, 50), at(3100, 1050));
        assert_eq!(units(&first, &last, second), Some(3_000_000_000));
        assert_eq!(units(&last, &first, second), None);
        assert_eq!(units(&first, &first, second), None);
        assert_eq!(units(&first, &last, Duration::MAX), None);
    }
}
