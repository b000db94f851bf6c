//! The access clock of an entry: when, or how often, it was read. Only eviction looks at it.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::random::Random;

/// Milliseconds of one step of the clock for recency.
const STEP: u64 = 100;
/// The count of a new entry, so that it is not the first to be evicted.
const FRESH: u32 = 5;
/// How much slower a count grows the larger it is (`lfu-log-factor`).
const FACTOR: u32 = 10;
/// Milliseconds after which a count that was not raised falls by 1 (`lfu-decay-time`).
const DECAY: u64 = 60_000;

/// What access clocks keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clock {
    /// The time of the last access, in steps of 100 ms, modulo 2^32 (13.6 years).
    Recent,
    /// Bits 0 to 7: the logarithmic count. Bits 8 to 31: minutes of the last access, modulo 2^24.
    Frequent,
}

/// The clock of an entry that is new at this time.
pub(crate) fn fresh(clock: Clock, now: u64) -> u32 {
    match clock {
        Clock::Recent => (now / STEP) as u32,
        Clock::Frequent => (minutes(now) << 8) | FRESH,
    }
}

/// Marks an access. Most accesses write nothing: the clock has not moved, or the count is large.
#[inline]
pub(crate) fn mark(access: &AtomicU32, clock: Clock, now: u64, random: impl FnOnce() -> u64) {
    let before = access.load(Ordering::Relaxed);
    let after = match clock {
        Clock::Recent => (now / STEP) as u32,
        Clock::Frequent => raised(before, now, random()),
    };
    if after != before {
        // Another thread may store meanwhile: one access of many is lost.
        access.store(after, Ordering::Relaxed);
    }
}

/// Milliseconds since the last access.
pub(crate) fn idle(access: u32, now: u64) -> u64 {
    // A thread with a later reading of the clock may have stored it: then the difference is below 0.
    let steps = ((now / STEP) as u32).wrapping_sub(access).cast_signed();
    u64::from(steps.max(0).unsigned_abs()) * STEP
}

/// The count of accesses, logarithmic and decayed: 0 to 255.
pub(crate) fn count(access: u32, now: u64) -> u8 {
    let elapsed = minutes(now).wrapping_sub(access >> 8) & 0x00ff_ffff;
    // More than half of the range is a time that is yet to come.
    let elapsed = if elapsed > 0x007f_ffff { 0 } else { elapsed };
    (access & 0xff).saturating_sub(elapsed) as u8
}

fn raised(access: u32, now: u64, random: u64) -> u32 {
    let count = u32::from(count(access, now));
    let chance = 1 + count.saturating_sub(FRESH) * FACTOR;
    let hit = count < 255 && Random::seeded(random).below(chance as usize) == 0;
    (minutes(now) << 8) | (count + u32::from(hit))
}

fn minutes(now: u64) -> u32 {
    (now / DECAY) as u32 & 0x00ff_ffff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_time_is_counted_from_the_last_mark() {
        let access = AtomicU32::new(fresh(Clock::Recent, 5_000));
        assert_eq!(idle(access.load(Ordering::Relaxed), 7_000), 2_000);
        mark(&access, Clock::Recent, 6_500, || 0);
        assert_eq!(idle(access.load(Ordering::Relaxed), 7_000), 500);
        assert_eq!(
            idle(access.load(Ordering::Relaxed), 6_000),
            0,
            "marked later"
        );
    }

    #[test]
    fn counts_grow_slowly_and_decay() {
        let access = AtomicU32::new(fresh(Clock::Frequent, 0));
        let mut random = Random::seeded(3);
        for _ in 0..1_000 {
            mark(&access, Clock::Frequent, 0, || random.number());
        }
        let raised = count(access.load(Ordering::Relaxed), 0);
        assert!((10..40).contains(&raised), "{raised}");
        let later = count(access.load(Ordering::Relaxed), 3 * DECAY);
        assert_eq!(later, raised - 3);
    }
}
