//! Times converted by snapshots, against clocks whose truth is known.

use perflab_abi::{Clock, ClockSnapshotContent};
use perflab_trace_file::{ClockConversion, DiscontinuityKind};
use proptest::prelude::*;

use crate::made::numbers;

const SECOND: u64 = 1_000_000_000;

/// A reading at a true time, in nanoseconds since the machine started, of a counter and clocks that tell it.
fn snapshot(
    time: u64,
    ticks_at: impl Fn(u64) -> u64,
    width: u64,
    where_in: u64,
) -> ClockSnapshotContent {
    ClockSnapshotContent {
        process: 1,
        before: ticks_at(time - where_in),
        after: ticks_at(time - where_in + width),
        monotonic: time,
        realtime: time + 1_700_000_000 * SECOND,
        boottime: time,
    }
}

/// A counter of 2.445 GHz that drifts by up to 50 ppm, to and fro with a period of an hour.
fn drifting(time: u64) -> u64 {
    let seconds = time as f64 / 1e9;
    let period = 3600.0 / std::f64::consts::TAU;
    let drift = 50e-6 * period * (1.0 - (seconds / period).cos());
    (time as f64 * 2.445 + drift * 2.445e9) as u64
}

#[test]
fn an_hour_within_a_microsecond() {
    let mut number = numbers(7);
    let snapshots: Vec<_> = (1..=3600)
        .map(|second| {
            let width = 1 + number(2000);
            snapshot(second * SECOND, drifting, width, number(width))
        })
        .collect();
    let conversion = ClockConversion::new(Clock::TimeStampCounter, &snapshots);
    assert_eq!(conversion.discontinuities(), []);
    let mut worst = 0;
    for _ in 0..200_000 {
        let time = SECOND / 2 + number(3_600_000) * (SECOND / 1000) + number(1_000_000);
        let ticks = drifting(time);
        let error = conversion.nanoseconds(ticks).abs_diff(time);
        let realtime = conversion.realtime(ticks).unwrap() - 1_700_000_000 * SECOND;
        assert!(realtime.abs_diff(time) <= 1001);
        if time >= SECOND {
            // 64 ns are the curve of the drift and the 53 bits of its simulation.
            assert!(error <= conversion.error(ticks) + 64, "{error}");
        }
        assert!(!conversion.is_doubtful(ticks));
        worst = worst.max(error);
    }
    assert!((100..=1000).contains(&worst), "{worst} ns");
}

#[test]
fn a_step_is_found_and_its_ticks_are_doubtful() {
    // A counter of 1 GHz, set by so much at 10.5 s.
    for step in [
        -20 * SECOND as i64,
        -300_000_000,
        -5_000_000,
        5_000_000,
        300_000_000,
        20 * SECOND as i64,
    ] {
        let ticks_at = |time: u64| {
            let step = if time < 10 * SECOND + SECOND / 2 {
                0
            } else {
                step
            };
            (time + 100 * SECOND).wrapping_add_signed(step)
        };
        let snapshots: Vec<_> = (1..=60)
            .map(|second| snapshot(second * SECOND, ticks_at, 100, 50))
            .collect();
        let conversion = ClockConversion::new(Clock::TimeStampCounter, &snapshots);
        let found = conversion.discontinuities();
        assert_eq!(found.len(), 1, "{step}: {found:?}");
        assert_eq!(
            (found[0].kind, found[0].from, found[0].to),
            (DiscontinuityKind::Step, 10 * SECOND, 11 * SECOND)
        );
        for hundredth in 1001..1100 {
            assert!(
                conversion.is_doubtful(ticks_at(hundredth * SECOND / 100)),
                "{step} {hundredth}"
            );
        }
        // Elsewhere the time is right, unless the counter showed the same twice.
        for hundredth in (10..990).chain(3300..7000) {
            let time = hundredth * SECOND / 100;
            let ticks = ticks_at(time);
            let error = conversion.nanoseconds(ticks).abs_diff(time);
            assert!(
                conversion.is_doubtful(ticks) || error <= 51,
                "{step} {hundredth}: {error}"
            );
        }
    }
}

#[test]
fn a_small_step_is_within_what_the_snapshots_explain() {
    let ticks_at = |time: u64| time + if time > 10 * SECOND { 1500 } else { 0 };
    let snapshots: Vec<_> = (1..=60)
        .map(|second| snapshot(second * SECOND, ticks_at, 2000, 1000))
        .collect();
    assert_eq!(
        ClockConversion::new(Clock::TimeStampCounter, &snapshots).discontinuities(),
        []
    );
}

#[test]
fn sleep_and_a_set_clock() {
    let mut snapshots: Vec<_> = (1..=20)
        .map(|second| snapshot(second * SECOND, |time| time, 100, 50))
        .collect();
    for late in &mut snapshots[10..] {
        late.boottime += SECOND;
    }
    for late in &mut snapshots[15..] {
        late.realtime -= 60 * SECOND;
    }
    let conversion = ClockConversion::new(Clock::TimeStampCounter, &snapshots);
    let found: Vec<_> = conversion
        .discontinuities()
        .iter()
        .map(|each| (each.kind, each.from / SECOND))
        .collect();
    assert_eq!(
        found,
        [
            (DiscontinuityKind::Sleep, 10),
            (DiscontinuityKind::RealtimeStep, 15)
        ]
    );
    assert!(conversion.is_doubtful(10 * SECOND + 5));
    assert!(!conversion.is_doubtful(15 * SECOND + 5));
}

#[test]
fn without_snapshots() {
    let conversion = ClockConversion::new(Clock::TimeStampCounter, &[]);
    assert_eq!(
        conversion.discontinuities()[0].kind,
        DiscontinuityKind::UnknownRate
    );
    assert!(conversion.is_doubtful(5));
    assert_eq!(
        (conversion.nanoseconds(5), conversion.realtime(5)),
        (5, None)
    );
    let one = [snapshot(100, |time| time * 3, 2, 1)];
    let conversion = ClockConversion::new(Clock::TimeStampCounter, &one);
    assert_eq!(
        (conversion.nanoseconds(305), conversion.nanoseconds(290)),
        (105, 90)
    );
    assert!(conversion.is_doubtful(300));
    // Nanoseconds need none.
    let conversion = ClockConversion::new(Clock::Monotonic, &[]);
    assert_eq!(
        (
            conversion.nanoseconds(5),
            conversion.discontinuities(),
            conversion.is_doubtful(5)
        ),
        (5, &[][..], false)
    );
}

fn any_snapshot() -> impl Strategy<Value = ClockSnapshotContent> {
    let near = (any::<u16>(), any::<u8>(), any::<u16>()).prop_map(|(ticks, width, time)| {
        ClockSnapshotContent {
            process: 1,
            before: u64::from(ticks) * 1_000_000,
            after: u64::from(ticks) * 1_000_000 + u64::from(width),
            monotonic: u64::from(time) * 1_000_000,
            realtime: u64::from(time),
            boottime: u64::from(time),
        }
    });
    let far = any::<[u64; 5]>().prop_map(|[before, after, monotonic, realtime, boottime]| {
        ClockSnapshotContent {
            process: 1,
            before,
            after,
            monotonic,
            realtime,
            boottime,
        }
    });
    prop_oneof![4 => near, 1 => far]
}

proptest! {
    #[test]
    fn later_is_never_converted_to_earlier(
        snapshots in prop::collection::vec(any_snapshot(), 0..12),
        times in prop::collection::vec(prop_oneof![any::<u64>(), 0u64..1 << 37], 2..40),
    ) {
        let conversion = ClockConversion::new(Clock::TimeStampCounter, &snapshots);
        let mut times = times;
        times.extend(snapshots.iter().flat_map(|snapshot| [snapshot.before, snapshot.after, snapshot.before.saturating_add(1)]));
        times.sort_unstable();
        let converted: Vec<_> = times.iter().map(|time| conversion.nanoseconds(*time)).collect();
        prop_assert!(converted.is_sorted());
        for time in times {
            let _ = (conversion.error(time), conversion.realtime(time), conversion.is_doubtful(time), conversion.duration(time));
        }
    }
}
