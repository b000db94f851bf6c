//! What it takes to write an event; run by hand, in release mode:
//! `cargo test --release -p perflab-trace --test speed -- --ignored --nocapture`

#![expect(
    clippy::unwrap_used,
    reason = "a measurement stops at the first surprise"
)]

use std::hint::black_box;
use std::time::Instant;

use perflab_trace::event::Layout;
use perflab_trace::{EventBatch, Filter, Trace, TraceWriter};

const EVENTS: u64 = 4_000_000;

/// Memory that forgets, so that only what comes before it is measured.
struct Nowhere;

impl std::io::Write for Nowhere {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        Ok(black_box(bytes).len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn write_all(to: impl std::io::Write) -> u64 {
    let mut to = TraceWriter::new(to);
    let layout = [Layout::Signed, Layout::Unsigned];
    let mut batch = EventBatch::new(1, 1);
    let mut time = 77_000_000_000u64;
    for event in 0..EVENTS {
        time += 100 + (event.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54);
        let words = black_box([event % 100, event]);
        batch.push(3, false, time, &layout, &words).unwrap();
        if batch.is_full() {
            to.events(&mut batch).unwrap();
        }
    }
    to.events(&mut batch).unwrap();
    to.written()
}

#[test]
#[ignore = "a measurement"]
fn an_event_of_two_integers() {
    for _ in 0..5 {
        let start = Instant::now();
        let bytes = write_all(Nowhere);
        let each = start.elapsed().as_nanos() as f64 / EVENTS as f64;
        println!(
            "written: {each:.1} ns and {:.1} bytes for each event",
            bytes as f64 / EVENTS as f64
        );
    }
    let mut bytes = Vec::new();
    {
        let mut to = TraceWriter::new(&mut bytes);
        let content = perflab_probe_abi::ProcessContent {
            process: 1,
            pid: 1,
            start: 1,
            clock: perflab_probe_abi::Clock::Monotonic,
            skew: 0,
            executable: "",
            command: "",
        };
        to.process(&content).unwrap();
        let description = "p\nn\nf\n1\ni64 a\nu64 b";
        to.probe(&perflab_probe_abi::ProbeContent {
            process: 1,
            probe: 3,
            object: "",
            description,
        })
        .unwrap();
    }
    write_all(&mut bytes);
    let start = Instant::now();
    let trace = Trace::from_bytes(bytes).unwrap();
    println!(
        "first pass: {:.1} ns",
        start.elapsed().as_nanos() as f64 / EVENTS as f64
    );
    let start = Instant::now();
    assert_eq!(trace.events(&Filter::default()).count() as u64, EVENTS);
    println!(
        "second pass: {:.1} ns",
        start.elapsed().as_nanos() as f64 / EVENTS as f64
    );
}
