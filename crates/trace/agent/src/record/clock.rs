//! The clock of events, and how it stands to others.
#![expect(unsafe_code, reason = "clocks have no safe wrapper")]

use std::sync::atomic::{AtomicU64, Ordering};

use perflab_abi::Clock as Kind;
use perflab_abi::variable::CLOCK;

use super::ready;

/// Something that tells the time of an event.
pub trait Clock {
    /// Whether it is true only as long as one thread alone records. Then [`OrderedCounter`] takes its place.
    const IS_FOR_ONE: bool = false;

    /// The same for an event with which its thread may begin to record.
    type First: Clock;

    /// The time, in units of its own.
    fn now() -> u64;

    /// Stores the time in the second of two words.
    #[inline(always)]
    fn stamp(words: &[AtomicU64; 2]) {
        words[1].store(Self::now(), Ordering::Relaxed);
    }
}

/// What producers say when they are ready for the events of a clock.
///
/// No method of the trait: the compiler takes what those use for a part of the crate's interface, and statics of that
/// for ones whose address has to be looked up, in each event.
#[inline(always)]
pub fn ready<C: Clock>() -> u64 {
    if C::IS_FOR_ONE {
        ready::alone()
    } else {
        ready::any()
    }
}

/// The processor's counter, read without waiting for what comes before: that would cost more than the event.
///
/// Where several threads record, the order of their events would not be true. So no producer is ready for it then.
#[derive(Debug)]
pub struct TimeStampCounter;

impl Clock for TimeStampCounter {
    const IS_FOR_ONE: bool = true;
    type First = FirstCounter;

    #[inline(always)]
    fn now() -> u64 {
        // SAFETY: every processor that this is built for has it; where a process may not use it, see
        // `choose`.
        unsafe { core::arch::x86_64::_rdtsc() }
    }

    #[inline(always)]
    fn stamp(words: &[AtomicU64; 2]) {
        store(words);
    }
}

/// Stores the counter in the second word: in two halves, as it is read, since to join them takes longer. Who reads the
/// word waits for the record's header.
#[inline(always)]
fn store(words: &[AtomicU64; 2]) {
    // SAFETY: it stores the second word, which atomics allow at any time.
    unsafe {
        core::arch::asm!(
            "rdtsc",
            "mov dword ptr [{words} + 8], eax",
            "mov dword ptr [{words} + 12], edx",
            words = in(reg) words.as_ptr(),
            out("eax") _,
            out("edx") _,
            options(nostack, preserves_flags),
        );
    }
}

/// The processor's counter, read when all that comes before is done.
#[derive(Debug)]
pub struct OrderedCounter;

/// The processor's counter, read when all that comes before is done if several threads record by now.
#[derive(Debug)]
pub struct FirstCounter;

impl Clock for FirstCounter {
    type First = Self;

    fn now() -> u64 {
        OrderedCounter::now()
    }

    // No part of the crate's interface: see `ready`.
    #[inline(never)]
    fn stamp(words: &[AtomicU64; 2]) {
        if ready::alone() == ready::SEVERAL {
            OrderedCounter::stamp(words);
        } else {
            store(words);
        }
    }
}

impl Clock for OrderedCounter {
    type First = Self;

    #[inline(always)]
    fn now() -> u64 {
        // SAFETY: every x86-64 processor has this instruction.
        unsafe { core::arch::x86_64::_mm_lfence() };
        TimeStampCounter::now()
    }

    #[inline(always)]
    fn stamp(words: &[AtomicU64; 2]) {
        // SAFETY: as above.
        unsafe { core::arch::x86_64::_mm_lfence() };
        store(words);
    }
}

/// `CLOCK_MONOTONIC`, in nanoseconds; no system call, where the kernel lets processes read its clock.
#[derive(Debug)]
pub struct Monotonic;

impl Clock for Monotonic {
    type First = Self;

    #[inline(always)]
    fn now() -> u64 {
        read(libc::CLOCK_MONOTONIC)
    }
}

/// Nanoseconds of a clock of the kernel.
pub fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: it writes the time; these clocks are always there.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Clocks that were read together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// The events' clock, before the others.
    pub before: u64,
    /// And after them.
    pub after: u64,
    /// `CLOCK_MONOTONIC`, in nanoseconds.
    pub monotonic: u64,
    /// `CLOCK_REALTIME`, in nanoseconds since 1970.
    pub realtime: u64,
    /// `CLOCK_BOOTTIME`, in nanoseconds.
    pub boottime: u64,
}

/// Reads the clocks, some times, and returns the reading that took least.
pub fn reading(kind: Kind) -> Reading {
    let now = match kind {
        Kind::TimeStampCounter => TimeStampCounter::now,
        Kind::Monotonic => Monotonic::now,
    };
    // And how long it took: an interruption may come between any two of the clocks.
    let once = || {
        let before = now();
        let monotonic = read(libc::CLOCK_MONOTONIC);
        let after = now();
        // Not within the bracket: they are for people, and for the machine's sleep.
        let realtime = read(libc::CLOCK_REALTIME);
        let boottime = read(libc::CLOCK_BOOTTIME);
        let reading = Reading {
            before,
            after,
            monotonic,
            realtime,
            boottime,
        };
        (now().wrapping_sub(before), reading)
    };
    let mut best = once();
    for _ in 0..9 {
        let next = once();
        if next.0 < best.0 {
            best = next;
        }
    }
    best.1
}

/// How long before its event the counter may have been read if it waits for nothing, in nanoseconds. A processor reads
/// it ahead of a locked instruction that comes before and waits for another processor's cache line. docs/recording.md
/// has what was measured.
const AHEAD: u64 = 1000;

/// A clock for events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// Which.
    pub kind: Kind,
    /// How far the clocks of two processors may be apart, in its units.
    pub skew: u64,
    /// How long before its event it may have been read, in nanoseconds; 0 if all that comes before is waited for.
    pub ahead: u64,
    /// Whether all that comes before is waited for from when on several threads record.
    pub waits: bool,
}

/// Which clock is right here.
///
/// The counter is taken if the kernel keeps its own time by it, which it does only as long as all processors
/// agree, and if a look at each processor finds no more than what the look itself takes.
pub fn choose() -> Choice {
    let wanted = std::env::var_os(CLOCK).unwrap_or_default();
    // The kernel waits before it reads the counter for it.
    let monotonic = Choice {
        kind: Kind::Monotonic,
        skew: 0,
        ahead: 0,
        waits: false,
    };
    if wanted == "monotonic" {
        return monotonic;
    }
    let source =
        std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    // Processes may be forbidden to read the counter.
    let mut may_read: libc::c_int = 0;
    // SAFETY: it writes one number.
    let asked = unsafe { libc::prctl(libc::PR_GET_TSC, &raw mut may_read) };
    let is_sound = source.is_ok_and(|source| source.trim() == "tsc")
        && asked == 0
        && may_read == libc::PR_TSC_ENABLE;
    let skew = is_sound.then(skew).flatten();
    skew.map_or(monotonic, |skew| Choice {
        kind: Kind::TimeStampCounter,
        skew,
        ahead: if wanted == "ordered" { 0 } else { AHEAD },
        waits: wanted.is_empty(),
    })
}

/// How far the counters of processors may be apart; nothing if they are for sure.
///
/// On each processor the counter is read around the kernel's clock, in brackets. Had two processors
/// different counters, no offset would lie in the brackets of both.
fn skew() -> Option<u64> {
    let rate = rate()?;
    let origin = reading(Kind::TimeStampCounter);
    let mut lowest = i128::MIN;
    let mut highest = i128::MAX;
    let mut widest = 0;
    let visited = crate::processors::on_each_processor(|| {
        let reading = reading(Kind::TimeStampCounter);
        let passed = reading.monotonic.wrapping_sub(origin.monotonic) as f64 * rate;
        let expected = i128::from(origin.before) + passed as i128;
        lowest = lowest.max(i128::from(reading.before) - expected);
        highest = highest.min(i128::from(reading.after) - expected);
        widest = widest.max(reading.after.wrapping_sub(reading.before));
    });
    // Where processors cannot be visited, the kernel's word has to do, which is good to some microseconds.
    if visited.is_err() {
        return Some((rate * 2000.0) as u64);
    }
    // The rate is known to some parts in a million, and this takes less than a second.
    let apart = u64::try_from((lowest - highest).max(0)).unwrap_or(u64::MAX);
    let slack = widest.saturating_mul(4).saturating_add(4000);
    (apart <= slack).then_some(apart + widest)
}

/// Ticks of the counter per nanosecond, roughly.
fn rate() -> Option<f64> {
    let start = reading(Kind::TimeStampCounter);
    std::thread::sleep(std::time::Duration::from_millis(20));
    let end = reading(Kind::TimeStampCounter);
    let ticks = end.before.checked_sub(start.before)?;
    let nanoseconds = end.monotonic.checked_sub(start.monotonic)?;
    (ticks > 0 && nanoseconds > 0).then(|| ticks as f64 / nanoseconds as f64)
}
