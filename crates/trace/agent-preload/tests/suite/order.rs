//! Events of two threads that a lock orders: shown in that order, or marked.

use std::collections::HashMap;
use std::process::Command;

use crate::support::Program;
use crate::support::compile::compile;
use crate::support::recorded::record_to_its_end;
use perflab_trace_file::event::Value;
use perflab_trace_file::{EventSelection, Order, Trace};

/// What a trace of the program came to.
#[derive(Debug)]
struct Judged {
    events: u64,
    /// Of these, those of probes that ask for order.
    asking: u64,
    /// Shown behind one that was later.
    reversed: u64,
    /// Of these, those that say they are sure.
    unmarked: u64,
    /// By how many nanoseconds at most.
    worst: u64,
    /// All with a mark.
    marked: u64,
    /// Of these, those that differ from an event of the other thread by no more than the clocks of two processors do:
    /// what would be marked if the counter were read at its event.
    within_skew: u64,
    /// Reversed by more than that: what would be unmarked then.
    beyond_skew: u64,
}

/// Records the program with a clock and more arguments, from its first event to its last.
fn judged(clock: &str, arguments: &[&str]) -> Judged {
    let rounds = std::env::var("PERFLAB_ORDER_ROUNDS").unwrap_or_else(|_| "50000".to_owned());
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let binary = directory.path().join("order");
    compile("gcc", &["-O2", "-pthread"], &["order.c"], &binary);
    let mut command = Command::new(&binary);
    command.arg(&rounds).args(arguments);
    let program = Program::start(command.env("PERFLAB_AGENT_CLOCK", clock));
    let path = directory.path().join("trace");
    record_to_its_end(program, "order:*", 8 << 20, &path);
    judge(&Trace::open(&path).unwrap())
}

fn judge(trace: &Trace) -> Judged {
    assert_eq!(trace.problems(), []);
    let mut judged = Judged {
        events: 0,
        asking: 0,
        reversed: 0,
        unmarked: 0,
        worst: 0,
        marked: 0,
        within_skew: 0,
        beyond_skew: 0,
    };
    let mut latest = (0, 0);
    let mut last: HashMap<u32, u64> = HashMap::new();
    for event in trace.events(&EventSelection::default()) {
        let Some(Value::Unsigned(number)) = event.values().next() else {
            panic!("no event of the program: {event:?}")
        };
        judged.events += 1;
        judged.asking += u64::from(event.probe.ahead == Some(0));
        judged.marked += u64::from(event.order != Order::Sure);
        let conversion = trace.conversion(event.process.clock);
        let skew = conversion.duration(event.process.skew);
        last.insert(event.thread.number, event.nanoseconds);
        let others = last
            .iter()
            .filter(|(thread, _)| **thread != event.thread.number);
        let is_near = others
            .map(|(_, at)| event.nanoseconds - at)
            .any(|after| after <= skew);
        judged.within_skew += u64::from(is_near);
        if number >= latest.0 {
            latest = (number, event.nanoseconds);
        } else {
            judged.reversed += 1;
            judged.unmarked += u64::from(event.order == Order::Sure);
            let by = event.nanoseconds - latest.1;
            judged.beyond_skew += u64::from(by > skew);
            judged.worst = judged.worst.max(by);
        }
    }
    judged
}

#[test]
fn what_a_lock_orders() {
    let ahead = judged("unordered", &[]);
    println!("unordered: {ahead:?}");
    assert!(ahead.events > 1000);
    assert_eq!(ahead.unmarked, 0, "{ahead:?}");
    let ways = [
        ("not set", "", &[][..]),
        ("ordered", "ordered", &[][..]),
        ("ordered probes", "unordered", &["ordered"]),
    ];
    for (what, clock, arguments) in ways {
        let ordered = judged(clock, arguments);
        println!("{what}: {ordered:?}");
        let asking = if arguments.is_empty() {
            0
        } else {
            ordered.events
        };
        assert_eq!(ordered.asking, asking, "{what}: {ordered:?}");
        assert_eq!(ordered.unmarked, 0, "{what}: {ordered:?}");
        // Few events are as close as the clocks of two processors are apart, or came before both threads recorded.
        assert!(
            ordered.marked <= ordered.within_skew + ordered.events / 100,
            "{what}: {ordered:?}"
        );
        // The processors' clocks are not that far apart.
        assert!(
            ordered.reversed * 10_000 <= ordered.events,
            "{what}: {ordered:?}"
        );
    }
}

#[test]
fn a_process_that_ends_at_once_has_its_order_too() {
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let binary = directory.path().join("order");
    compile("gcc", &["-O2", "-pthread"], &["order.c"], &binary);
    for turn in 0..10 {
        let mut command = Command::new(&binary);
        let program = Program::start(command.arg("200").env("PERFLAB_AGENT_CLOCK", ""));
        let path = directory.path().join(format!("trace{turn}"));
        record_to_its_end(program, "order:*", 8 << 20, &path);
        let trace = Trace::open(&path).unwrap();
        let judged = judge(&trace);
        assert_eq!(judged.unmarked, 0, "{judged:?}");
        let mut threads = trace
            .processes()
            .values()
            .flat_map(|process| &process.threads);
        if threads.nth(1).is_some() {
            let since = trace
                .processes()
                .values()
                .find_map(|process| process.ordered_since);
            assert!(since.is_some(), "{judged:?}");
        }
    }
}
