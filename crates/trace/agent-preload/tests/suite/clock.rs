//! The times of events of a running program, against what the clocks of the machine said around them.

use std::collections::BTreeMap;
use std::process::Command;

use crate::support::Program;
use crate::support::compile::compile;
use crate::support::recorded::record_to_its_end;
use perflab_trace_file::event::Value;
use perflab_trace_file::{ClockConversion, Event, EventSelection, Trace};

/// How far a time may lie outside of the two readings around its hit, in nanoseconds.
const BOUND: u64 = 1000;

/// What a clock said before and after a hit.
type Bracket = (u64, u64);

/// How far a time lies outside.
fn outside(time: u64, (before, after): Bracket) -> u64 {
    before.saturating_sub(time).max(time.saturating_sub(after))
}

/// What is known of an event of the program.
struct Read {
    /// The last readings before it, of `CLOCK_MONOTONIC` and `CLOCK_REALTIME`.
    before: [u64; 2],
    /// The first readings behind the event before.
    after_former: [u64; 2],
    /// Its times as they were computed, by the same clocks.
    times: [u64; 2],
}

impl Read {
    fn new(event: &Event<'_>, conversion: &ClockConversion) -> Self {
        let values: Vec<Value<'_>> = event.values().collect();
        let [
            Value::Unsigned(before),
            Value::Unsigned(real_before),
            Value::Unsigned(after),
            Value::Unsigned(real_after),
        ] = values.as_slice()
        else {
            panic!("no event of the program: {event:?}")
        };
        Self {
            before: [*before, *real_before],
            after_former: [*after, *real_after],
            times: [event.nanoseconds, conversion.realtime(event.time).unwrap()],
        }
    }
}

#[test]
fn times_are_those_of_the_clocks_of_the_machine() {
    let seconds = std::env::var("PERFLAB_CLOCK_SECONDS").unwrap_or_else(|_| "3".to_owned());
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let binary = directory.path().join("clock");
    compile("gcc", &["-O2", "-pthread"], &["clock.c"], &binary);
    let program = Program::start(Command::new(&binary).arg(&seconds));
    let path = directory.path().join("trace");
    let progress = record_to_its_end(program, "clock:read", 1024, &path);
    assert_eq!(progress.dropped, 0, "{progress:?}");

    let trace = Trace::open(&path).unwrap();
    assert_eq!(trace.problems(), []);
    let mut formers: BTreeMap<u32, Read> = BTreeMap::new();
    let mut checked = 0_u64;
    // Between the two readings, and outside of them, of each clock.
    let (mut between, mut worst) = ([const { Vec::new() }; 2], [0_u64; 2]);
    for event in trace.events(&EventSelection::default()) {
        let conversion = trace.conversion(event.process.clock);
        let read = Read::new(&event, conversion);
        let after = read.after_former;
        let Some(former) = formers.insert(event.thread.number, read) else {
            continue;
        };
        checked += 1;
        for (clock, after) in after.into_iter().enumerate() {
            let bracket = (former.before[clock], after);
            between[clock].push(bracket.1.saturating_sub(bracket.0));
            worst[clock] = worst[clock].max(outside(former.times[clock], bracket));
        }
    }
    assert_eq!(formers.len(), 2, "threads");
    let medians = between.map(|mut between| {
        between.sort_unstable();
        between[between.len() / 2]
    });
    println!(
        "{checked} events; half of the readings at most {medians:?} ns apart; \
         times at most {worst:?} ns outside of them (CLOCK_MONOTONIC, CLOCK_REALTIME)"
    );
    assert!(checked > 1000, "{checked}");
    // Else the readings would say little. (An event of a build without optimisation takes a microsecond.)
    assert!(
        medians.iter().all(|median| *median < 5 * BOUND),
        "{medians:?}"
    );
    // A clock that was set in between shows in the trace.
    let [monotonic, realtime] = worst;
    assert!(monotonic <= BOUND, "{monotonic} ns from CLOCK_MONOTONIC");
    if trace.discontinuities().next().is_none() {
        assert!(realtime <= BOUND, "{realtime} ns from CLOCK_REALTIME");
    }
}
