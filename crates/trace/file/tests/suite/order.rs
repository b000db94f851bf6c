//! Events of threads whose clocks are apart, drift and step: in true order, or marked.

use perflab_abi::{Clock, OrderContent, ProbeContent, ProcessContent};
use perflab_trace_file::event::Value;
use perflab_trace_file::{EventBatch, EventSelection, Order, Trace, TraceWriter};

use crate::made::{layout, numbers, process, snapshot};

const MS: u64 = 1_000_000;
const TRUTH: &str = "p\nn\nf\n1\nu64 truth";

/// What a process's clock shows at a true time, in nanoseconds; a thread's may be apart from it.
struct World {
    ticks: fn(u64) -> u64,
    clock: Clock,
    /// How many nanoseconds the clock is read before an event, as the trace says, and at most.
    ahead: Option<u64>,
    early: u64,
    /// The true time from which on it is not, as the trace says; threads learn of it up to `ahead` later.
    ordered: Option<u64>,
}

/// Threads of each world record their truth now and then, for a minute; their events are written in chunks of
/// some seconds. `apart` is how far a thread's clock is behind or ahead at most.
fn record(worlds: &[World], skew: u64, apart: u64, seed: u64) -> Trace {
    let mut number = numbers(seed);
    let mut to = TraceWriter::new(Vec::new());
    let layout = layout(TRUTH);
    for (world, index) in worlds.iter().zip(1..) {
        let ahead = world.ahead;
        to.process(&ProcessContent {
            ahead,
            ..process(index, world.clock, skew)
        })
        .unwrap();
        to.probe(&ProbeContent {
            process: index,
            probe: 1,
            object: "",
            description: TRUTH,
            ahead: None,
        })
        .unwrap();
        if let Some(since) = world.ordered {
            to.order(&OrderContent {
                process: index,
                since: (world.ticks)(since),
            })
            .unwrap();
        }
        for second in 0..=60 {
            let time = (1 + second) * 1000 * MS;
            to.clock_snapshot(&snapshot(index, (world.ticks)(time) - 10, time))
                .unwrap();
        }
    }
    let mut batches = Vec::new();
    for (world, process) in worlds.iter().zip(1..) {
        for thread in 1..=3 {
            let offset = number(apart + 1);
            batches.push((EventBatch::new(process, thread), world, offset, 1000 * MS));
        }
    }
    for until in 2..=60 {
        for (batch, world, offset, time) in &mut batches {
            while *time < until * 1000 * MS {
                let from = world.ordered.map_or(u64::MAX, |since| since + world.early);
                let early = if world.early > 0 && *time < from {
                    number(world.early + 1)
                } else {
                    0
                };
                let read = *time - early;
                let ticks = (world.ticks)(read) + *offset;
                batch.push(1, false, ticks, &layout, &[*time]).unwrap();
                *time += if number(2) == 0 {
                    number(2000)
                } else {
                    number(20 * MS)
                };
            }
            if number(3) == 0 || until == 60 {
                to.events(batch).unwrap();
            }
        }
    }
    Trace::from_bytes(to.finish().unwrap()).unwrap()
}

/// Counts events by their order, and finds none in a false place that says it is sure.
fn judge(trace: &Trace, memory: usize) -> [u64; 4] {
    let selection = EventSelection {
        memory,
        ..EventSelection::default()
    };
    let mut latest: Vec<((u32, u32), u64)> = Vec::new();
    let mut counts = [0; 4];
    for event in trace.events(&selection) {
        let Some(Value::Unsigned(truth)) = event.values().next() else {
            panic!("{event:?}");
        };
        let key = (event.process.number, event.thread.number);
        let others = latest.iter().filter(|(thread, _)| *thread != key);
        let is_false = others.clone().any(|(_, time)| *time > truth);
        assert!(!is_false || event.order != Order::Sure, "{event:?}");
        match latest.iter_mut().find(|(thread, _)| *thread == key) {
            Some((_, time)) => {
                assert!(*time <= truth, "the order of a thread has changed");
                *time = truth;
            }
            None => latest.push((key, truth)),
        }
        counts[event.order as usize] += 1;
    }
    assert_eq!(counts.iter().sum::<u64>(), trace.totals().events);
    counts
}

/// 2.5 GHz, 50 ppm too fast.
fn steady(time: u64) -> u64 {
    time * 2 + time / 2 + time / 20_000 + 77_000_000_000
}

#[test]
fn offset_and_drift() {
    for seed in 0..3 {
        let world = [World {
            ticks: steady,
            clock: Clock::TimeStampCounter,
            ahead: Some(0),
            early: 0,
            ordered: None,
        }];
        let trace = record(&world, 500, 500, seed);
        assert_eq!(trace.discontinuities().count(), 0);
        let [sure, close, doubtful, late] = judge(&trace, 64 * 1024 * 1024);
        assert!(
            sure > 10_000 && close > 0 && close < sure / 10,
            "{sure} {close}"
        );
        assert_eq!((doubtful, late), (0, 0));
        // Too little memory to wait: what comes too late says so.
        let [_, _, _, late] = judge(&trace, 0);
        assert!(late > 0);
    }
}

/// Without what the agent says about the clocks, the same would be wrong: the test can tell.
#[test]
#[should_panic(expected = "Sure")]
fn offset_that_nobody_admits() {
    let world = [World {
        ticks: steady,
        clock: Clock::TimeStampCounter,
        ahead: Some(0),
        early: 0,
        ordered: None,
    }];
    judge(&record(&world, 0, 100_000, 1), 64 * 1024 * 1024);
}

#[test]
fn steps() {
    let forward: fn(u64) -> u64 =
        |time| steady(time) + if time > 30_400 * MS { 700 * MS } else { 0 };
    let little: fn(u64) -> u64 = |time| steady(time) - if time > 30_400 * MS { 20 * MS } else { 0 };
    let back: fn(u64) -> u64 =
        |time| steady(time) - if time > 30_400 * MS { 20_000 * MS } else { 0 };
    for (ticks, most) in [(forward, 800), (little, 800), (back, 26_000)] {
        let world = [World {
            ticks,
            clock: Clock::TimeStampCounter,
            ahead: Some(0),
            early: 0,
            ordered: None,
        }];
        let trace = record(&world, 500, 500, 3);
        assert_eq!(trace.discontinuities().count(), 1);
        let [sure, _, doubtful, _] = judge(&trace, 64 * 1024 * 1024);
        assert!(sure > 8_000, "{sure} {doubtful}");
        assert!((500..most).contains(&doubtful), "{doubtful}");
    }
}

#[test]
fn two_processes_and_two_clocks() {
    let nanoseconds: fn(u64) -> u64 = |time| time;
    let worlds = [
        World {
            ticks: steady,
            clock: Clock::TimeStampCounter,
            ahead: Some(0),
            early: 0,
            ordered: None,
        },
        World {
            ticks: steady,
            clock: Clock::TimeStampCounter,
            ahead: Some(0),
            early: 0,
            ordered: None,
        },
        World {
            ticks: nanoseconds,
            clock: Clock::Monotonic,
            ahead: Some(0),
            early: 0,
            ordered: None,
        },
    ];
    let trace = record(&worlds, 200, 200, 5);
    let [sure, close, doubtful, late] = judge(&trace, 64 * 1024 * 1024);
    assert!(sure > 30_000 && close < sure / 10, "{sure} {close}");
    assert_eq!((doubtful, late), (0, 0));
}

/// A processor reads its counter before what comes before the event is done.
fn read_ahead(ahead: Option<u64>, early: u64) -> [u64; 4] {
    let world = [World {
        ticks: steady,
        clock: Clock::TimeStampCounter,
        ahead,
        early,
        ordered: None,
    }];
    judge(&record(&world, 0, 0, 2), 64 * 1024 * 1024)
}

#[test]
fn a_clock_that_is_read_ahead() {
    for (ahead, early) in [(Some(100_000), 100_000), (None, 1000)] {
        let [sure, close, doubtful, late] = read_ahead(ahead, early);
        assert!(
            sure > 10_000 && close > 0 && close < sure / 10,
            "{sure} {close}"
        );
        assert_eq!((doubtful, late), (0, 0));
    }
}

/// Of the process's probes one is not read ahead.
#[test]
fn a_probe_that_is_not_read_ahead() {
    let mut to = TraceWriter::new(Vec::new());
    to.process(&ProcessContent {
        ahead: Some(1000),
        ..process(1, Clock::TimeStampCounter, 0)
    })
    .unwrap();
    for (probe, ahead) in [(1, None), (2, Some(0))] {
        to.probe(&ProbeContent {
            process: 1,
            probe,
            object: "",
            description: TRUTH,
            ahead,
        })
        .unwrap();
    }
    for second in 0..=60 {
        let time = (1 + second) * 1000 * MS;
        to.clock_snapshot(&snapshot(1, steady(time) - 10, time))
            .unwrap();
    }
    // Events of two threads, the second half a microsecond behind the first.
    let mut batches = [1, 2].map(|thread| EventBatch::new(1, thread));
    for (pair, probes) in (1..).zip([[1, 1], [1, 2], [2, 1], [2, 2]]) {
        for ((batch, probe), late) in batches.iter_mut().zip(probes).zip([0, 500]) {
            let ticks = steady(2000 * MS + pair * MS + late);
            batch
                .push(probe, false, ticks, &layout(TRUTH), &[pair])
                .unwrap();
        }
    }
    // An event that asks for order comes after all of its thread, and before what is sure to come after it.
    for (thread, probe, late) in [(0, 1, 0), (0, 2, 100), (1, 2, 500)] {
        let ticks = steady(2000 * MS + 5 * MS + late);
        let batch: &mut EventBatch = &mut batches[thread];
        batch
            .push(probe, false, ticks, &layout(TRUTH), &[5])
            .unwrap();
    }
    for batch in &mut batches {
        to.events(batch).unwrap();
    }
    let trace = Trace::from_bytes(to.finish().unwrap()).unwrap();
    let orders: Vec<Order> = trace
        .events(&EventSelection::default())
        .map(|event| event.order)
        .collect();
    let [sure, close] = [Order::Sure, Order::Close];
    let pairs = [sure, close, sure, close, sure, sure, sure, sure];
    assert_eq!(orders, [&pairs[..], &[sure, sure, sure]].concat());
}

#[test]
#[should_panic(expected = "Sure")]
fn a_clock_that_is_read_ahead_and_does_not_say_so() {
    read_ahead(Some(0), 100_000);
}

#[test]
fn from_when_on_a_process_waits_its_order_is_sure() {
    let world = |ordered| World {
        ticks: steady,
        clock: Clock::TimeStampCounter,
        ahead: Some(200_000),
        early: 200_000,
        ordered,
    };
    let [always, half, never] = [Some(0), Some(30_000 * MS), None].map(|since| {
        let trace = record(&[world(since)], 50, 50, 4);
        let [_, close, doubtful, late] = judge(&trace, 64 * 1024 * 1024);
        assert_eq!((doubtful, late), (0, 0));
        close
    });
    assert!(
        always * 4 < half && half * 3 < never * 2,
        "{always} {half} {never}"
    );
}
