//! Traces made up for tests, and what must be read from them.

use std::collections::BTreeMap;

use perflab_abi::recording::NULL_TEXT;
use perflab_abi::{
    Clock, ClockSnapshotContent, CostContent, Description, LossesContent, ProbeContent,
    ProcessContent, ThreadContent, WatermarkContent,
};
use perflab_trace_file::event::{Layout, Value};
use perflab_trace_file::{Event, EventBatch, EventSelection, Trace, TraceWriter};

/// An event as it was written or read: number, probe, whether it was cut, time, values as text.
pub type Plain = (u64, u32, bool, u64, String);

/// The events of each thread, by process and thread.
pub type Threads = BTreeMap<(u32, u32), Vec<Plain>>;

/// A probe without arguments.
pub const NO_ARGUMENTS: &str = "p\nn\nf\n1";

/// A trace that begins with one process and one probe of it.
pub fn begun(probe: u32, description: &str) -> TraceWriter<Vec<u8>> {
    let mut to = TraceWriter::new(Vec::new());
    to.process(&process(1, Clock::Monotonic, 0)).unwrap();
    to.probe(&ProbeContent {
        process: 1,
        probe,
        object: "",
        description,
        ahead: None,
    })
    .unwrap();
    to
}

pub fn plain(event: &Event<'_>) -> Plain {
    let values: Vec<_> = event.values().collect();
    let values = format!("{values:?}");
    (
        event.index,
        event.probe.number,
        event.is_cut,
        event.time,
        values,
    )
}

pub fn threads<'t>(events: impl Iterator<Item = Event<'t>>) -> Threads {
    let mut threads = Threads::new();
    for event in events {
        let key = (event.process.number, event.thread.number);
        threads.entry(key).or_default().push(plain(&event));
    }
    threads
}

/// Everything that can be done with a trace.
pub fn read_all(trace: &Trace) -> Threads {
    let _ = (
        trace.machine(),
        trace.totals(),
        trace.discontinuities().count(),
        trace.problems(),
    );
    threads(trace.events(&EventSelection::default()))
}

pub fn process(number: u32, clock: Clock, skew: u64) -> ProcessContent<'static> {
    ProcessContent {
        process: number,
        pid: 100 + number,
        start: 7,
        clock,
        skew,
        executable: "/usr/bin/shop",
        command: "shop --port 7777",
        ahead: None,
    }
}

pub fn snapshot(process: u32, ticks: u64, time: u64) -> ClockSnapshotContent {
    ClockSnapshotContent {
        process,
        before: ticks,
        after: ticks + 20,
        monotonic: time,
        realtime: time + 1_700_000_000_000_000_000,
        boottime: time,
    }
}

pub fn layout(description: &str) -> Vec<Layout> {
    Layout::of_probe(&Description::parse(description).unwrap())
}

/// The words of a ring for a text.
pub fn text_words(text: Option<&[u8]>) -> Vec<u64> {
    let Some(text) = text else {
        return vec![NULL_TEXT];
    };
    let mut words = vec![text.len() as u64];
    words.extend(text.chunks(8).map(|bytes| {
        let mut word = [0xee; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    }));
    words
}

pub const TWO_NUMBERS: &str = "shop\nrequest\nshop.c\n12\ni32 fd\nu64 size";
pub const TEXTS: &str = "shop\nsend\nshop.c\n30\ncstr key\nf64 share\nbool last";

/// A small trace with a bit of everything, and its events.
pub fn small() -> (Vec<u8>, Threads) {
    let mut to = TraceWriter::new(Vec::new());
    let mut expected = Threads::new();
    to.machine("kernel: 6.18\ncpu: some\n").unwrap();
    to.process(&process(1, Clock::TimeStampCounter, 100))
        .unwrap();
    for (probe, description) in [(1, TWO_NUMBERS), (2, TEXTS)] {
        let object = if probe == 1 { "" } else { "/lib/libshop.so" };
        to.probe(&ProbeContent {
            process: 1,
            probe,
            object,
            description,
            ahead: None,
        })
        .unwrap();
    }
    for (thread, name) in [(1, "main"), (2, "worker")] {
        to.thread(&ThreadContent {
            process: 1,
            thread,
            tid: 200 + thread,
            name,
        })
        .unwrap();
    }
    to.cost(&CostContent {
        process: 1,
        probe: 2,
        picoseconds: 9100,
    })
    .unwrap();
    to.clock_snapshot(&snapshot(1, 0, 1_000_000)).unwrap();
    let (numbers, texts) = (layout(TWO_NUMBERS), layout(TEXTS));
    for round in 0..3u64 {
        for thread in 1..=2 {
            let mut batch = EventBatch::new(1, thread);
            batch.begin(round * 10, round);
            for index in 0..3 {
                let time = round * 10_000 + index * 300 + u64::from(thread) * 70;
                let fd = -(index as i64);
                batch
                    .push(1, false, time, &numbers, &[fd as u64, time])
                    .unwrap();
                let key = b"a key of some bytes".as_slice();
                let share = 0.25f64;
                let mut words = text_words((index > 0).then_some(key));
                words.extend([share.to_bits(), 1]);
                batch.push(2, index == 2, time + 5, &texts, &words).unwrap();
                let values = [Value::Signed(fd), Value::Unsigned(time)];
                let others = [
                    Value::Text((index > 0).then_some(key)),
                    Value::Double(share),
                    Value::Bool(true),
                ];
                let number = round * 10 + index * 3;
                let events = expected.entry((1, thread)).or_default();
                events.push((number, 1, false, time, format!("{values:?}")));
                events.push((number + 1, 2, index == 2, time + 5, format!("{others:?}")));
                batch.push_incomplete();
            }
            to.events(&mut batch).unwrap();
        }
        to.watermark(&WatermarkContent {
            process: 1,
            time: round * 10_000 + 900,
        })
        .unwrap();
        to.losses(&LossesContent {
            process: 1,
            no_ring: round,
        })
        .unwrap();
    }
    to.clock_snapshot(&snapshot(1, 100_000_000, 51_000_000))
        .unwrap();
    let length = to.written();
    let bytes = to.finish().unwrap();
    assert_eq!(length + 16, bytes.len() as u64);
    (bytes, expected)
}

/// Numbers that look random, below a limit.
pub fn numbers(mut state: u64) -> impl FnMut(u64) -> u64 {
    move |below| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    }
}
