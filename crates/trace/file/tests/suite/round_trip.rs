//! Arbitrary traces, written and read.

use std::collections::BTreeMap;

use perflab_abi::{Clock, ProbeContent, ThreadContent};
use perflab_trace_file::event::{Layout, Value};
use perflab_trace_file::{EventBatch, EventSelection, Order, Totals, Trace, TraceWriter};
use proptest::prelude::*;

use crate::made::{Threads, layout, plain, process, snapshot, text_words, threads};

const TYPES: [&str; 13] = [
    "i8",
    "i32",
    "i64",
    "u8",
    "u32",
    "u64",
    "f32",
    "f64",
    "bool",
    "ptr",
    "cstr",
    "bytes",
    "enum(A=1,B=-7)",
];

/// What happens to a thread.
#[derive(Debug, Clone)]
enum Deed {
    Event {
        probe: usize,
        is_cut: bool,
        after: u64,
        numbers: Vec<u64>,
        text: Vec<u8>,
    },
    Incomplete,
    Overwritten(u64),
    Dropped(u64),
    Write,
}

fn deed() -> impl Strategy<Value = Deed> {
    let number = prop_oneof![any::<u64>(), 0u64..300, Just(u64::MAX)];
    let event = (
        any::<usize>(),
        any::<bool>(),
        prop_oneof![0u64..200, 0u64..1 << 30],
        prop::collection::vec(number, 12),
        prop::collection::vec(any::<u8>(), 0..20),
    )
        .prop_map(|(probe, is_cut, after, numbers, text)| Deed::Event {
            probe,
            is_cut,
            after,
            numbers,
            text,
        });
    prop_oneof![
        8 => event,
        1 => Just(Deed::Incomplete),
        1 => (1u64..100).prop_map(Deed::Overwritten),
        1 => (1u64..100).prop_map(Deed::Dropped),
        2 => Just(Deed::Write),
    ]
}

/// A value that fits a type, its words in a ring and what is read.
fn given<'a>(kind: &str, number: u64, text: &'a [u8]) -> (Vec<u64>, Value<'a>) {
    match kind {
        "f32" => {
            let value = number as u32 as f32;
            (vec![u64::from(value.to_bits())], Value::Single(value))
        }
        "f64" => (
            vec![(number as f64).to_bits()],
            Value::Double(number as f64),
        ),
        "bool" => (vec![number & 1], Value::Bool(number & 1 == 1)),
        "ptr" => (vec![number], Value::Address(number)),
        "cstr" | "bytes" => {
            let text = (number != u64::MAX).then_some(text);
            (text_words(text), Value::Text(text))
        }
        kind if kind.starts_with('u') => (vec![number], Value::Unsigned(number)),
        _ => (vec![number], Value::Signed(number as i64)),
    }
}

/// A thread while a trace is made.
struct Made {
    batch: EventBatch,
    next: u64,
    dropped: u64,
    time: u64,
    totals: Totals,
    /// Number of the first event of the first chunk, and how many were dropped before.
    begun: Option<(u64, u64)>,
}

impl Made {
    /// Writes the batch.
    fn write(&mut self, to: &mut TraceWriter<Vec<u8>>, is_last: bool) {
        let count = u64::from(self.batch.count());
        if count > 0 || is_last {
            self.begun.get_or_insert((self.next - count, self.dropped));
        }
        if is_last {
            to.last_events(&mut self.batch).unwrap();
        } else {
            to.events(&mut self.batch).unwrap();
        }
    }

    /// What the trace says of it.
    fn totals(&self) -> Totals {
        let (first, dropped) = self.begun.unwrap();
        Totals {
            earlier: first,
            overwritten: self.totals.overwritten - first,
            dropped: self.dropped - if first > 0 { dropped } else { 0 },
            ..self.totals
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn what_is_written_is_read(
        clocks in prop::collection::vec(any::<bool>(), 1..4),
        probes in prop::collection::vec(prop::collection::vec(0..TYPES.len(), 0..=12), 1..4),
        deeds in prop::collection::vec((any::<u32>(), 0u32..4, deed()), 0..120),
    ) {
        let count = clocks.len() as u32;
        let mut to = TraceWriter::new(Vec::new());
        let descriptions: Vec<String> = probes.iter().enumerate().map(|(index, kinds)| {
            let arguments = kinds.iter().enumerate().map(|(at, kind)| format!("\n{} a{at}", TYPES[*kind]));
            format!("p\nn{index}\nf.c\n{index}{}", arguments.collect::<String>())
        }).collect();
        let layouts: Vec<Vec<Layout>> = descriptions.iter().map(|text| layout(text)).collect();
        for (is_counter, number) in clocks.iter().zip(0..) {
            let clock = if *is_counter { Clock::TimeStampCounter } else { Clock::Monotonic };
            to.process(&process(number, clock, 50)).unwrap();
            for (description, probe) in descriptions.iter().zip(1..) {
                to.probe(&ProbeContent { process: number, probe, object: "", description, ahead: None }).unwrap();
            }
            to.clock_snapshot(&snapshot(number, 500, 1000)).unwrap();
            to.clock_snapshot(&snapshot(number, 25_000_000_500, 10_000_001_000)).unwrap();
        }
        let mut made: BTreeMap<(u32, u32), Made> = BTreeMap::new();
        let mut expected = Threads::new();
        for (process, thread, deed) in &deeds {
            let key = (process % count, *thread);
            if !made.contains_key(&key) {
                to.thread(&ThreadContent { process: key.0, thread: key.1, tid: 9, name: "t" }).unwrap();
            }
            let each = made.entry(key).or_insert_with(|| Made {
                batch: EventBatch::new(key.0, key.1),
                next: 0,
                dropped: 0,
                time: 1000,
                totals: Totals::default(),
                begun: None,
            });
            match deed {
                Deed::Event { probe, is_cut, after, numbers, text } => {
                    let probe = probe % probes.len();
                    let mut words = vec![];
                    let mut values = vec![];
                    for (kind, number) in probes[probe].iter().zip(numbers) {
                        let (of, value) = given(TYPES[*kind], *number, text);
                        words.extend(of);
                        values.push(value);
                    }
                    each.time += after;
                    let number = probe as u32 + 1;
                    let before = (each.batch.count(), each.batch.bytes());
                    // What does not fit leaves no trace.
                    words.push(0);
                    prop_assert!(each.batch.push(number, *is_cut, each.time, &layouts[probe], &words).is_err());
                    words.pop();
                    prop_assert!(each.batch.push(0, *is_cut, each.time, &layouts[probe], &words).is_err());
                    prop_assert_eq!((each.batch.count(), each.batch.bytes()), before);
                    each.batch.push(number, *is_cut, each.time, &layouts[probe], &words).unwrap();
                    let values = format!("{values:?}");
                    expected.entry(key).or_default().push((each.next, number, *is_cut, each.time, values));
                    each.next += 1;
                    each.totals.events += 1;
                }
                Deed::Incomplete => {
                    each.batch.push_incomplete();
                    each.next += 1;
                    each.totals.incomplete += 1;
                }
                Deed::Overwritten(events) => {
                    each.write(&mut to, false);
                    each.next += events;
                    each.totals.overwritten += events;
                    each.batch.begin(each.next, each.dropped);
                }
                Deed::Dropped(events) => {
                    each.write(&mut to, false);
                    each.dropped += events;
                    each.batch.begin(each.next, each.dropped);
                }
                Deed::Write => {
                    let before = to.written();
                    let is_empty = each.batch.count() == 0;
                    each.write(&mut to, false);
                    prop_assert_eq!(to.written() == before, is_empty);
                }
            }
        }
        for each in made.values_mut() {
            each.write(&mut to, true);
        }
        let trace = Trace::from_bytes(to.finish().unwrap()).unwrap();
        prop_assert!(trace.is_ended());
        prop_assert_eq!((trace.problems(), trace.skipped()), (&[][..], 0));
        for ((process, thread), each) in &made {
            let read = &trace.processes()[process].threads[thread];
            prop_assert_eq!(read.totals, each.totals());
        }
        prop_assert_eq!(threads(trace.events(&EventSelection::default())), expected.clone());
        // With enough memory, all in order; without, what is late says so.
        let times = trace.events(&EventSelection::default()).map(|event| event.nanoseconds);
        prop_assert!(times.is_sorted());
        let hasty = EventSelection { memory: 0, ..EventSelection::default() };
        prop_assert_eq!(threads(trace.events(&hasty)), expected.clone());
        let mut shown: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        for event in trace.events(&hasty) {
            let key = (event.process.number, event.thread.number);
            let is_late = shown.iter().any(|(thread, time)| *thread != key && *time > event.nanoseconds);
            prop_assert!(!is_late || event.order != Order::Sure);
            shown.insert(key, event.nanoseconds);
        }
        // A selection gives the same events as looking at each.
        let some = EventSelection {
            from: 2000,
            to: 1 << 29,
            probes: &|probe| probe.number != 2,
            threads: &|process, thread| process.number + thread.number != 2,
            ..EventSelection::default()
        };
        let chosen = trace.events(&EventSelection::default()).filter(|event| {
            (2000..=1 << 29).contains(&event.nanoseconds)
                && event.probe.number != 2
                && event.process.number + event.thread.number != 2
        });
        prop_assert!(trace.events(&some).map(|event| plain(&event)).eq(chosen.map(|event| plain(&event))));
    }
}
