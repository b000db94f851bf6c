//! The format stays what its document says, and what was written once stays readable.

use std::fs;
use std::path::Path;

use perflab_abi::ChunkKind;
use perflab_trace_file::event::Value;
use perflab_trace_file::{ChunkReader, EventBatch, Trace, TraceWriter};

use crate::made::{NO_ARGUMENTS, begun, layout, read_all, small, text_words};

fn file(path: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The example of the document: the bytes before the bar of each line.
#[test]
fn the_example_is_what_is_written() {
    let page = String::from_utf8(file("../../../docs/trace-format.md")).unwrap();
    let (_, example) = page.split_once("```text\n50 46 4c 43 ").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let shown: Vec<u8> = format!("50 46 4c 43 {example}")
        .lines()
        .flat_map(|line| line.split('|').next().unwrap().split_whitespace())
        .map(|byte| u8::from_str_radix(byte, 16).unwrap())
        .collect();
    let description = "shop\nrequest\nshop.c\n12\ni32 fd\ncstr key";
    let layout = layout(description);
    let mut batch = EventBatch::new(1, 2);
    batch.begin(5, 1);
    let words = |fd: i64, text: Option<&[u8]>| [vec![fd as u64], text_words(text)].concat();
    let first = words(-2, Some(b"GET"));
    batch.push(3, false, 1_000_000, &layout, &first).unwrap();
    batch
        .push(3, true, 1_000_300, &layout, &words(300, Some(b"x")))
        .unwrap();
    batch.push_incomplete();
    batch
        .push(3, false, 1_000_250, &layout, &words(7, None))
        .unwrap();
    let mut to = TraceWriter::new(Vec::new());
    to.events(&mut batch).unwrap();
    to.events(&mut batch).unwrap();
    let end = to.written() as usize;
    let bytes = to.finish().unwrap();
    assert_eq!(shown, bytes[..end], "written: {:02x?}", &bytes[..end]);
    // It says what the document says.
    let to = begun(3, description);
    let trace = Trace::from_bytes(
        [
            to.finish().unwrap().strip_suffix(&bytes[end..]).unwrap(),
            &bytes,
        ]
        .concat(),
    )
    .unwrap();
    let read = format!("{:?}", read_all(&trace));
    assert!(read.contains("(5, 3, false, 1000000"), "{read}");
    assert!(read.contains("(6, 3, true, 1000300"), "{read}");
    assert!(read.contains("(8, 3, false, 1000250"), "{read}");
    let totals = trace.totals();
    assert_eq!(
        (
            totals.events,
            totals.incomplete,
            totals.dropped,
            totals.earlier
        ),
        (3, 1, 0, 5)
    );
}

/// A trace that was written by the first version.
#[test]
fn an_old_trace_is_read() {
    let (written, events) = small();
    // Without fields that came later.
    let older = file("tests/golden/small-older.trace");
    assert_eq!(read_all(&Trace::from_bytes(older).unwrap()), events);
    let old = file("tests/golden/small.trace");
    assert_eq!(read_all(&Trace::from_bytes(old.clone()).unwrap()), events);
    assert!(old == written, "the format has changed: is that meant?");
}

/// Readers of the first version skip what names a probe with more arguments than they know.
#[test]
fn probes_with_many_arguments() {
    for (arguments, version) in [(12, 1), (13, 2), (64, 2)] {
        let description = format!("{NO_ARGUMENTS}{}", "\nu64 a".repeat(arguments));
        let mut to = begun(1, &description);
        let mut batch = EventBatch::new(1, 1);
        let words: Vec<u64> = (0..arguments as u64).collect();
        batch
            .push(1, false, 5, &layout(&description), &words)
            .unwrap();
        to.events(&mut batch).unwrap();
        let bytes = to.finish().unwrap();
        let mut chunks = ChunkReader::new(bytes.as_slice());
        let mut versions = Vec::new();
        while let Some(chunk) = chunks.next() {
            if chunk.kind == ChunkKind::PROBE {
                versions.push(chunk.version);
            }
        }
        assert_eq!(versions, [version], "{arguments}");
        let trace = Trace::from_bytes(bytes).unwrap();
        assert_eq!((trace.problem_count(), trace.skipped()), (0, 0));
        let events = read_all(&trace);
        let values = words.iter().map(|word| Value::Unsigned(*word));
        let values: Vec<Value<'_>> = values.collect();
        assert_eq!(events[&(1, 1)][0].4, format!("{values:?}"));
    }
}

/// What came before the trace is no loss, unless the trace says that it begins earlier.
#[test]
fn where_a_trace_begins() {
    let mut to = begun(1, NO_ARGUMENTS);
    let mut batch = EventBatch::new(1, 1);
    for thread in 1..=2 {
        batch.switch(1, thread);
        if thread == 2 {
            to.last_events(&mut batch).unwrap();
        }
        batch.begin(10, 4);
        batch.push(1, false, 5, &[], &[]).unwrap();
        to.events(&mut batch).unwrap();
        batch.begin(13, 7);
        to.last_events(&mut batch).unwrap();
    }
    let trace = Trace::from_bytes(to.finish().unwrap()).unwrap();
    let of = |thread| {
        let totals = trace.processes()[&1].threads[&thread].totals;
        (
            totals.events,
            totals.earlier,
            totals.overwritten,
            totals.dropped,
        )
    };
    assert_eq!((of(1), of(2)), ((1, 10, 2, 3), (1, 0, 12, 7)));
    assert_eq!(read_all(&trace).len(), 2);
}
