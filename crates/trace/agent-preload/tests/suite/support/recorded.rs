//! The program `recorded.c`, and whether its events are as it made them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

use perflab_control::{EncodedFilter, RecordWish};
use perflab_recorder::{Manner, Progress, Recording, Since};
use perflab_trace_file::event::Value;
use perflab_trace_file::{Event, EventSelection, Trace, TraceWriter};

use super::Program;

/// Sources that its file has a word for.
const SOURCES: usize = 65536;

/// How many events each source has hit, those that have any.
pub fn counters(path: &Path) -> BTreeMap<u64, u64> {
    let file = File::open(path).unwrap();
    let mut bytes = vec![0; SOURCES * 8];
    file.read_exact_at(&mut bytes, 0).unwrap();
    let counts = bytes.chunks_exact(8).zip(0..);
    counts
        .map(|(word, source)| (source, u64::from_le_bytes(word.try_into().unwrap())))
        .filter(|(_, count)| *count > 0)
        .collect()
}

/// A trace that begins.
pub fn new_trace(path: &Path) -> TraceWriter<BufWriter<File>> {
    TraceWriter::new(BufWriter::new(File::create(path).unwrap()))
}

fn mixed(a: u64, b: u64) -> u64 {
    let x = a.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ b.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ x >> 29
}

/// An event of the program.
pub struct Made {
    /// Whose it is.
    pub source: u64,
    /// Which of the source's.
    pub number: u64,
    /// Whether those of the source come in the order of their numbers.
    pub is_ordered: bool,
}

/// An event, which is one that the program makes, with all its arguments.
pub fn checked(event: &Event<'_>) -> Made {
    let values: Vec<Value<'_>> = event.values().collect();
    let (source, number) = match values.as_slice() {
        [Value::Unsigned(source), Value::Unsigned(number), ..] => (*source, *number),
        _ => panic!("no event of the program: {event:?}"),
    };
    match (event.probe.name.as_str(), &values[2..]) {
        ("number", [Value::Unsigned(check)]) => {
            assert_eq!(*check, mixed(source, number), "{event:?}");
            assert!(number % 4 != 3 && !event.is_cut, "{event:?}");
        }
        ("text", [Value::Text(Some(text))]) => {
            let length = number % 140;
            let letters = (number % 26..number % 26 + length).map(|at| b'a' + (at % 26) as u8);
            let whole: Vec<u8> = letters.collect();
            assert_eq!(event.is_cut, whole.len() > 128, "{event:?}");
            assert_eq!(*text, &whole[..whole.len().min(128)], "{event:?}");
            assert_eq!(number % 4, 3, "{event:?}");
        }
        ("now", []) => {}
        _ => panic!("no event of the program: {event:?}"),
    }
    Made {
        source,
        number,
        is_ordered: event.probe.name != "now",
    }
}

/// What a trace has of a source.
#[derive(Debug, Clone, Copy)]
pub struct Found {
    /// The lowest number.
    pub first: u64,
    /// The highest number.
    pub last: u64,
    /// How many.
    pub count: u64,
}

/// What a trace has of each source of each process. Each number comes once and those of a source in their
/// order.
pub fn found(path: &Path) -> (Trace, BTreeMap<(u32, u64), Found>) {
    let trace = Trace::open(path).unwrap();
    assert!(trace.is_ended(), "{:?}", trace.cut());
    assert_eq!(trace.problems(), []);
    let mut found: BTreeMap<(u32, u64), Found> = BTreeMap::new();
    for event in trace.events(&EventSelection::default()) {
        let Made {
            source,
            number,
            is_ordered,
        } = checked(&event);
        let found = found
            .entry((event.process.number, source))
            .or_insert(Found {
                first: number,
                last: number,
                count: 0,
            });
        let is_next = found.count == 0 || number > found.last;
        assert!(is_next || !is_ordered, "{event:?} after {}", found.last);
        found.first = found.first.min(number);
        found.last = found.last.max(number);
        found.count += 1;
    }
    (trace, found)
}

/// Records a program that says when it is ready, goes on when told, and says when it is done.
pub fn record_to_its_end(program: Program, probes: &str, ring: u32, path: &Path) -> Progress {
    record_when_to_its_end(program, probes, None, ring, path)
}

/// The same, of the events that a filter accepts if there is one.
pub fn record_when_to_its_end(
    mut program: Program,
    probes: &str,
    filter: Option<&EncodedFilter>,
    ring: u32,
    path: &Path,
) -> Progress {
    assert_eq!(program.line(), "ready\n");
    let wish = RecordWish {
        keep: true,
        ring,
        all: 0,
    };
    let agent = program.ask();
    let answer = match filter {
        Some(filter) => agent.record_when(probes, wish, filter),
        None => agent.record(probes, wish),
    };
    let answer = answer.unwrap();
    let manner = Manner {
        keep: true,
        since: Since::Oldest,
    };
    let mut recording = Recording::new(new_trace(path), manner);
    recording.add(&answer.directory).unwrap();
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| {
            program.tell("go\n");
            program.line()
        });
        while !waits.is_finished() {
            recording.round().unwrap();
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(waits.join().unwrap(), "done\n");
    });
    let (progress, _) = recording.finish().unwrap();
    drop(answer);
    program.tell("end\n");
    program.ends();
    progress
}
